/* <category>_metrics.json: every row of a category, with what the analysis made of it.
 */
#include "export/pipeline_parts.h"

#include "analysis/facts/row_args.h"
#include "analysis/model/number_text.h"
#include "analysis/model/work_facts.h"
#include "base/arena.h"
#include "base/describe.h"
#include "base/utf8.h"
#include "export/described_json.h"
#include "export/estimates_json.h"
#include "export/finding_json.h"
#include "export/json_text.h"
#include "report/report_detail.h"

#include <math.h>
#include <string.h>

enum {
    SHORT_NAME_BYTES = 75,
    KERNELS_BYTES = 1 << 16,
    ROWS_BYTES = 9 << 18,
    ROW_DEPTH = 2
};

static struct str source_word(enum bound_source b)
{
    static const struct str words[] = {[BOUND_BY_NOTHING] = S_INIT(""),
                                       [BOUND_BY_ROOFLINE] = S_INIT("roofline"),
                                       [BOUND_BY_INTENSITY] = S_INIT("intensity"),
                                       [BOUND_BY_CATEGORY] = S_INIT("category")};
    return words[b];
}

static double or_nan(double peak)
{
    return peak > 0.0 ? peak : (double)NAN;
}

TELL(struct str, warning_text, work_efficiency,
     it->anomaly   ? S("[ANOMALY] above 110% of peak: verify the measurement")
     : it->warning ? S("[WARNING] above 100% of peak: within measurement error")
                   : S(""));
TELL(double, peak_maf, work_efficiency, or_nan(it->peak_tflop_per_s));
TELL(double, peak_bw, work_efficiency, number_rounded(or_nan(it->peak_tb_per_s), 3));

static struct str short_name(struct arena *a, struct str name)
{
    if (name.n <= SHORT_NAME_BYTES)
        return name;
    return str_printf(a, "%.*s...", STRF(utf8_head(name, SHORT_NAME_BYTES)));
}

static struct str args_text(const struct described *in)
{
    const struct op_group *g = in->of;
    struct row_args args = row_args_of(in->tmp, g->args);
    return row_args_text(in->tmp, &args, "<br>");
}

static bool is_fact(const struct work_row *w, const char *key)
{
    return work_number(w, key) == 1.0;
}

#define TILE(key) TELL(double, key, work_row, work_number(it, #key))
TILE(tile_m);
TILE(tile_n);
TILE(tile_depth);
TILE(tiles);
TILE(tile_eff);
TILE(wave_eff);
TILE(dim_eff);
TELL(bool, split_k, work_row, is_fact(it, "split_k"));
TELL(const void *, tile, work_row, isnan(work_number(it, "tile_m")) ? NULL : it);

/* A fact that a document has under its key. */
struct told_fact {
    struct str key;
    struct field_value value;
};
TELL(struct field_value, fact_value, told_fact, it->value);
static FIELDS(told_fact, F(key, TEXT), ITSELF_ANY(FINE, fact_value));

static struct told_fact flag(struct str key, bool holds)
{
    return (struct told_fact){key, {.kind = FIELD_BOOL, .flag = holds}};
}

static struct told_fact told(const struct work_fact *f)
{
    struct str key = str_of(f->key);
    if (!f->text && str_has(key, S("_detected")))
        return flag(key, f->number > 0.0);
    return f->text
               ? (struct told_fact){key, {.kind = FIELD_TEXT, .text = work_fact_str(f)}}
               : (struct told_fact){key, {.kind = FIELD_REAL, .real = f->number}};
}

static struct field_items classification(const struct described *in)
{
    static const char *const kinds[] = {
        "gemm_type", "attention_type",    "attention_pattern", "direction",
        "workload",  "elementwise_class", "reduce_class",      "triton_class",
        "moe_class", "norm_type",         "conv_class",        "subcategory"};
    enum { KINDS = sizeof kinds / sizeof *kinds };
    const struct work_row *w = in->of;
    struct told_fact *list = arena_new(in->tmp, struct told_fact, KINDS + 2);
    int n = 0;
    if (w->category == WORK_GEMM)
        list[n++] = flag(S("is_quantized"), is_fact(w, "quantized"));
    if (w->category == WORK_SDPA_FWD || w->category == WORK_SDPA_BWD) {
        list[n++] = flag(S("is_flash_attention"), is_fact(w, "flash"));
        list[n++] = flag(S("is_paged_attention"), is_fact(w, "paged"));
    }
    for (int k = 0; k < KINDS; k++) {
        struct work_fact f = {.key = kinds[k]};
        struct str kind = work_text(w, kinds[k]);
        f.text = kind.p;
        f.n = kind.n;
        if (kind.n)
            list[n++] = told(&f);
    }
    return (struct field_items){.first = list, .n = n};
}

