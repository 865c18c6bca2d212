#include "render/page/chart_files.h"

#include "analysis/model/device_word.h"
#include "analysis/stack/path_tree.h"
#include "base/arena.h"
#include "render/chart/png_chart.h"
#include "render/chart/svg_chart.h"
#include "render/folder/publish.h"
#include "render/page/page_shell.h"
#include "render/page/row_links.h"
#include "report/figure/report_figures.h"

#include <cjson/cJSON.h>

/* Whether the markdown reports show it: they have no other pictures. */
static bool is_main(enum chart_subject subject)
{
    return subject == CHART_WALL_TIME || subject == CHART_CATEGORIES;
}

static void add(struct arena *a, struct chart_files *list, enum chart_subject subject,
                int of, struct report_figure figure, struct str stem)
{
    struct str *const words[] = {&figure.title, &figure.caption, &figure.description,
                                 &figure.empty};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        *words[i] = device_word_put(a, *words[i], list->vendor, 0, 0);
    struct chart_file *c = &list->charts[list->n++];
    *c = (struct chart_file){.subject = subject, .of = of, .figure = figure};
    /* One id per chart, whatever page it is on. */
    c->figure.id = str_printf(a, "chart-%.*s", STRF(stem));
    if (figure.empty.n)
        return;
    c->svg = str_printf(a, "charts/%.*s.svg", STRF(stem));
    if (list->all_pictures || is_main(subject))
        c->png = str_printf(a, "charts/%.*s.png", STRF(stem));
}

/* A chart on a page alone. */
static void add_inline(struct arena *a, struct chart_files *list,
                       enum chart_subject subject, int of, struct report_figure figure,
                       struct str stem)
{
    add(a, list, subject, of, figure, stem);
    list->charts[list->n - 1].svg = list->charts[list->n - 1].png = S("");
}

/* The points lead to their rows: those of the table below a chart, the others would
 * make pages large. */
static struct report_figure linked(struct arena *a, const struct report *r,
                                   const int *at, struct report_figure f)
{
    enum { LINKED_MAX = 60 };
    for (int i = 0; i < f.n_marks && i < LINKED_MAX; i++)
        f.marks[i].href = op_href(a, r, at ? at[f.marks[i].node] : f.marks[i].node);
    return f;
}

static struct report_figure roofline(struct arena *a, const struct report *r,
                                     int category)
{
    return linked(a, r, NULL, figure_roofline(a, r, category));
}

static void add_categories(struct arena *a, struct chart_files *list,
                           const struct report *r)
{
    static const struct {
        enum chart_subject subject;
        struct report_figure (*make)(struct arena *, const struct report *, int);
        const char *what;
    } kinds[] = {{CHART_OPERATIONS, figure_pareto, "operations"},
                 {CHART_DURATIONS, figure_durations, "durations"},
                 {CHART_EFFICIENCY, figure_efficiency, "efficiency"},
                 {CHART_ROOFLINE, roofline, "roofline"}};
    for (int k = 0; k < r->n_categories; k++)
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
            add(a, list, kinds[i].subject, k, kinds[i].make(a, r, k),
                str_printf(a, "%.*s-%s", STRF(category_slug(&r->categories[k])),
                           kinds[i].what));
}

/* The rows of one precision as a separate report, for a roofline of only those. */
static struct report_figure precision_figure(struct arena *a, struct arena tmp,
                                             const struct report *r, struct str spec)
{
    struct report part = *r;
    part.n_ops = 0;
    for (int i = 0; i < r->n_ops; i++)
        part.n_ops += str_eq(r->ops[i].group->compute_spec, spec);
    part.ops = arena_new(&tmp, struct report_op, part.n_ops);
    int *at = arena_new(&tmp, int, part.n_ops);
    part.n_ops = 0;
    for (int i = 0; i < r->n_ops; i++)
        if (str_eq(r->ops[i].group->compute_spec, spec)) {
            at[part.n_ops] = i;
            part.ops[part.n_ops++] = r->ops[i];
        }
    struct report_figure f = linked(a, r, at, figure_roofline(a, &part, -1));
    int n = 0, below = 0;
    for (int i = 0; i < part.n_ops; i++) {
        n += part.ops[i].group->flop_per_byte > 0.0 &&
             part.ops[i].group->tflop_per_s > 0.0;
        below += part.ops[i].row->efficiency.percent < 40.0;
    }
    char *words = str_c(a, spec);
    for (char *p = words; *p; p++)
        *p = *p == '_' ? ' ' : *p;
    if (!f.empty.n)
        f.caption =
            n == 1
                ? str_printf(a, "The one operation at %s reaches %s 40%% of its roof",
                             words, below ? "less than" : "at least")
                : str_printf(a,
                             "%d of %d operations at %s reach less than 40%% of "
                             "their roof",
                             below, n, words);
    return f;
}

