#include "render/site_context.h"

#include "base/arena.h"
#include "render/publish.h"
#include "render/single_file.h"
#include "render/theme.h"
#include "report/report_numbers.h"
#include "report/report_timeline_data.h"
#include "report/report_tree.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void ctx_text(cJSON *object, const char *key, struct str text)
{
    template_text(object, key, text);
}

void ctx_format(cJSON *object, const char *key, const char *fmt, ...)
{
    char text[1024];
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    ptrdiff_t kept = n < 0 ? 0 : n < (int)sizeof text ? n : (int)sizeof text - 1;
    template_text(object, key, (struct str){text, kept});
}

void ctx_bool(cJSON *object, const char *key, bool value)
{
    cJSON_AddBoolToObject(object, key, value);
}

void ctx_sort_key(cJSON *object, const char *key, double v)
{
    enum { PLACES = 1000000 }; /* ns in a column of ms; more digits sort nothing */
    char text[32];
    if (fabs(v) < 1e9)
        v = round(v * PLACES) / PLACES;
    ctx_text(object, key, (struct str){text, isnan(v) ? 0 : real_text(text, v)});
}

void ctx_fixed(cJSON *object, const char *key, double v, int decimals)
{
    char text[64];
    if (isnan(v))
        ctx_text(object, key, S("—"));
    else
        ctx_text(object, key, (struct str){text, fixed_text(text, v, decimals)});
}

void ctx_ms(cJSON *object, const char *key, double ms, struct arena tmp)
{
    ctx_text(object, key, isnan(ms) ? S("—") : number_ms(&tmp, ms));
}

void ctx_pct(cJSON *object, const char *key, double pct, struct arena tmp)
{
    ctx_text(object, key, isnan(pct) ? S("—") : number_pct(&tmp, pct));
}

struct str bound_word(int bound)
{
    return bound == REPORT_BOUND_COMPUTE  ? S("compute")
           : bound == REPORT_BOUND_MEMORY ? S("memory")
                                          : S("");
}

/* ---- the pages ---- */

static void add_page(cJSON *nav, const char *file, struct str href, struct str title,
                     const char *missing, bool under)
{
    cJSON *item = cJSON_CreateObject();
    ctx_text(item, "title", title);
    ctx_bool(item, "under", under);
    if (missing) {
        ctx_text(item, "reason", str_of(missing));
    } else {
        ctx_text(item, "href", href);
        ctx_bool(item, "current", str_eq(href, str_of(file)));
    }
    cJSON_AddItemToArray(nav, item);
}

static bool has_points(const struct report *r)
{
    for (int i = 0; i < r->n_ops; i++)
        if (r->ops[i].flop_per_byte > 0.0 && r->ops[i].tflop_per_s > 0.0)
            return true;
    return false;
}

/* In the order of site.md 6.14; a page without data says why. */
static void add_nav(cJSON *context, const struct report *r, const char *file)
{
    static const char no_host[] = "no host operations in this trace";
    static const char no_device[] = "no device work in this trace";
    cJSON *nav = cJSON_AddArrayToObject(context, "nav");
    add_page(nav, file, S("index.html"), S("Summary"), NULL, false);
    add_page(nav, file, S("recommendations.html"), S("Recommendations"), NULL, false);
    for (int k = 0; k < r->n_categories; k++)
        add_page(nav, file, r->categories[k].page, r->categories[k].label, NULL, true);
    add_page(nav, file, S("system.html"), S("System"), NULL, false);
    add_page(nav, file, S("operations.html"), S("Operations"),
             r->n_ops ? NULL : no_host, false);
    add_page(nav, file, S("kernels.html"), S("Kernels"),
             r->n_kernels ? NULL : no_device, false);
    add_page(nav, file, S("timeline.html"), S("Timeline"),
             r->over_time && r->over_time->n_bins ? NULL : no_device, false);
    add_page(nav, file, S("tree.html"), S("Call tree"),
             r->tree && r->tree->n_views ? NULL : no_device, false);
    add_page(nav, file, S("roofline.html"), S("Roofline"),
             has_points(r) ? NULL : "no operation with a performance model", false);
    add_page(nav, file, S("replay.html"), S("Replay"),
             r->n_kits || r->n_refused ? NULL : "no finding calls for a package",
             false);
    add_page(nav, file, S("checks.html"), S("Checks"), NULL, false);
    add_page(nav, file, S("about.html"), S("About"), NULL, false);
}

void ctx_category(cJSON *object, const char *key, const struct report *r,
                  struct str category, struct str label)
{
    page_category(object, key, category, label);
    cJSON *mark = cJSON_GetObjectItemCaseSensitive(object, key);
    struct str page = S("");
    for (int k = 0; k < r->n_categories; k++)
        if (str_eq(r->categories[k].id, category))
            page = r->categories[k].page;
    ctx_text(mark, "cat_href", page);
}

void ctx_chart(cJSON *object, const char *key, const struct site *s,
               enum chart_subject subject, int of, struct arena tmp)
{
    chart_figure(object, key, chart_find(s->charts, subject, of), s->o->png, s->theme,
                 tmp);
}