static struct field_items row_facts(const struct described *in)
{
    const struct work_row *w = in->of;
    struct told_fact *list = arena_new(in->tmp, struct told_fact, w->n_facts);
    for (int k = 0; k < w->n_facts; k++) {
        struct work_fact f = work_row_fact(w, k);
        list[k] = told(&f);
    }
    return (struct field_items){.first = list, .n = w->n_facts};
}

static struct field_items category_facts(const struct described *in)
{
    const struct category_result *c = in->of;
    struct told_fact *list = arena_new(in->tmp, struct told_fact, c->n_facts);
    for (int k = 0; k < c->n_facts; k++)
        list[k] = told(&c->facts[k]);
    return (struct field_items){.first = list, .n = c->n_facts};
}

static struct str claimed_by(const struct described *in)
{
    const struct work_row *w = in->of;
    const struct pipeline_source *s = in->whole;
    ptrdiff_t op = w->group - s->t->judged.rows;
    int finding = op < s->r->n_ops ? s->r->ops[op].finding : -1;
    return finding < 0 ? S("") : s->a->findings[finding].id;
}

TELL(bool, in_top, work_row, it->top_rank > 0);
TELL(bool, bottleneck, work_row, is_fact(it, "bottleneck"));
TELL(struct str, longest, work_row, report_row_kernel(it));
TELL(struct str, longest_short, work_row, short_name(in->tmp, report_row_kernel(it)));
TELL(struct str, dims, op_group, pipeline_cell(in->tmp, it->args.dims));
TELL(struct str, types, op_group, pipeline_cell(in->tmp, it->args.types));

static FIELDS(work_efficiency, AS("tflops_achieved", tflop_per_s, RATE),
              AS("tb_s_achieved", tb_per_s, RATE),
              AS("efficiency_percent", percent, PCT),
              ENUM_AS("bound_type", bound, bound_word, BOUND_MEMORY + 1),
              ENUM_AS("bound_source", source, source_word, BOUND_BY_CATEGORY + 1),
              AS("flops_per_byte", flop_per_byte, RATE), F(compute_spec, NAME),
              CALL(resolved_peak_maf, RATE, peak_maf),
              CALL(resolved_peak_hbm_bw, EXACT, peak_bw), F(no_peak, FLAG),
              CALL(warning, NAME, warning_text), AS("is_anomaly", anomaly, FLAG));
static VIEW(warned, work_efficiency, CALL(efficiency_warning, NAME, warning_text));
static FIELDS(op_call_row, AS("ex_uid", uid, NUMBER));
static FIELDS(kernel_detail, F(name, TEXT), F(stream, NUMBER), AS("count", n, COUNT),
              AS("total_duration_us", total_us, US),
              AS("mean_duration_us", mean_us, US),
              AS("median_duration_us", median_us, US),
              AS("std_dev_duration_us", std_us, US), AS("min_duration_us", min_us, US),
              AS("max_duration_us", max_us, US));
static VIEW(first_call, op_group, MEMBERS_OF(first, op_call_row));
static VIEW(args, op_group, CALL(args, TEXT, args_text),
            CALL_AS("Input Dims", NAME, dims), CALL_AS("Input type", NAME, types));
static VIEW(kernels, op_group,
            LIST_WITHIN(KERNELS_BYTES, "kernels", kernels, n_kernels, kernel_detail));
static VIEW(tile, work_row, CALL(tile_m, FINE, tile_m), CALL(tile_n, FINE, tile_n),
            CALL(tile_depth, FINE, tile_depth), CALL(tiles, FINE, tiles),
            CALL(tile_eff, FINE, tile_eff), CALL(wave_eff, FINE, wave_eff),
            CALL(dim_eff, FINE, dim_eff), CALL(split_k, FLAG, split_k));
