#include "render/page/site_context.h"

#include "analysis/model/number_text.h"
#include "analysis/stack/path_tree.h"
#include "base/abilities.h"
#include "base/arena.h"
#include "base/utf8.h"
#include "ops/timeline_data.h"
#include "render/folder/publish.h"
#include "render/page/single_file.h"
#include "render/text/html_text.h"
#include "render/text/theme.h"
#include "report/more_shown.h"
#include "report/page_shown.h"

#include <math.h>
#include <string.h>

void ctx_checks(cJSON *context, const struct report *r)
{
    context_lend(context, shown_checks_fields(), r, r);
}

static void add_page(cJSON *nav, const char *file, struct str href, struct str title,
                     const char *missing, bool under)
{
    if (missing)
        json_row(nav, M("title", title), json_bool("under", under),
                 M("reason", str_of(missing)));
    else
        json_row(nav, M("title", title), json_bool("under", under), M("href", href),
                 json_bool("current", str_eq(href, str_of(file))));
}

static bool has_points(const struct report *r)
{
    for (int i = 0; i < r->n_ops; i++)
        if (r->ops[i].group->flop_per_byte > 0.0 && r->ops[i].group->tflop_per_s > 0.0)
            return true;
    return false;
}

/* In the order of site.md 6.14; a page without data says why. Without device work, all
 * of that is on the first page. */
static void add_nav(cJSON *context, const struct report *r, const char *file)
{
    static const char no_host[] = "no host operations in this trace";
    static const char no_device[] = "no device work in this trace";
    cJSON *nav = json_put_array(context, "nav");
    add_page(nav, file, S("index.html"), S("Summary"), NULL, false);
    if (!r->meta.has_gpu) {
        add_page(nav, file, S("checks.html"), S("Checks"), NULL, false);
        add_page(nav, file, S("about.html"), S("About"), NULL, false);
        return;
    }
    add_page(nav, file, S("recommendations.html"), S("Recommendations"), NULL, false);
    for (int k = 0; k < r->n_categories; k++)
        add_page(nav, file, r->categories[k].page, r->categories[k].label, NULL, true);
    add_page(nav, file, S("system.html"), S("System"), NULL, false);
    add_page(nav, file, S("operations.html"), S("Operations"),
             r->n_ops             ? NULL
             : r->meta.has_cpu_op ? "no operation launched device work"
                                  : no_host,
             false);
    add_page(nav, file, S("kernels.html"), S("Kernels"),
             r->n_kernels ? NULL : no_device, false);
    add_page(nav, file, S("timeline.html"), S("Timeline"),
             r->over_time && r->over_time->n_bins ? NULL : no_device, false);
    if (more_on_page(r, "layers.html"))
        add_page(nav, file, S("layers.html"), S("Layers"), NULL, false);
    if (more_on_page(r, "counters.html"))
        add_page(nav, file, S("counters.html"), S("Counters"), NULL, false);
    add_page(nav, file, S("tree.html"), S("Call tree"),
             r->tree && r->tree->n_views ? NULL : no_device, false);
    add_page(nav, file, S("roofline.html"), S("Roofline"),
             has_points(r) ? NULL : "no operation with a performance model", false);
    add_page(nav, file, S("replay.html"), S("Replay"),
             r->n_kits || r->n_refused ? NULL : "no finding calls for a replay package",
             false);
    add_page(nav, file, S("checks.html"), S("Checks"), NULL, false);
    add_page(nav, file, S("about.html"), S("About"), NULL, false);
}

struct json_member ctx_category(const char *key, const struct report *r,
                                struct str category, struct str label)
{
    struct str page = S("");
    for (int k = 0; k < r->n_categories; k++)
        if (str_eq(r->categories[k].id, category))
            page = r->categories[k].page;
    return page_category(key, category, label, page);
}

void ctx_chart(cJSON *object, const char *key, const struct site *s,
               enum chart_subject subject, int of, struct arena tmp)
{
    chart_figure(object, key, chart_find(s->charts, subject, of), s->o->png, s->theme,
                 tmp);
}

bool ctx_has_rows(const struct site *s, struct str table)
{
    for (ptrdiff_t i = 0; i < s->r->n_tables; i++)
        if (str_eq(s->r->tables[i].name, table))
            return s->r->tables[i].n_rows > 0;
    return false;
}

void ctx_gpu_strips(cJSON *object, const struct site *s, int most, struct arena tmp)
{
    const struct report_gpus *g = &s->r->gpus;
    cJSON *list = json_put_array(object, "gpu_strips");
    for (int k = 0; k < g->n && g->decides >= 0; k++)
        if (g->n <= most || k == g->decides)
            ctx_chart(json_push(list, json_new()), "strip", s, CHART_STRIP, k, tmp);
}

double ctx_bytes(const struct site *s, struct arena tmp, struct str file)
{
    int64_t bytes = s->folder ? publish_bytes(s->folder, tmp, file) : -1;
    return bytes < 0 ? (double)NAN : (double)bytes;
}

/* Where the wall time goes, as a PNG; empty: none is written. */
static struct str picture_of(const struct site *s)
{
    const struct chart_file *c = chart_find(s->charts, CHART_WALL_TIME, -1);
    return c && s->o->png && s->folder ? c->png : S("");
}

