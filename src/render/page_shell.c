#include "render/page_shell.h"

#include "base/arena.h"
#include "render/chart_twin.h"
#include "render/html_text.h"
#include "render/svg_chart.h"
#include "render/template.h"
#include "render/theme.h"
#include "report/report.h"

#include <cjson/cJSON.h>
#include <math.h>

bool page_body(struct out *o, struct template_set *set, const char *template_name,
               const struct cJSON *context, struct err *e)
{
    return template_render(o, set, str_of(template_name), context, e);
}

bool page_render(struct out *o, struct template_set *set, const char *template_name,
                 struct cJSON *context, struct err *e)
{
    struct out body;
    out_memory(&body);
    bool ok = page_body(&body, set, template_name, context, e);
    if (ok) {
        cJSON_DeleteItemFromObject(context, "main_html");
        template_markup(context, "main_html", out_view(&body));
    }
    out_free(&body);
    return ok && template_render(o, set, S("page.html"), context, e);
}

struct cJSON *page_figure(struct cJSON *object, const char *key,
                          const struct report_figure *f, const struct theme *t,
                          struct arena tmp)
{
    cJSON *c = cJSON_AddObjectToObject(object, key);
    template_text(c, "figure_id", f->id);
    template_text(c, "caption", f->caption);
    template_text(c, "empty", f->empty);
    cJSON_AddBoolToObject(c, "half", f->half);
    cJSON_AddBoolToObject(c, "has_files", 0);
    cJSON_AddArrayToObject(c, "files");
    if (f->empty.n == 0) {
        struct out svg;
        out_memory(&svg);
        chart_svg_page(&svg, f, t);
        template_markup(c, "svg_html", out_view(&svg));
        out_free(&svg);
        chart_twin(c, "twin", f, tmp);
    }
    return c;
}

struct str category_slug(const struct report_category *c)
{
    struct str s = str_skip(c->page, S("category-").n);
    return str_head(s, s.n - S(".html").n);
}

void page_category(struct cJSON *object, const char *key, struct str category,
                   struct str label)
{
    cJSON *c = cJSON_AddObjectToObject(object, key);
    enum figure_slot slot = figure_slot_of(category);
    template_text(c, "slot", figure_slot_name(slot));
    template_text(c, "letter", figure_category_letter(category, label));
    template_text(c, "label", label);
}

void page_severity(struct cJSON *object, const char *key, struct str level)
{
    static const struct {
        const char *level, *mark, *word;
    } known[] = {{"critical", "■", "critical"},
                 {"high", "▲", "high"},
                 {"medium", "◆", "medium"},
                 {"low", "●", "low"},
                 {"failed", "✕", "failed"},
                 {"warning", "⚠", "warning"},
                 {"note", "ℹ", "note"},
                 {"passed", "✓", "passed"},
                 {"not-evaluated", "–", "not evaluated"}};
    int n = (int)(sizeof known / sizeof *known), i = 0;
    while (i < n - 1 && !str_eq(level, str_of(known[i].level)))
        i++;
    cJSON *c = cJSON_AddObjectToObject(object, key);
    cJSON_AddStringToObject(c, "level", known[i].level);
    cJSON_AddStringToObject(c, "mark", known[i].mark);
    cJSON_AddStringToObject(c, "word", known[i].word);
}

void page_name(struct cJSON *object, const char *key, struct str name, int max_chars,
               struct arena tmp)
{
    struct out o;
    out_memory(&o);
    if (max_chars > 0)
        html_name_folded(&o, tmp, name, max_chars);
    else
        html_name(&o, name);
    template_markup(object, key, out_view(&o));
    out_free(&o);
}

void page_bar(struct cJSON *object, const char *key, double frac, enum figure_slot slot,
              const struct theme *t)
{
    double width = 96.0 * fmin(1.0, fmax(0.0, isfinite(frac) ? frac : 0.0));
    struct out o;
    out_memory(&o);
    out_lit(&o, "<svg width=\"96\" height=\"8\" aria-hidden=\"true\"><rect width=\"");
    out_fixed(&o, width, 1);
    out_printf(&o, "\" height=\"8\" class=\"s-%.*s\" fill=\"#%06x\"/></svg>",
               STRF(figure_slot_name(slot)), (unsigned)t->slot[THEME_LIGHT][slot]);
    template_markup(object, key, out_view(&o));
    out_free(&o);
}