static FIELDS(work_row, F(name, TEXT), MEMBERS_OF(group, first_call), F(count, COUNT),
              F(time_ms, MS), F(mean_us, US),
              AS("percent_of_category", category_pct, PCT),
              AS("percent_of_compute", compute_pct, PCT),
              AS("percent_of_total", total_pct, PCT),
              CALL(in_top_operations, FLAG, in_top),
              STRUCT(efficiency, work_efficiency), MEMBERS_OF(group, args),
              CALL(kernel_name, NAME, longest),
              CALL(kernel_name_trunc, NAME, longest_short), MEMBERS_OF(group, kernels),
              CALL_STRUCT(tile, tile, tile), F(library, NAME), F(launcher_path, NAME),
              LIST(module_chain, n_modules, text), F(cov, FINE), F(high_variance, FLAG),
              CALL_MAP(classification, told_fact, classification),
              CALL_MAP(facts, told_fact, row_facts), LIST(patterns, n_patterns, text),
              CALL(is_bottleneck, FLAG, bottleneck), CALL(claimed_by, NAME, claimed_by),
              STRUCT_AS(NULL, efficiency, warned));

TELL(struct str, status, category_result, pipeline_status(it->status));
static VIEW(judged_category, category_result,
            ENUM(category, work_category_name, WORK_CATEGORIES),
            CALL(status, TEXT, status), SAYS(comparison_scope, "standalone"));
static VIEW(failed_category, category_result, ALSO(judged_category), F(error, TEXT));
static FIELDS(category_result, ALSO(judged_category), AS("total_time_ms", time_ms, MS),
              AS("percent_of_compute", compute_pct, PCT),
              AS("percent_of_total", total_pct, PCT), F(operation_count, COUNT),
              AS("average_efficiency_percent", average_efficiency_pct, PCT),
              AS("average_efficiency_unweighted", average_efficiency_unweighted_pct,
                 PCT));
static int64_t rows_total(const struct described *in)
{
    const struct category_result *c = in->of;
    int64_t total = 0;
    for (int32_t k = 0; k < c->n_rows; k++)
        total += work_row_shapes(&c->rows[k]);
    return total;
}
static VIEW(after_rows, category_result, CALL(rows_total, COUNT, rows_total),
            CALL_MAP(category_specific, told_fact, category_facts),
            LIST(notes, n_notes, text));

static void put_metrics(struct pipeline_files *f, struct arena tmp,
                        const struct pipeline_source *s,
                        const struct category_result *c, ptrdiff_t *room)
{
    cJSON *o = pipeline_add(f, str_printf(f->perm, "category_data/%.*s_metrics.json",
                                          STRF(work_category_name(c->category))));
    const struct json_walk w = {.whole = s, .tmp = &tmp};
    if (c->status == ANALYSER_ERROR) {
        json_put_described(o, failed_category_fields(), c, &w);
        return;
    }
    json_put_described(o, category_result_fields(), c, &w);
    cJSON *rows = json_put_array(o, "operations");
    for (int32_t k = 0; k < c->n_rows; k++) {
        cJSON *row =
            json_within(described_json(work_row_fields(), &c->rows[k], &w), room);
        if (!row)
            break;
        json_push(rows, json_packed(row, ROW_DEPTH));
    }
    json_put_described(o, after_rows_fields(), c, &w);
    cJSON *findings = json_put_array(o, "findings");
    for (int k = 0; k < s->r->n_findings; k++)
        if (s->r->findings[k].of->category == c->category)
            json_push(findings, json_packed(finding_json(s->r, &s->r->findings[k],
                                                         NAMES_DATA, tmp),
                                            ROW_DEPTH));
    json_put(o, J("impact_estimates", estimates_json(tmp, s->a, c)),
             J("category_findings", estimate_groups_json(tmp, s->a, c)));
}

/* Those with few rows first: what they leave of their share goes to the others. */
static void fewest_first(const struct analysis *a, enum work_category *list, int n)
{
    for (int i = 1; i < n; i++)
        for (int k = i;
             k > 0 && a->categories[list[k]].n_rows < a->categories[list[k - 1]].n_rows;
             k--) {
            enum work_category c = list[k];
            list[k] = list[k - 1];
            list[k - 1] = c;
        }
}

void pipeline_put_metrics(struct pipeline_files *f, struct arena tmp,
                          const struct pipeline_source *s)
{
    enum work_category list[WORK_CATEGORIES];
    int n = pipeline_categories(s, list);
    ptrdiff_t left = ROWS_BYTES; /* for all of them: the costliest rows */
    fewest_first(s->a, list, n);
    for (int k = 0; k < n; k++) {
        ptrdiff_t share = left > 0 ? left / (n - k) : 0, room = share;
        put_metrics(f, tmp, s, &s->a->categories[list[k]], &room);
        left -= share - room;
    }
}
