#include "report/compare/compare_fields.h"

#include "base/arena.h"
#include "base/describe.h"
#include "compare/parity.h"
#include "report/compare/compare_collectives.h"
#include "report/compare/compare_compiled.h"
#include "report/compare/compare_layers.h"
#include "report/compare/compare_measured.h"
#include "report/compare/compare_tables.h"

#include <math.h>

#define NONE (double)NAN

static double above_0(double v)
{
    return v > 0 ? v : NONE;
}

static double call_us(const struct match *m, int side)
{
    return m->n[side] ? (double)m->ns[side] / 1e3 / (double)m->n[side] : NONE;
}

#define DEVICES_OF(c)                                                                  \
    ((const struct device_spec *[]){(c)->of[0]->device, (c)->of[1]->device})

TELL(struct str, platform, capture, it->device ? it->device->name : S(""));
TELL(double, bw_tbs, capture,
     it->device ? above_0(it->device->memory_gb_per_s / 1e3) : NONE);
TELL(double, maf_tflops, capture,
     it->device ? above_0(device_peak(it->device, S("matrix_bf16"))) : NONE);
TELL(double, memory_ratio, comparison, expected_memory_ratio(DEVICES_OF(it)));
TELL(double, compute_ratio, comparison,
     expected_compute_ratio(DEVICES_OF(it), S("matrix_bf16")));
TELL(double, drift_factor, drift, it->n_rows ? it->factor : NONE);
TELL(const void *, bar_class, compared_bar, it->kind == BAR_CLASS ? it : NULL);
TELL(struct str, row_name, compared_row, compared_name(it));
TELL(struct str, row_args, compared_row, compared_args(it));
TELL(double, row_pct, match, compare_share_pct(it->ns[1] - it->ns[0], it->ns[0]));
TELL(double, reference_call_us, match, call_us(it, 0));
TELL(double, candidate_call_us, match, call_us(it, 1));
TELL(double, floor_pct, judgement, it->verdict == VERDICT_NONE ? NONE : it->floor_pct);
TELL(double, expected_one, expected_ratio, it->low == it->high ? it->low : NONE);
TELL(struct field_items, reference_kernels, match,
     (struct field_items){.first = &it->kernel[0], .n = it->kernel[0].n > 0});
TELL(struct field_items, candidate_kernels, match,
     (struct field_items){.first = &it->kernel[1], .n = it->kernel[1].n > 0});

TELL(struct field_items, levels, comparison, compare_levels(in->tmp, it));
static struct field_items measured(const struct described *in)
{
    struct compared_measures all = compare_measures(in->tmp, in->of);
    return (struct field_items){.first = all.rows, .n = all.n};
}

static struct field_items layers(const struct described *in)
{
    struct compared_layers all = compare_layers(in->tmp, in->of);
    return (struct field_items){.first = all.rows, .n = all.n};
}

static struct field_items compiled(const struct described *in)
{
    struct compared_compiled all = compare_compiled(in->tmp, in->of);
    return (struct field_items){.first = all.rows, .n = all.n};
}

static struct field_items collectives(const struct described *in)
{
    struct compared_collectives all = compare_collectives(in->tmp, in->of);
    return (struct field_items){.first = all.rows, .n = all.n};
}

/* Rows that one side has, or both. */
static struct field_items rows_where(const struct comparison *c, struct arena *a,
                                     enum match_level level)
{
    const struct compared_row **list =
        arena_new(a, const struct compared_row *, c->n_rows);
    int n = 0;
    for (int32_t i = 0; i < c->n_rows; i++) {
        enum match_level l = c->rows[i].match->level;
        if (level == (l < MATCH_ONLY_REFERENCE ? MATCH_PATH : l))
            list[n++] = &c->rows[i];
    }
    return (struct field_items){.first = list, .n = n, .pointers = true};
}

TELL(struct field_items, rows_of_both, comparison, rows_where(it, in->tmp, MATCH_PATH));
TELL(struct field_items, rows_of_reference, comparison,
     rows_where(it, in->tmp, MATCH_ONLY_REFERENCE));
TELL(struct field_items, rows_of_candidate, comparison,
     rows_where(it, in->tmp, MATCH_ONLY_CANDIDATE));

static double saving_pct(const struct described *in)
{
    const struct compared_row *row = in->of;
    const struct compare_report *r = in->whole;
    return 100 * row->expected.saving_ns / (double)r->c->window_ns[1];
}

