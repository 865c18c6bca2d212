#include "render/page/finding_context.h"

#include "analysis/model/number_text.h"
#include "base/arena.h"
#include "ops/timeline_data.h"
#include "report/finding_argument.h"
#include "report/report_detail.h"

#include <math.h>

enum { EVIDENCE_SENTENCES = 8 };

#define ALL_ROWS "perf_report_csvs/unified_perf_summary.csv"

bool finding_is_slight(const struct finding *f)
{
    return f->impact.high_pct < 0.1;
}

cJSON *finding_line(cJSON *list, const struct report *r, const struct report_finding *f)
{
    const struct finding *of = f->of;
    const struct impact_range *x = &of->impact;
    cJSON *c = json_row(
        list, M("finding_id", f->anchor), M("rank", finding_rank(f)), F(of, title),
        M("insight", of->issue),
        page_severity("severity",
                      of->informational ? S("note") : priority_word(of->priority)),
        ctx_category("category", r, work_category_name(of->category),
                     work_category_display(of->category)),
        M("confidence", confidence_word(of->confidence)), F(of, time_ms),
        F(of, total_pct),
        json_bool("has_gain", finding_has_gain(x) && !finding_is_slight(of)),
        json_bool("slight", finding_has_gain(x) && finding_is_slight(of)),
        context_pair("gain_ms", x->low_ms, x->high_ms),
        context_pair("gain_pct", x->low_pct, x->high_pct), F(f, waived_until),
        F(f, waived_why));
    if (of->until >= 0)
        json_put(c, json_bool("later", true),
                 context_pair("later_pct", of->impact_then.low_pct,
                              of->impact_then.high_pct));
    return c;
}

static void add_evidence(cJSON *c, const struct report *r,
                         const struct report_finding *f, int rows, struct arena tmp)
{
    if (!f->n_ops)
        return;
    cJSON *evidence = json_put_object(c, "evidence");
    cJSON *list = json_put_array(evidence, "rows");
    double rest_ms = 0.0, all_ms = 0.0;
    for (int k = 0; k < f->n_ops; k++) {
        double ms = r->ops[f->ops[k]].row->time_ms;
        all_ms += ms;
        if (k < rows)
            op_row(list, r, f->ops[k], tmp);
        else
            rest_ms += ms;
    }
    json_put(evidence, json_bool("several", f->n_ops > 1), M("all_ms", all_ms),
             context_some("left", f->n_ops - rows), M("rest_ms", rest_ms));
}

static void add_projection(cJSON *c, const struct finding *of)
{
    if (!of->n_projection)
        return;
    cJSON *list = json_put_array(json_put_object(c, "projection"), "rows");
    for (int k = 0; k < of->n_projection; k++) {
        const struct projection_row *p = &of->projection[k];
        json_row(list, F(p, target_pct), F(p, time_ms), F(p, e2e_pct), F(p, op_pct));
    }
}

/* What one path gains alone, if that differs from both together. */
static void add_gain(cJSON *c, const struct finding *of, struct arena tmp)
{
    struct str gain = finding_gain(&tmp, &of->impact);
    struct str kernel = finding_gain(&tmp, &of->impact_kernel);
    json_put(c, M("gain", gain), M("gain_basis", of->impact.basis),
             M("gain_kernel", str_eq(gain, kernel) ? S("") : kernel),
             M("gain_kernel_basis", of->impact_kernel.basis));
}

/* What the table of evidence below says again, row by row. */
static bool in_table(const struct report_finding *f, const struct evidence *e)
{
    return f->n_ops && (e->kind == EVIDENCE_ROW || e->kind == EVIDENCE_MORE ||
                        str_eq(e->text, f->of->issue));
}

/* The longest gap of what it is about, where that is among those of the timeline. */
static void add_gap(cJSON *c, const struct report *r, const struct finding *of)
{
    const struct idle_result *idle = &report_system(r)->idle;
    if (!of->idle || !r->over_time)
        return;
    for (int k = 0; k < idle->n_top_gaps; k++) {
        const struct idle_gap *g = &idle->top_gaps[k];
        if (r->over_time->origin_ns + llround(g->start_us * 1e3) !=
            of->idle->longest_from_ns)
            continue;
        json_put(json_put_object(c, "gap"), M("number", k + 1),
                 M("at_ms", g->start_us / 1e3), json_bool("only", of->idle->gaps == 1));
        return;
    }
}

static void add_argument(cJSON *c, const struct site *s, const struct report_finding *f,
                         struct arena tmp)
{
    const struct finding *of = f->of;
    struct str facts[EVIDENCE_SENTENCES];
    int n = 0;
    for (int k = 0; k < of->n_evidence && n < EVIDENCE_SENTENCES; k++)
        if (!in_table(f, &of->evidence[k]))
            facts[n++] = of->evidence[k].text;
    bool rows = f->n_ops > 0 && s->o->csv;
    bool possible = of->replay_recommended && !f->kit.n && !f->no_kit.n;
    json_put(c, context_items("facts", facts, n), M("path_a", of->algorithmic),
             M("path_b", of->kernel), M("why_sure", finding_confidence(&tmp, s->r, f)),
             M("reasoning", finding_reasoning(&tmp, s->r, f)),
             M("refute", finding_refutation(&tmp, f)),
             M("metric", finding_metric(&tmp, f)), F(f, kit), F(f, no_kit),
             M("kit_of", possible ? of->op : S("")),
             M("kit_bytes", f->kit.n ? ctx_bytes(s, tmp, f->kit) : (double)NAN),
             json_bool("rows_csv", rows),
             M("rows_bytes", rows ? ctx_bytes(s, tmp, S(ALL_ROWS)) : (double)NAN));
}

cJSON *finding_card(cJSON *list, const struct site *s, const struct report_finding *f,
                    int evidence_rows, struct arena tmp)
{
    cJSON *c = finding_line(list, s->r, f);
    /* "k1": ids are lower case; a note has no id. */
    bool ranked = !f->of->informational && f->rank.n > 1;
    json_put(c, M("hash", str_skip(f->anchor, S("f-").n)),
             M("rank_id", ranked ? str_printf(&tmp, "%c%.*s", "kfs"[f->of->tier],
                                              STRF(str_skip(f->rank, 1)))
                                 : S("")));
    add_gain(c, f->of, tmp);
    add_argument(c, s, f, tmp);
    add_gap(c, s->r, f->of);
    add_evidence(c, s->r, f, evidence_rows, tmp);
    add_projection(c, f->of);
    return c;
}