static void add_over_time(struct arena *a, struct chart_files *list,
                          const struct report *r)
{
    static const char *const trees[] = {[VIEW_MODULES] = "tree-modules",
                                        [VIEW_CALLS] = "tree-calls",
                                        [VIEW_OPERATIONS] = "tree-operations"};
    add_inline(a, list, CHART_STRIP, -1, figure_strip(a, r), S("strip"));
    for (int k = 0; k < r->gpus.n && r->gpus.decides >= 0; k++)
        add_inline(a, list, CHART_STRIP, k, figure_gpu_strip(a, r, k), S("strip"));
    add(a, list, CHART_UTILISATION, -1, figure_utilisation(a, r), S("utilisation"));
    add(a, list, CHART_STREAMS, -1, figure_streams(a, r), S("streams"));
    add(a, list, CHART_LAUNCHES, -1, figure_launches(a, r), S("launches"));
    add(a, list, CHART_IDLE, -1, figure_idle_causes(a, r), S("idle"));
    add(a, list, CHART_BLAME, -1, figure_idle_blame(a, r), S("blame"));
    add(a, list, CHART_MEMORY, -1, figure_memory(a, r), S("memory"));
    if (r->memory.of)
        add(a, list, CHART_MEMORY_KINDS, -1, figure_memory_kinds(a, r),
            S("memory-kinds"));
    for (int k = 0; r->counters && k < COUNTER_FIGURES; k++)
        add(a, list, CHART_COUNTERS, k, figure_counters(a, r, k),
            str_printf(a, "counters-%d", k + 1));
    for (int k = 0; r->tree && k < r->tree->n_views; k++)
        add(a, list, CHART_TREE, k, figure_tree(a, r, k),
            str_of(trees[r->tree->views[k].kind]));
}

struct chart_files chart_files_list(struct arena *a, struct arena tmp,
                                    const struct report *r, bool all_pictures)
{
    int room =
        17 + COUNTER_FIGURES + 4 * r->n_categories + r->device.n_peaks + r->gpus.n;
    struct chart_files list = {.charts = arena_new(a, struct chart_file, room),
                               .all_pictures = all_pictures,
                               .vendor = r->meta.vendor};
    add(a, &list, CHART_WALL_TIME, -1, figure_wall_time(a, r), S("wall-time"));
    add(a, &list, CHART_CATEGORIES, -1, figure_categories(a, r), S("categories"));
    add(a, &list, CHART_GAINS, -1, figure_gains(a, r), S("gains"));
    add_categories(a, &list, r);
    add(a, &list, CHART_OPERATIONS, -1, figure_pareto(a, r, -1), S("operations"));
    add(a, &list, CHART_DURATIONS, -1, figure_durations(a, r, -1), S("kernels"));
    add(a, &list, CHART_ROOFLINE, -1, roofline(a, r, -1), S("roofline"));
    add_over_time(a, &list, r);
    for (int p = 0; p < r->device.n_peaks; p++) {
        struct report_figure f = precision_figure(a, tmp, r, r->device.peaks[p].spec);
        if (!f.empty.n)
            add(a, &list, CHART_PRECISION, p, f, str_printf(a, "roofline-%d", p + 1));
    }
    return list;
}

const struct chart_file *chart_find(const struct chart_files *c,
                                    enum chart_subject subject, int of)
{
    for (int k = 0; k < c->n; k++)
        if (c->charts[k].subject == subject && c->charts[k].of == of)
            return &c->charts[k];
    return NULL;
}

struct report_charts chart_files_main(struct arena *a, const struct chart_files *c)
{
    struct report_chart *at = arena_new(a, struct report_chart, c->n);
    int n = 0;
    for (int k = 0; k < c->n; k++)
        if (c->charts[k].png.n && is_main(c->charts[k].subject))
            at[n++] = (struct report_chart){.file = c->charts[k].png,
                                            .caption = c->charts[k].figure.caption};
    return (struct report_charts){at, n};
}

bool chart_files_svg(const struct chart_files *c, const struct theme *t,
                     const struct publish *folder, struct arena tmp, struct err *e)
{
    for (int k = 0; k < c->n; k++) {
        struct out o;
        if (!c->charts[k].svg.n)
            continue;
        const char *path = publish_path(folder, &tmp, str_c(&tmp, c->charts[k].svg), e);
        if (!path || !out_open(&o, path, e))
            return false;
        chart_svg(&o, &c->charts[k].figure, t);
        if (!out_close(&o, e))
            return false;
    }
    return true;
}

static bool write_png(const struct chart_file *c, struct png_painter *painter,
                      const struct theme *t, const struct publish *folder,
                      struct arena tmp, struct err *e)
{
    struct out o;
    struct err closing = {0};
    const char *path = publish_path(folder, &tmp, str_c(&tmp, c->png), e);
    if (!path || !out_open(&o, path, e))
        return false;
    bool drawn = chart_png(&c->figure, painter, t, &o, e);
    return out_close(&o, drawn ? e : &closing) && drawn;
}

bool chart_files_png(const struct chart_files *c, atomic_int *next,
                     const struct theme *t, const struct publish *folder,
                     struct arena tmp, struct err *e)
{
    struct png_painter *painter =
        NULL; /* not opened if other threads have drawn everything */
    bool done = true;
    for (int k; done && (k = c->n - 1 - atomic_fetch_add(next, 1)) >= 0;) {
        if (!c->charts[k].png.n)
            continue;
        if (!painter && !(painter = png_painter_open(&tmp, e)))
            return false;
        done = write_png(&c->charts[k], painter, t, folder, tmp, e);
    }
    if (painter)
        png_painter_close(painter);
    return done;
}

static void add_file(cJSON *files, struct str href, const char *format)
{
    json_row(files, M("href", href), M("name", str_skip(href, S("charts/").n)),
             J("format", format));
}

void chart_figure(struct cJSON *object, const char *key, const struct chart_file *c,
                  bool with_png, const struct theme *t, struct arena tmp)
{
    if (!c)
        return;
    cJSON *figure = page_figure(object, key, &c->figure, t, tmp);
    cJSON *files = cJSON_GetObjectItemCaseSensitive(figure, "files");
    if (!c->svg.n)
        return;
    cJSON_ReplaceItemInObjectCaseSensitive(figure, "has_files", cJSON_CreateBool(1));
    add_file(files, c->svg, "SVG");
    if (with_png && c->png.n)
        add_file(files, c->png, "PNG");
}