void ctx_toc(cJSON *context, const char *href, const char *title)
{
    enum { SHOWN_FROM = 4 };
    cJSON *toc = cJSON_GetObjectItemCaseSensitive(context, "toc");
    if (!toc)
        toc = cJSON_AddArrayToObject(context, "toc");
    cJSON *item = cJSON_CreateObject();
    ctx_text(item, "href", str_of(href));
    ctx_text(item, "title", str_of(title));
    cJSON_AddItemToArray(toc, item);
    if (cJSON_GetArraySize(toc) == SHOWN_FROM)
        ctx_bool(context, "toc_list", true);
}

void ctx_card(cJSON *cards, const char *label, struct str value, const char *unit,
              struct str about)
{
    cJSON *card = cJSON_CreateObject();
    ctx_text(card, "label", str_of(label));
    if (unit) {
        ctx_text(card, "value", value);
        ctx_text(card, "unit", str_of(unit));
        ctx_text(card, "context", about);
    } else {
        ctx_text(card, "missing", value);
    }
    cJSON_AddItemToArray(cards, card);
}

bool site_offers(const struct site *s, const char *href)
{
    for (int k = 0; k < s->o->n_downloads; k++)
        if (str_eq(s->o->downloads[k].href, str_of(href)))
            return true;
    return false;
}

cJSON *ctx_page(const struct site *s, const char *file, struct str title,
                const char *question, struct arena tmp)
{
    const struct report_meta *m = &s->r->meta;
    cJSON *c = cJSON_CreateObject();
    cJSON *page = cJSON_AddObjectToObject(c, "page");
    ctx_text(page, "title", title);
    ctx_text(page, "question", str_of(question));
    cJSON *report = cJSON_AddObjectToObject(c, "report");
    ctx_text(report, "title", S("GPU trace report"));
    ctx_text(report, "run_label", m->run_label);
    ctx_text(report, "id", m->report_id);
    ctx_text(report, "tool_version", m->tool_version);
    ctx_text(report, "captured", m->captured);
    ctx_text(report, "input_digest", m->input_digest);
    ctx_text(report, "share_level", S("internal"));
    cJSON *assets = cJSON_AddObjectToObject(c, "assets");
    ctx_text(assets, "css", s->css);
    ctx_text(assets, "js", s->js);
    ctx_text(assets, "search", s->search);
    ctx_text(assets, "logo", s->logo);
    ctx_text(assets, "logo_text", s->theme->logo_text);
    cJSON *house = cJSON_AddObjectToObject(c, "house");
    ctx_text(house, "header", s->theme->header_text);
    ctx_text(house, "footer", s->theme->footer_text);
    ctx_text(assets, "op_rows", s->op_rows);
    ctx_text(assets, "kernel_rows", s->kernel_rows);
    cJSON *files = cJSON_AddArrayToObject(c, "foot_files");
    static const char *const data[] = {"report.json", "standalone_analysis.md"};
    for (size_t k = 0; k < sizeof data / sizeof *data; k++)
        if (site_offers(s, data[k]))
            cJSON_AddItemToArray(files, cJSON_CreateString(data[k]));
    add_nav(c, s->r, file);
    (void)tmp;
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

bool ctx_write_folder(struct site *s, const char *file, const char *template_name,
                      cJSON *context, struct arena tmp, struct err *e)
{
    bool done = !s->folder || write_file(s, file, template_name, context, tmp, e);
    cJSON_Delete(context);
    return done;
}

bool ctx_write(struct site *s, const char *file, const char *template_name,
               cJSON *context, struct arena tmp, struct err *e)
{
    struct single_file *single = s->o->single;
    if (!single ||
        single_add(single, &s->templates, str_of(file), template_name, context, e))
        return ctx_write_folder(s, file, template_name, context, tmp, e);
    cJSON_Delete(context);
    return false;
}

struct str site_part_name(struct arena *a, const char *stem, int part)
{
    return part == 1 ? str_printf(a, "%s.html", stem)
                     : str_printf(a, "%s-%d.html", stem, part);
}

void ctx_pager(cJSON *context, const char *stem, int part, int n_rows, double left_pct,
               const char *whole, struct arena tmp)
{
    int parts = (n_rows + SITE_TABLE_ROWS - 1) / SITE_TABLE_ROWS;
    int first = (part - 1) * SITE_TABLE_ROWS + 1;
    int last = part * SITE_TABLE_ROWS < n_rows ? part * SITE_TABLE_ROWS : n_rows;
    ctx_bool(context, "whole", parts <= 1);
    if (parts <= 1)
        return;
    cJSON *pager = cJSON_AddObjectToObject(context, "pager");
    if (part > 1)
        ctx_text(pager, "previous", site_part_name(&tmp, stem, part - 1));
    if (part < parts)
        ctx_text(pager, "next", site_part_name(&tmp, stem, part + 1));
    ctx_format(pager, "text", "rows %d to %d of %d", first, last, n_rows);
    if (part < parts)
        ctx_format(context, "fold", "rows %d to %d on the next pages, %.*s %% of %s",
                   last + 1, n_rows, STRF(number_pct(&tmp, left_pct)), whole);
}
