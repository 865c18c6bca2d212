#include "render/finding_context.h"

#include "base/arena.h"
#include "render/sentence.h"
#include "render/table_context.h"
#include "report/finding_argument.h"
#include "report/report_numbers.h"

#include <math.h>

enum { EVIDENCE_SENTENCES = 8, NAME_CHARS = 60, ARGS_CHARS = 90, KERNEL_CHARS = 48 };

struct str finding_rank(const struct report_finding *f)
{
    return f->informational ? S("note") : f->rank;
}

/* ---- evidence ---- */

static void evidence_row(cJSON *table, const struct report *r, int index,
                         struct arena tmp)
{
    const struct report_op *op = &r->ops[index];
    cJSON *row = table_row(table, S(""));
    cell_operation(row, r, index, NAME_CHARS, ARGS_CHARS, tmp);
    cell_count(row, op->count, tmp);
    cell_ms(row, op->total_ms, tmp);
    cell_pct(row, op->share_pct, tmp);
    cell_rate(row, op->flop_per_byte, tmp);
    if (isnan(op->efficiency_pct))
        cell_number(row, S("—"), (double)NAN);
    else
        cell_pct(row, op->efficiency_pct, tmp);
    cell_text(row, bound_word(op->bound));
    cell_brief(row, op->n_kernels ? op->kernels[0] : S(""), KERNEL_CHARS, tmp);
}

static cJSON *evidence_table(const struct site *s, const struct report_finding *f,
                             int rows, struct arena tmp)
{
    const struct report *r = s->r;
    cJSON *t = table_open(
        str_printf(&tmp, "e-%.*s", STRF(str_skip(f->anchor, 2))),
        str_printf(&tmp, "Evidence: %.*s", STRF(sentence_plain(&tmp, f->title))));
    table_column(t, "Operation", false);
    table_column(t, "Calls", true);
    table_column(t, "Time, ms", true);
    table_column(t, "Share of kernel time, %", true);
    table_column(t, "FLOP/byte", true);
    table_column(t, "Efficiency, % of roof", true);
    table_column(t, "Bound", false);
    table_column(t, "Longest kernel", false);
    double rest_ms = 0.0, all_ms = 0.0;
    for (int k = 0; k < f->n_ops; k++) {
        const struct report_op *op = &r->ops[f->ops[k]];
        all_ms += op->total_ms;
        if (k < rows)
            evidence_row(t, r, f->ops[k], tmp);
        else
            rest_ms += op->total_ms;
    }
    struct str sum =
        str_printf(&tmp, "together %.*s ms", STRF(number_ms(&tmp, all_ms)));
    if (f->n_ops > rows)
        table_fold(t, str_printf(&tmp, "and %d more, %.*s ms; %.*s", f->n_ops - rows,
                                 STRF(number_ms(&tmp, rest_ms)), STRF(sum)));
    else if (f->n_ops > 1)
        table_fold(t, sum);
    return t;
}

static cJSON *projection_table(const struct report_finding *f, struct arena tmp)
{
    cJSON *t = table_open(str_printf(&tmp, "p-%.*s", STRF(str_skip(f->anchor, 2))),
                          str_printf(&tmp, "Estimate, at more of the roof: %.*s",
                                     STRF(sentence_plain(&tmp, f->title))));
    table_column(t, "Efficiency, % of roof", false);
    table_column(t, "Their time, ms", true);
    table_column(t, "Saved, % of total time", true);
    table_column(t, "Saved, % of their time", true);
    for (int k = 0; k < f->n_projection; k++) {
        const struct report_projection *p = &f->projection[k];
        cJSON *row = table_row(t, S(""));
        cell_text(row, number_pct(&tmp, p->target_pct));
        cell_ms(row, p->time_ms, tmp);
        cell_pct(row, p->e2e_pct, tmp);
        cell_pct(row, p->op_pct, tmp);
    }
    return t;
}

/* ---- the argument ---- */

static void add_gain(cJSON *c, const struct report_finding *f, struct arena tmp)
{
    struct str gain = finding_gain(&tmp, &f->impact);
    struct str kernel = finding_gain(&tmp, &f->impact_kernel);
    ctx_text(c, "no_gain", gain.n ? S("") : S("Not quantifiable from this trace."));
    ctx_text(c, "gain", gain);
    ctx_text(c, "gain_basis", f->impact.basis);
    ctx_text(c, "gain_kernel", str_eq(gain, kernel) ? S("") : kernel);
    ctx_text(c, "gain_kernel_basis", f->impact_kernel.basis);
    ctx_text(c, "gain_short", S(""));
    if (gain.n) {
        cJSON_DeleteItemFromObject(c, "gain_short");
        ctx_format(c, "gain_short", "%.*s %%",
                   STRF(number_range_pct(&tmp, f->impact.low_pct, f->impact.high_pct)));
    }
}

