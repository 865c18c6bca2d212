/* index.html: the executive summary. */
#include "render/page/finding_context.h"
#include "render/text/host_context.h"

#include "analysis/model/number_text.h"
#include "compare/gate.h"
#include "render/text/prose.h"
#include "render/text/sentence.h"
#include "report/finding_shown.h"
#include "report/page_shown.h"

#include <math.h>

enum { FIRST_FINDINGS = 5, TOP_ROWS = 10, FIRST_WARNINGS = 3, STRIPS_MOST = 2 };

/* A finding of low priority is on the first screen from this share of the window.
 */
#define WORTH_PCT 0.3

/* Order is by saving, so a low priority alone keeps no finding that is worth the work
 * from the five that the lead adds up. The one that leads is told above them. */
static bool first_screen(const struct finding *f)
{
    const struct impact_range *x = &f->impact;
    return !f->informational &&
           (f->priority > PRIORITY_LOW || (x->low_pct + x->high_pct) / 2 >= WORTH_PCT);
}

/* The line above that asks for the same recording: one action has one line, with what
 * each finding saw. NULL: none. */
static cJSON *line_of_action(cJSON *const *lines,
                             const struct report_finding *const *of, int n,
                             const struct finding *f)
{
    for (int k = 0; k < n; k++)
        if (f->recording && lines[k] && of[k]->of->recording &&
            titles_ask_the_same(f->title, of[k]->of->title))
            return lines[k];
    return NULL;
}

static cJSON *also_of(cJSON *line)
{
    cJSON *list = cJSON_GetObjectItem(line, "also");
    return list ? list : json_put_array(line, "also");
}

static void add_findings(cJSON *c, const struct report *r)
{
    cJSON *list = json_put_array(c, "findings"), *lines[FIRST_FINDINGS] = {0}, *line;
    const struct report_finding *of[FIRST_FINDINGS];
    int shown = 0, told = 0;
    for (int i = 0; i < r->n_findings; i++) {
        const struct report_finding *f = &r->findings[i];
        told += !f->of->informational;
        if (!first_screen(f->of) || shown == FIRST_FINDINGS)
            continue;
        if ((line = line_of_action(lines, of, shown, f->of))) {
            finding_line(also_of(line), r, f);
            continue;
        }
        if (f != r->leads)
            lines[shown] = finding_line(list, r, f);
        of[shown++] = f;
    }
    json_put(c, json_bool("headed", !r->leads || shown > 1),
             json_bool("shown", shown > 0), json_bool("several", shown > 1),
             json_bool("next", shown > (r->leads != NULL)),
             context_some("more", told > shown && told > 1 ? told : 0),
             json_bool("slight", told && !shown));
}

static double permille(const struct report *r, double after_ms)
{
    return fmin(1000, fmax(0, round(1000.0 * after_ms / r->timeline.total_ms)));
}

/* One bar: a part of a thousand of the run as it was recorded; the same as the one
 * before where a finding adds nothing to those above that three digits show. */
static void add_stage(cJSON *list, const struct report *r, double after_ms,
                      double before_ms, const struct report_finding *f,
                      struct arena tmp)
{
    double total_ms = r->timeline.total_ms;
    struct str after = number_beside(&tmp, after_ms, total_ms);
    json_put(
        context_push(list), M("after", after), J("permille", permille(r, after_ms)),
        json_bool("same", f && str_eq(after, number_beside(&tmp, before_ms, total_ms))),
        M("rank", f ? f->rank : S("")), M("finding_id", f ? f->anchor : S("")),
        M("title", f ? f->of->title : S("")));
}

/* The same of a step, where several are marked. */
static void add_step(cJSON *hero, const struct report *r, struct arena tmp)
{
    const struct report_steps *t = &r->steps;
    if (!isnan(t->after_first_ms))
        json_put(hero, M("step_now", number_beside(&tmp, t->median_ms, t->median_ms)),
                 M("step_after", number_beside(&tmp, t->after_first_ms, t->median_ms)));
}

/* "1000 35.2 ms;856 30.1 ms;...": the run with any of the stages, for the script. */
static void add_sets(cJSON *hero, const struct report *r, struct arena tmp)
{
    struct out o;
    if (!r->n_sets)
        return;
    out_memory(&o);
    for (int k = 0; k < r->n_sets; k++) {
        struct arena once = tmp;
        struct str ms = sentence_whole(
            &once, number_beside(&once, r->sets_ms[k], r->timeline.total_ms));
        out_printf(&o, "%s%.0f %.*s", k ? ";" : "", permille(r, r->sets_ms[k]),
                   STRF(ms));
    }
    json_put(hero, M("sets", str_copy(&tmp, out_view(&o))));
    out_free(&o);
}

/* What to do first, and how long the run takes after it and each of the next. */
static void add_hero(cJSON *c, const struct site *s, struct arena tmp)
{
    const struct report *r = s->r;
    const struct report_finding *f = r->leads;
    if (!f)
        return;
    double total_ms = r->timeline.total_ms;
    cJSON *hero = json_put_object(c, "hero");
    cJSON *of = finding_facts(json_put_object(hero, "of"), r, f);
    finding_seen(of, s, f, tmp);
    json_put(hero, M("action", r->leads_title),
             M("now", number_beside(&tmp, total_ms, total_ms)),
             M("after", number_beside(&tmp, r->after_first_ms, total_ms)));
    add_step(hero, r, tmp);
    if (!r->n_stages || r->stages[0].of != f)
        return;
    json_put(hero, json_bool("has_stages", true));
    cJSON *list = json_put_array(hero, "stages");
    add_stage(list, r, total_ms, total_ms, NULL, tmp);
    for (int k = 0; k < r->n_stages; k++)
        add_stage(list, r, r->stages[k].after_ms,
                  k ? r->stages[k - 1].after_ms : total_ms, r->stages[k].of, tmp);
    add_sets(hero, r, tmp);
}