static struct str class_word(enum explained class)
{
    static const struct str words[] = {[EXPLAINED_NOT_RATED] = S_INIT("not rated"),
                                       [EXPLAINED_BY_HARDWARE] = S_INIT("hardware"),
                                       [EXPLAINED_SLOWER] = S_INIT("slower"),
                                       [EXPLAINED_FASTER] = S_INIT("faster")};
    return words[class];
}

static VIEW(device, capture, F(label, TEXT), CALL(platform, NAME, platform),
            CALL(bw_tbs, EXACT, bw_tbs), CALL(maf_tflops, EXACT, maf_tflops));
static VIEW(recorded, capture, F(backlog_ns, NS), F(unlinked_ns, NS),
            AS("steps_recorded", n_steps, COUNT));
static VIEW(label, capture, ITSELF(label, TEXT));

#define SIDE(view, k)                                                                  \
    static VIEW(view, comparison, MEMBERS_OF(of[k], device),                           \
                AS("window_ns", window_ns[k], NS), AS("device_ns", device_ns[k], NS),  \
                AS("idle_ns", idle_ns[k], NS), MEMBERS_OF(of[k], recorded),            \
                AS("steps_left_out", selection.n_left_out[k], COUNT),                  \
                AS("gflop_of_a_step", gflop[k], EXACT),                                \
                LIST_AS("captures", captures[k], n_captures[k], label))
SIDE(reference, 0);
SIDE(candidate, 1);

static FIELDS(judgement, AS("reference_ns", value[0], EXACT),
              AS("candidate_ns", value[1], EXACT),
              AS("diff_pct_of_reference", diff_pct, EXACT),
              AS("n_reference", n[0], COUNT), AS("n_candidate", n[1], COUNT),
              ENUM(verdict, verdict_words, VERDICTS), F(floor_pct, EXACT), F(p, EXACT),
              AS("interval_low_pct", low_pct, EXACT),
              AS("interval_high_pct", high_pct, EXACT), F(mde_pct, EXACT));

static FIELDS(drift, F(found, FLAG), CALL(factor, EXACT, drift_factor),
              AS("rows", n_rows, COUNT));

static FIELDS(setup_difference, F(what, TEXT), AS("reference", value[0], NAME),
              AS("candidate", value[1], NAME), F(differs, FLAG), F(allowed, FLAG));
static VIEW(setup, comparison,
            ENUM_AS("verdict", parity, parity_words, PARITY_NEITHER + 1),
            LIST_AS("lines", setup, n_setup, setup_difference));

static FIELDS(compared_level, F(level, TEXT), F(rows, COUNT),
              AS("share_ref_pct", share_pct[0], EXACT),
              AS("share_cand_pct", share_pct[1], EXACT));
static FIELDS(match_periods, AS("period_ref", period[0], COUNT),
              AS("period_cand", period[1], COUNT), AS("repeats_ref", repeats[0], COUNT),
              AS("repeats_cand", repeats[1], COUNT), F(aligned, FLAG));

static VIEW(bar_class, compared_bar, AS("kernel_ref_ns", kernel_ns[0], NS),
            AS("kernel_tgt_ns", kernel_ns[1], NS), F(count_ns, NS), F(speed_ns, NS),
            F(only_ns, NS), F(recast_ns, NS), F(overlap_ns, NS));
static FIELDS(compared_bar, AS("part", name, TEXT), ENUM(kind, bar_word, BAR_IDLE + 1),
              AS("ref_ns", ns[0], NS), AS("tgt_ns", ns[1], NS),
              SPAN("diff_ns", NS, ns[0], ns[1]), MEMBERS_FROM(bar_class, bar_class));

static FIELDS(expected_ratio, F(ratio, EXACT),
              CALL(expected_ratio, EXACT, expected_one),
              AS("expected_ratio_low", low, EXACT),
              AS("expected_ratio_high", high, EXACT), AS("deviation", dev, EXACT),
              ENUM_AS("expected", class, explained_word, EXPLAINED_FASTER + 1),
              ENUM(class, class_word, EXPLAINED_FASTER + 1), F(reason, NAME),
              F(severity, NAME), F(explanation, NAME),
              ENUM_AS("bound_ref", bound[0], bound_word, BOUND_MEMORY + 1),
              ENUM_AS("bound_tgt", bound[1], bound_word, BOUND_MEMORY + 1),
              F(goal_ns, EXACT), F(saving_ns, EXACT), F(roofline_capped, FLAG));