static void add_sentences(cJSON *c, const char *key, const struct str *list, int n)
{
    cJSON *items = cJSON_AddArrayToObject(c, key);
    for (int k = 0; k < n && k < EVIDENCE_SENTENCES; k++) {
        cJSON *item = cJSON_CreateObject();
        sentence_put(item, "item_html", list[k]);
        cJSON_AddItemToArray(items, item);
    }
}

static void add_verify(cJSON *c, const struct site *s, const struct report_finding *f,
                       struct arena tmp)
{
    ctx_text(c, "metric", finding_metric(&tmp, f));
    bool possible = f->replay_recommended && !f->kit.n && !f->no_kit.n;
    ctx_text(c, "kit", f->kit);
    ctx_text(c, "no_kit", f->no_kit);
    ctx_text(c, "kit_of", possible ? f->name : S(""));
    ctx_bool(c, "rows_csv",
             f->n_ops > 0 &&
                 site_offers(s, "perf_report_csvs/unified_perf_summary.csv"));
}

cJSON *finding_card(const struct site *s, const struct report_finding *f, bool open,
                    int evidence_rows, struct arena tmp)
{
    cJSON *c = cJSON_CreateObject();
    ctx_text(c, "finding_id", f->anchor);
    ctx_text(c, "rank", finding_rank(f));
    /* "k1": ids are small letters, and a note has no place. */
    bool ranked = !f->informational && f->rank.n > 1;
    ctx_text(
        c, "rank_id",
        ranked ? str_printf(&tmp, "%c%.*s", "kfs"[f->tier], STRF(str_skip(f->rank, 1)))
               : S(""));
    sentence_put(c, "title_html", f->title);
    ctx_text(c, "title", sentence_plain(&tmp, f->title));
    ctx_bool(c, "open", open);
    page_severity(c, "severity",
                  f->informational ? S("note") : finding_level(f->priority));
    ctx_category(c, "category", s->r, f->category, f->category_label);
    ctx_text(c, "confidence", f->confidence);
    sentence_put(c, "insight_html", f->issue);
    ctx_bool(c, "has_facts", f->n_evidence > 0);
    add_sentences(c, "facts_list", f->evidence, f->n_evidence);
    sentence_put(c, "path_a_html", f->algorithmic);
    sentence_put(c, "path_b_html", f->kernel);
    add_gain(c, f, tmp);
    sentence_put(c, "why_sure_html", finding_confidence(&tmp, s->r, f));
    sentence_put(c, "reasoning_html", finding_reasoning(&tmp, s->r, f));
    sentence_put(c, "refute_html", finding_refutation(&tmp, f));
    add_verify(c, s, f, tmp);
    cJSON *tables = cJSON_AddArrayToObject(c, "tables");
    if (f->n_ops)
        cJSON_AddItemToArray(tables, evidence_table(s, f, evidence_rows, tmp));
    if (f->n_projection)
        cJSON_AddItemToArray(tables, projection_table(f, tmp));
    return c;
}

cJSON *finding_line(const struct site *s, const struct report_finding *f,
                    struct arena tmp)
{
    cJSON *item = cJSON_CreateObject();
    ctx_text(item, "rank", finding_rank(f));
    ctx_text(item, "title", sentence_plain(&tmp, f->title));
    ctx_format(item, "link", "recommendations.html#%.*s", STRF(f->anchor));
    sentence_put(item, "insight_html", f->issue);
    page_severity(item, "severity",
                  f->informational ? S("note") : finding_level(f->priority));
    ctx_category(item, "category", s->r, f->category, f->category_label);
    ctx_text(item, "confidence", f->confidence);
    ctx_text(item, "effort", S(""));
    ctx_text(item, "no_gain", S(""));
    if (finding_gain(&tmp, &f->impact).n) {
        ctx_format(item, "gain", "%.*s %%",
                   STRF(number_range_pct(&tmp, f->impact.low_pct, f->impact.high_pct)));
        ctx_format(item, "gain_time", "%.*s ms",
                   STRF(number_range_ms(&tmp, f->impact.low_ms, f->impact.high_ms)));
    } else {
        cJSON_DeleteItemFromObject(item, "no_gain");
        ctx_text(item, "no_gain", S("gain not quantifiable from this trace"));
    }
    return item;
}