static void add_top(cJSON *c, const struct site *s, struct arena tmp)
{
    const struct report *r = s->r;
    if (!r->n_ops)
        return;
    cJSON *top = json_put_object(c, "top");
    cJSON *rows = json_put_array(top, "rows");
    double rest_ms = 0, rest_pct = 0;
    for (int i = 0; i < r->n_ops; i++) {
        const struct report_op *op = &r->ops[i];
        if (i >= TOP_ROWS) {
            rest_ms += op->row->time_ms;
            rest_pct += op->share_pct;
            continue;
        }
        enum figure_slot slot = figure_slot_of(work_category_name(op->row->category));
        json_put(op_row(rows, r, i, tmp),
                 page_bar("bar_html", op->share_pct / 100.0, slot, s->theme));
    }
    json_put(top, context_some("left", r->n_ops - TOP_ROWS), M("rest_ms", rest_ms),
             M("rest_pct", rest_pct));
}

/* The conditions of a build. One that only warns has tripped without failing it. */
static void add_gates(cJSON *c, const struct gate_results *all)
{
    int failed = 0, judged = 0;
    if (!all || !all->n)
        return;
    cJSON *gates = json_put_object(c, "gates");
    cJSON *list = json_put_array(gates, "list");
    for (int i = 0; i < all->n; i++) {
        const struct gate_result *g = &all->at[i];
        bool fails = g->status == GATE_FAILED, warns = g->of->warns;
        judged += !warns;
        failed += fails && !warns;
        json_row(list,
                 page_severity("severity", fails && warns ? S("warning")
                                           : fails        ? S("failed")
                                           : g->status == GATE_PASSED
                                               ? S("passed")
                                               : S("not-evaluated")),
                 M("gate", g->of->text), F(g, says));
    }
    json_put(gates, J("failed", failed), J("judged", judged));
}

static void add_trust(cJSON *c, const struct report *r)
{
    ctx_checks(c, r);
    cJSON *list = json_put_array(c, "warnings");
    for (int i = 0, shown = 0; i < r->n_checks && shown < FIRST_WARNINGS; i++) {
        const struct report_check *k = &r->checks[i];
        if (k->result != CHECK_WARNING && k->result != CHECK_FAILED)
            continue;
        json_put(context_lend(context_push(list), shown_check_fields(), k, r),
                 page_severity("severity", check_result_word(k->result)));
        shown++;
    }
}

/* What is written beside the pages. */
static void add_offers(cJSON *c, const struct site *s, struct arena tmp)
{
    const struct site_options *o = s->o;
    bool has_ops = ctx_has_rows(s, S("unified_perf_summary"));
    const struct {
        const char *key, *file;
        bool there;
    } offers[] = {
        {"fair", "standalone_analysis_fair.md", o->md},
        {"standalone", "standalone_analysis.md", o->md},
        {"rough", "standalone_analysis_rough.md", o->md},
        {"workbook", "perf_report.xlsx", o->xlsx},
        {"operations", "perf_report_csvs/unified_perf_summary.csv", o->csv && has_ops},
        {"kernels", "perf_report_csvs/kernel_summary.csv", o->csv && s->r->n_kernels},
        {"json", "report.json", o->json},
        {"capture", "capture.json.gz", true}};
    cJSON *list = json_put_object(c, "offers");
    for (size_t k = 0; k < sizeof offers / sizeof *offers; k++)
        if (offers[k].there)
            json_put(json_put_object(list, offers[k].key), J("file", offers[k].file),
                     M("bytes", ctx_bytes(s, tmp, str_of(offers[k].file))));
}

/* Safe markup of what the user wrote. */
static void add_notes(cJSON *c, struct str notes)
{
    struct out o;
    if (!str_trim(notes).n)
        return;
    out_memory(&o);
    prose_html(&o, notes, 2);
    json_put(c, context_taken("notes_html", &o));
}

bool site_index(struct site *s, struct arena tmp, struct err *e)
{
    const struct report *r = s->r;
    cJSON *c = ctx_page(s, "index.html");
    context_lend(c, shown_front_fields(), r, r);
    timeline_context(c, r);
    host_context(c, r);
    add_notes(c, s->o->notes);
    add_gates(c, s->o->gates);
    add_findings(c, r);
    add_hero(c, s, tmp);
    ctx_gpu_strips(c, s, STRIPS_MOST, tmp);
    if (r->gpus.decides < 0 || !r->gpus.n)
        ctx_chart(c, "strip", s, CHART_STRIP, -1, tmp);
    ctx_chart(c, "wall_time", s, CHART_WALL_TIME, -1, tmp);
    ctx_chart(c, "categories", s, CHART_CATEGORIES, -1, tmp);
    add_top(c, s, tmp);
    add_trust(c, r);
    add_offers(c, s, tmp);
    return ctx_write(s, "index.html", "index.html", c, tmp, e);
}
