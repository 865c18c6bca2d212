#include "render/page/page_shell.h"

#include "base/arena.h"
#include "render/chart/chart_twin.h"
#include "render/chart/svg_chart.h"
#include "render/text/context.h"
#include "render/text/template.h"
#include "render/text/theme.h"
#include "report/report.h"

#include <cjson/cJSON.h>
#include <math.h>

bool page_body(struct out *o, struct template_set *set, const char *template_name,
               const struct cJSON *context, struct err *e)
{
    return template_render_block(o, set, str_of(template_name), S("main"), context, e);
}

bool page_render(struct out *o, struct template_set *set, const char *template_name,
                 const struct cJSON *context, struct err *e)
{
    return template_render(o, set, str_of(template_name), context, e);
}

struct cJSON *page_figure(struct cJSON *object, const char *key,
                          const struct report_figure *f, const struct theme *t,
                          struct arena tmp)
{
    cJSON *c = json_put_object(object, key);
    json_put(c, M("figure_id", f->id), F(f, caption), F(f, empty), F(f, half),
             json_bool("has_files", false));
    json_put_array(c, "files");
    if (f->empty.n == 0) {
        struct out svg;
        out_memory(&svg);
        chart_svg_page(&svg, f, t);
        json_put(c, context_taken("svg_html", &svg));
        chart_twin(c, "twin", f, tmp);
    }
    return c;
}

struct str category_slug(const struct report_category *c)
{
    struct str s = str_skip(c->page, S("category-").n);
    return str_head(s, s.n - S(".html").n);
}

struct json_member page_category(const char *key, struct str category, struct str label,
                                 struct str page)
{
    enum figure_slot slot = figure_slot_of(category);
    return J(key, json_object(M("slot", figure_slot_name(slot)),
                              M("letter", figure_category_letter(category, label)),
                              M("label", label), M("cat_href", page)));
}

struct json_member page_severity(const char *key, struct str level)
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
    return J(key, json_object(J("level", known[i].level), J("mark", known[i].mark),
                              J("word", known[i].word)));
}

struct json_member page_bar(const char *key, double frac, enum figure_slot slot,
                            const struct theme *t)
{
    double width = 96.0 * fmin(1.0, fmax(0.0, isfinite(frac) ? frac : 0.0));
    struct out o;
    out_memory(&o);
    out_lit(&o, "<svg width=\"96\" height=\"8\" aria-hidden=\"true\"><rect width=\"");
    out_fixed(&o, width, 1);
    out_printf(&o, "\" height=\"8\" class=\"s-%.*s\" fill=\"#%06x\"/></svg>",
               STRF(figure_slot_name(slot)), (unsigned)t->slot[THEME_LIGHT][slot]);
    return context_taken(key, &o);
}