cJSON *ctx_page(const struct site *s, const char *file)
{
    cJSON *c = cJSON_CreateObject();
    json_put(context_lend(json_put_object(c, "report"), shown_meta_fields(),
                          &s->r->meta, s->r),
             M("base_url", s->o->base_url));
    const struct source_abilities *how = abilities_of(s->r->meta.how);
    json_put(json_put_object(c, "how"), F(how, shapes), F(how, stacks), F(how, host),
             F(how, activities), F(how, device), F(how, both), F(how, steps),
             json_bool("torch", how->is_torch));
    json_put(json_put_object(c, "assets"), F(s, css), F(s, js), F(s, search),
             F(s, icon), F(s, logo), F(s->theme, logo_text), F(s, op_rows),
             F(s, kernel_rows), M("picture", picture_of(s)));
    json_put(json_put_object(c, "house"), M("header", s->theme->header_text),
             M("footer", s->theme->footer_text));
    json_row(json_put_array(c, "foot_files"), M("href", S("index.html#downloads")),
             M("name", S("Downloads")), json_null("bytes"));
    add_nav(c, s->r, file);
    return c;
}

static bool write_file(struct site *s, const char *file, const char *template_name,
                       cJSON *context, struct arena tmp, struct err *e)
{
    struct out o;
    const char *path = publish_path(s->folder, &tmp, file, e);
    bool done = path && out_open(&o, path, e);
    if (done) {
        done = page_render(&o, &s->templates, template_name, context, e);
        struct err closing = {0};
        bool closed = out_close(&o, done ? e : &closing);
        done &= closed;
    }
    return done;
}

enum { PAGE_NAMES_BYTES = 1 << 17, NAME_LEAST = 256, ESCAPED_BYTES = 6 };

static bool is_escaped(char c)
{
    return c == '&' || c == '<' || c == '>' || c == '"' || c == '\'';
}

enum names_use { NAMES_BOUND, NAMES_COUNT, NAMES_CUT };

static ptrdiff_t name_bytes(cJSON *v, ptrdiff_t most, enum names_use use)
{
    struct str name = str_of(v->valuestring), head = str_head(name, most);
    ptrdiff_t n = ESCAPED_BYTES * head.n;
    for (ptrdiff_t i = 0; use == NAMES_COUNT && i < head.n; i++)
        n -= is_escaped(head.p[i]) ? 0 : ESCAPED_BYTES - 1;
    if (use == NAMES_CUT && name.n > most)
        memcpy(v->valuestring + utf8_head(name, most - 3).n, "…", sizeof "…");
    return n;
}

/* The bytes of names in the page, each cut to `most`: at most, exactly, or cut. */
static ptrdiff_t names_bytes(cJSON *tree, ptrdiff_t most, enum names_use use)
{
    ptrdiff_t n = 0;
    for (cJSON *c = tree->child; c; c = c->next)
        if (context_is_name(c))
            n += name_bytes(c, most, use);
        else if (c->child)
            n += names_bytes(c, most, use);
    return n;
}

/* Many long names in one page are cut; the CSV files have them in full. */
static void fit_names(cJSON *context)
{
    ptrdiff_t most = HTML_NAME_BYTES_MAX;
    if (names_bytes(context, most, NAMES_BOUND) <= PAGE_NAMES_BYTES)
        return;
    while (most > NAME_LEAST &&
           names_bytes(context, most, NAMES_COUNT) > PAGE_NAMES_BYTES)
        most /= 2;
    if (most < HTML_NAME_BYTES_MAX)
        (void)names_bytes(context, most, NAMES_CUT);
}

static bool write_fitted(struct site *s, const char *file, const char *template_name,
                         cJSON *context, struct arena tmp, struct err *e)
{
    bool done = !s->folder || write_file(s, file, template_name, context, tmp, e);
    cJSON_Delete(context);
    return done;
}

bool ctx_write_folder(struct site *s, const char *file, const char *template_name,
                      cJSON *context, struct arena tmp, struct err *e)
{
    fit_names(context);
    return write_fitted(s, file, template_name, context, tmp, e);
}

bool ctx_write(struct site *s, const char *file, const char *template_name,
               cJSON *context, struct arena tmp, struct err *e)
{
    struct single_file *single = s->o->single;
    fit_names(context);
    if (!single ||
        single_add(single, &s->templates, str_of(file), template_name, context, e))
        return write_fitted(s, file, template_name, context, tmp, e);
    cJSON_Delete(context);
    return false;
}

void ctx_pager(cJSON *context, const char *stem, int part, int listed, int unlisted,
               double left_pct, struct arena tmp)
{
    int parts = (listed + SITE_TABLE_ROWS - 1) / SITE_TABLE_ROWS;
    int first = (part - 1) * SITE_TABLE_ROWS + 1;
    int last = part * SITE_TABLE_ROWS < listed ? part * SITE_TABLE_ROWS : listed;
    json_put(context, json_bool("whole", parts <= 1));
    if (parts <= 1)
        return;
    cJSON *pager = json_put_object(context, "pager");
    if (part > 1)
        json_put(pager, M("previous", site_part_name(&tmp, stem, part - 1)));
    if (part < parts)
        json_put(pager, M("next", site_part_name(&tmp, stem, part + 1)));
    json_put(pager, context_some("unlisted", part == parts ? unlisted : 0),
             M("first", first), M("last", last), M("behind", last + 1),
             M("n", listed + unlisted), M("left_pct", left_pct));
}