static VIEW(level, match, ENUM(level, match_level_word, MATCH_LEVELS));
static VIEW(kernels, match, CALL_LIST(kernels_ref, text, reference_kernels),
            CALL_LIST(kernels_tgt, text, candidate_kernels));
static FIELDS(match, ENUM(category, work_category_display, WORK_CATEGORIES),
              AS("n_ref", n[0], COUNT), AS("n_tgt", n[1], COUNT),
              AS("n_kernels_ref", n_events[0], COUNT),
              AS("n_kernels_tgt", n_events[1], COUNT), AS("ref_ns", ns[0], NS),
              AS("tgt_ns", ns[1], NS), SPAN("diff_ns", NS, ns[0], ns[1]),
              CALL(diff_pct_of_reference, EXACT, row_pct),
              CALL(per_call_ref_us, EXACT, reference_call_us),
              CALL(per_call_tgt_us, EXACT, candidate_call_us));
static VIEW(judged, judgement, CALL(floor_pct, EXACT, floor_pct),
            ENUM(verdict, verdict_words, VERDICTS), AS("n_captures_ref", n[0], COUNT),
            AS("n_captures_tgt", n[1], COUNT), F(mde_pct, EXACT));
static VIEW(named_row, compared_row, CALL(name, TEXT, row_name),
            CALL(args, NAME, row_args));
static FIELDS(compared_row, MEMBERS_OF(match, level), ALSO(named_row),
              MEMBERS_OF(match, match), F(count_ns, NS), F(speed_ns, NS),
              F(only_ns, NS), STRUCT_AS(NULL, expected, expected_ratio),
              CALL(saving_pct_total, EXACT, saving_pct),
              STRUCT_AS(NULL, judged, judged), AS("median_ref_ns", median_ns[0], EXACT),
              AS("median_tgt_ns", median_ns[1], EXACT),
              AS("p90_ref_ns", p90_ns[0], EXACT), AS("p90_tgt_ns", p90_ns[1], EXACT),
              MEMBERS_OF(match, kernels));

static VIEW(before_verdict, comparison, PART("reference", reference),
            PART("target", candidate), CALL(expected_memory_ratio, EXACT, memory_ratio),
            CALL(expected_compute_ratio, EXACT, compute_ratio),
            AS("steps_compared", selection.n_steps, COUNT));
static FIELDS(comparison, STRUCT(wall, judgement), STRUCT(device, judgement),
              STRUCT(drift, drift), PART("setup", setup),
              CALL_MAP(match, compared_level, levels),
              STRUCT_AS("sequence", matches.periods, match_periods),
              CALL_LIST(measured, compared_measure, measured),
              CALL_LIST(layers, compared_layer, layers),
              CALL_LIST(compiled, compared_code, compiled),
              CALL_LIST(collectives, compared_collective, collectives),
              LIST_AS("waterfall", bars, n_bars, compared_bar),
              CALL_LIST(ops, compared_row, rows_of_both),
              CALL_LIST(only_reference, compared_row, rows_of_reference),
              CALL_LIST(only_target, compared_row, rows_of_candidate));
static VIEW(costly, expected_ratio, F(severity, TEXT), F(saving_ns, EXACT));
static VIEW(costly_row, compared_row, ALSO(named_row),
            STRUCT_AS(NULL, expected, costly));
static FIELDS(compare_opportunity, MEMBERS_OF(row, costly_row),
              AS("saving_pct_total", saving_pct, EXACT));
static VIEW(named_finding, finding, F(id, TEXT), F(title, TEXT),
            ENUM(priority, priority_word, PRIORITIES));
static VIEW(expression, gate_expr, AS("expression", text, TEXT));
static FIELDS(gate_result, MEMBERS_OF(of, expression),
              ENUM(status, gate_status_word, GATE_NOT_EVALUATED + 1), F(says, TEXT));

FIELDS(compare_report, AS("tool", tool_version, TEXT), MEMBERS_OF(c, before_verdict),
       LIST(verdict, n_verdict, text), F(action, TEXT), MEMBERS_OF(c, comparison),
       LIST_AS("findings", opportunities, n_opportunities, compare_opportunity),
       POINTERS("new_findings", new_findings, n_new, named_finding),
       POINTERS("gone_findings", gone_findings, n_gone, named_finding),
       LIST(gates, n_gates, gate_result));
