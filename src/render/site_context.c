#include "render/site_context.h"

#include "base/arena.h"
#include "render/publish.h"
#include "report/report_numbers.h"

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
    char text[32];
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

/* The pages in the order of site.md 6.14; a page without data says why. */
static void add_nav(cJSON *context, const struct report *r, const char *file)
{
    const struct {
        const char *file, *title, *missing;
    } pages[] = {
        {"index.html", "Summary", NULL},
        {"operations.html", "Operations", NULL},
        {"kernels.html", "Kernels",
         r->n_kernels ? NULL : "no device work in this trace"},
    };
    cJSON *nav = cJSON_AddArrayToObject(context, "nav");
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
        cJSON *item = cJSON_CreateObject();
        ctx_text(item, "title", str_of(pages[i].title));
        if (pages[i].missing) {
            ctx_text(item, "reason", str_of(pages[i].missing));
        } else {
            ctx_text(item, "href", str_of(pages[i].file));
            ctx_bool(item, "current", strcmp(pages[i].file, file) == 0);
        }
        cJSON_AddItemToArray(nav, item);
    }
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
    add_nav(c, s->r, file);
    (void)tmp;
    return c;
}

bool ctx_write(struct site *s, const char *file, const char *template_name,
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
    cJSON_Delete(context);
    return done;
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
