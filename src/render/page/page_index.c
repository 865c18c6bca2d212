/* index.html: the executive summary. */
#include "render/page/finding_context.h"

#include "analysis/model/number_text.h"
#include "compare/gate.h"
#include "render/text/prose.h"

#include <math.h>

enum { FIRST_FINDINGS = 5, TOP_ROWS = 10, FIRST_WARNINGS = 3 };

/* A finding of low priority is on the first screen from this share of the window.
 */
#define WORTH_PCT 0.3

/* Order is by saving, so a low priority alone keeps no finding that is worth the work
 * from the five that the lead adds up. */
static bool first_screen(const struct finding *f)
{
    const struct impact_range *x = &f->impact;
    return !f->informational &&
           (f->priority > PRIORITY_LOW || (x->low_pct + x->high_pct) / 2 >= WORTH_PCT);
}

static void add_findings(cJSON *c, const struct report *r)
{
    cJSON *list = json_put_array(c, "findings");
    int shown = 0, told = 0;
    for (int i = 0; i < r->n_findings; i++) {
        const struct report_finding *f = &r->findings[i];
        told += !f->of->informational;
        if (!first_screen(f->of) || shown == FIRST_FINDINGS)
            continue;
        finding_line(list, r, f);
        shown++;
    }
    json_put(c, json_bool("shown", shown > 0), json_bool("several", shown > 1),
             context_some("more", told > shown && told > 1 ? told : 0),
             json_bool("slight", told && !shown));
}

/* How long the run takes, and would with the first findings mended; parts of a thousand
 * are for bars. */
static void add_mended(cJSON *c, const struct report *r, struct arena tmp)
{
    double now = r->timeline.total_ms;
    bool several = r->after_together_ms > 0;
    double after = several ? r->after_together_ms : r->after_first_ms;
    if (r->verdict_kind == VERDICT_WARM_UP || !(now > 0) ||
        !(after > 0 && after < 0.99 * now))
        return;
    json_put(json_put_object(c, "mended"), M("now", number_time(&tmp, now)),
             M("after", number_time(&tmp, after)),
             context_some("several", several ? r->analysis->n_together : 0),
             J("saves_pct", 100.0 * (now - after) / now),
             J("after_permille", round(1000.0 * after / now)));
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
        enum figure_slot slot =
            op->category >= 0 ? r->categories[op->category].slot : SLOT_COMMUNICATION;
        json_put(op_row(rows, r, i, tmp),
                 page_bar("bar_html", op->share_pct / 100.0, slot, s->theme));
    }
    json_put(top, context_some("left", r->n_ops - TOP_ROWS), M("rest_ms", rest_ms),
             M("rest_pct", rest_pct));
}

/* The conditions of a build. One that only warns has tripped without failing it. */
static void add_gates(cJSON *c, const struct report *r)
{
    int failed = 0, judged = 0;
    if (!r->n_gates)
        return;
    cJSON *gates = json_put_object(c, "gates");
    cJSON *list = json_put_array(gates, "list");
    for (int i = 0; i < r->n_gates; i++) {
        const struct gate_result *g = &r->gates[i];
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
        json_row(list, page_severity("severity", check_result_word(k->result)),
                 M("check_id", k->id), M("name", k->title), F(k, value));
        shown++;
    }
}

static bool has_table(const struct report *r, struct str name)
{
    for (ptrdiff_t i = 0; i < r->n_tables; i++)
        if (str_eq(r->tables[i].name, name))
            return r->tables[i].n_rows > 0;
    return false;
}

/* What is written beside the pages. */
static void add_offers(cJSON *c, const struct site *s, struct arena tmp)
{
    const struct site_options *o = s->o;
    bool has_ops = has_table(s->r, S("unified_perf_summary"));
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

static void add_measured(cJSON *c, const struct report *r)
{
    cJSON *measured = json_put_array(c, "measured");
    for (int i = 0; i < r->n_measured; i++)
        json_row(measured, F(&r->measured[i], label), F(&r->measured[i], value),
                 F(&r->measured[i], origin));
}

/* What a trace without device work has instead. */
static void add_held(cJSON *c, const struct report_meta *m)
{
    json_put(json_put_object(c, "held"), json_bool("device", m->has_gpu),
             json_bool("host", m->has_cpu_op), json_bool("frames", m->has_frames),
             json_bool("shapes", m->has_shapes), json_bool("hidden", m->shapes_hidden),
             json_bool("steps", m->has_steps));
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
    json_put(c, M("verdict", r->verdict_alone), J("contrast", r->phases.contrast),
             F(r, lead));
    timeline_context(c, r);
    if (r->n_categories)
        json_put(json_put_object(c, "largest"), F(&r->categories[0], label),
                 F(&r->categories[0], share_pct));
    add_held(c, &r->meta);
    add_notes(c, s->o->notes);
    add_gates(c, r);
    add_findings(c, r);
    add_mended(c, r, tmp);
    ctx_chart(c, "strip", s, CHART_STRIP, -1, tmp);
    ctx_chart(c, "wall_time", s, CHART_WALL_TIME, -1, tmp);
    ctx_chart(c, "categories", s, CHART_CATEGORIES, -1, tmp);
    add_top(c, s, tmp);
    add_trust(c, r);
    add_measured(c, r);
    add_offers(c, s, tmp);
    return ctx_write(s, "index.html", "index.html", c, tmp, e);
}
