/* <category>_metrics.json: every row of a category, with what the analysis made of it.
 */
#include "export/pipeline_parts.h"

#include "analysis/facts/row_args.h"
#include "analysis/model/work_facts.h"
#include "base/arena.h"
#include "base/utf8.h"
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
    static const char *const words[] = {[BOUND_BY_NOTHING] = "",
                                        [BOUND_BY_ROOFLINE] = "roofline",
                                        [BOUND_BY_INTENSITY] = "intensity",
                                        [BOUND_BY_CATEGORY] = "category"};
    return str_of(words[b]);
}

static struct str warning_text(const struct work_efficiency *e)
{
    return e->anomaly   ? S("[ANOMALY] above 110% of peak: verify the measurement")
           : e->warning ? S("[WARNING] above 100% of peak: within measurement error")
                        : S("");
}

static double or_nan(double peak)
{
    return peak > 0.0 ? peak : (double)NAN;
}

static cJSON *efficiency(const struct work_efficiency *e)
{
    return json_object(
        J("tflops_achieved", e->tflop_per_s), J("tb_s_achieved", e->tb_per_s),
        J("efficiency_percent", e->percent),
        json_opt("bound_type", bound_word(e->bound)),
        json_opt("bound_source", source_word(e->source)),
        J("flops_per_byte", e->flop_per_byte),
        json_opt("compute_spec", e->compute_spec),
        J("resolved_peak_maf", or_nan(e->peak_tflop_per_s)),
        json_fixed("resolved_peak_hbm_bw", or_nan(e->peak_tb_per_s), 3),
        J("peak_fallback", e->peak_fallback), json_opt("warning", warning_text(e)),
        J("is_anomaly", e->anomaly));
}

static void put_args(cJSON *row, struct arena tmp, const struct op_group *g)
{
    struct row_args args = row_args_of(&tmp, g->args);
    json_put(row, J("args", row_args_text(&tmp, &args, "<br>")),
             pipeline_cell("Input Dims", g->args.dims),
             pipeline_cell("Input type", g->args.types));
}

static struct str short_name(struct arena *a, struct str name)
{
    if (name.n <= SHORT_NAME_BYTES)
        return name;
    return str_printf(a, "%.*s...", STRF(utf8_head(name, SHORT_NAME_BYTES)));
}

static void put_kernels(cJSON *row, struct arena tmp, const struct work_row *w)
{
    const struct op_group *g = w->group;
    struct str longest = report_row_kernel(w);
    cJSON *list = json_list();
    ptrdiff_t room = KERNELS_BYTES;
    for (int32_t k = 0; k < g->n_kernels && room > 0; k++) {
        const struct kernel_detail *d = &g->kernels[k];
        cJSON *kernel = json_object(
            J("name", d->name), J("stream", d->stream), J("count", d->n),
            J("total_duration_us", d->total_us), J("mean_duration_us", d->mean_us),
            J("median_duration_us", d->median_us), J("std_dev_duration_us", d->std_us),
            J("min_duration_us", d->min_us), J("max_duration_us", d->max_us));
        json_push_within(list, kernel, &room);
    }
    json_put(row, json_opt("kernel_name", longest),
             json_opt("kernel_name_trunc", short_name(&tmp, longest)),
             J("kernels", list));
}

static bool is_fact(const struct work_row *w, const char *key)
{
    return work_number(w, key) == 1.0;
}

static struct json_member tile(const struct work_row *w)
{
    static const char *const keys[] = {"tile_m",   "tile_n",   "tile_depth", "tiles",
                                       "tile_eff", "wave_eff", "dim_eff"};
    if (isnan(work_number(w, "tile_m")))
        return json_null("tile");
    cJSON *o = json_new();
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        json_put(o, json_fixed(keys[k], work_number(w, keys[k]), 4));
    return J("tile", json_put(o, json_bool("split_k", is_fact(w, "split_k"))));
}

static cJSON *classification(const struct work_row *w)
{
    static const char *const kinds[] = {
        "gemm_type", "attention_type",    "attention_pattern", "direction",
        "workload",  "elementwise_class", "reduce_class",      "triton_class",
        "moe_class", "norm_type",         "conv_class",        "subcategory"};
    cJSON *o = json_new();
    if (w->category == WORK_GEMM)
        json_put(o, json_bool("is_quantized", is_fact(w, "quantized")));
    if (w->category == WORK_SDPA_FWD || w->category == WORK_SDPA_BWD)
        json_put(o, json_bool("is_flash_attention", is_fact(w, "flash")),
                 json_bool("is_paged_attention", is_fact(w, "paged")));
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        struct str kind = work_text(w, kinds[k]);
        if (kind.n)
            json_put(o, J(kinds[k], kind));
    }
    return o;
}

static cJSON *facts(const struct work_fact *facts, int n)
{
    cJSON *o = json_new();
    for (int k = 0; k < n; k++)
        if (facts[k].text)
            json_put(o, J(facts[k].key, work_fact_str(&facts[k])));
        else if (strstr(facts[k].key, "_detected"))
            json_put(o, json_bool(facts[k].key, facts[k].number > 0.0));
        else
            json_put(o, json_fixed(facts[k].key, facts[k].number, 4));
    return o;
}

static struct str claimed_by(const struct pipeline_source *s, const struct work_row *w)
{
    ptrdiff_t op = w->group - s->t->judged.rows;
    int finding = op < s->r->n_ops ? s->r->ops[op].finding : -1;
    return finding < 0 ? S("") : s->a->findings[finding].id;
}

static cJSON *row_facts(struct arena tmp, const struct work_row *w)
{
    struct work_fact *list = arena_new(&tmp, struct work_fact, w->n_facts);
    for (int k = 0; k < w->n_facts; k++)
        list[k] = work_row_fact(w, k);
    return facts(list, w->n_facts);
}

static cJSON *row_json(struct arena tmp, const struct pipeline_source *s,
                       const struct work_row *w)
{
    cJSON *row = json_object(
        J("name", w->name), J("ex_uid", w->group->first->uid), J("count", w->count),
        J("time_ms", w->time_ms), J("mean_us", w->mean_us),
        J("percent_of_category", w->category_pct),
        J("percent_of_compute", w->compute_pct), J("percent_of_total", w->total_pct),
        json_bool("in_top_operations", w->top_rank > 0),
        J("efficiency", efficiency(&w->efficiency)));
    put_args(row, tmp, w->group);
    put_kernels(row, tmp, w);
    return json_put(row, tile(w), json_opt("library", w->library),
                    json_opt("launcher_path", w->launcher_path),
                    json_texts("module_chain", w->module_chain, w->n_modules),
                    json_fixed("cov", w->cov, 4), J("high_variance", w->high_variance),
                    J("classification", classification(w)),
                    J("facts", row_facts(tmp, w)),
                    json_texts("patterns", w->patterns, w->n_patterns),
                    json_bool("is_bottleneck", is_fact(w, "bottleneck")),
                    json_opt("claimed_by", claimed_by(s, w)),
                    json_opt("efficiency_warning", warning_text(&w->efficiency)));
}

static void put_metrics(struct pipeline_files *f, struct arena tmp,
                        const struct pipeline_source *s,
                        const struct category_result *c, ptrdiff_t *room)
{
    cJSON *o = pipeline_add(f, str_printf(f->perm, "category_data/%.*s_metrics.json",
                                          STRF(work_category_name(c->category))));
    json_put(o, J("category", work_category_name(c->category)),
             J("status", pipeline_status(c->status)),
             J("comparison_scope", "standalone"));
    if (c->status == ANALYSER_ERROR) {
        json_put(o, J("error", c->error));
        return;
    }
    json_put(o, J("total_time_ms", c->time_ms), J("percent_of_compute", c->compute_pct),
             J("percent_of_total", c->total_pct),
             J("operation_count", c->operation_count),
             J("average_efficiency_percent", c->average_efficiency_pct),
             J("average_efficiency_unweighted", c->average_efficiency_unweighted_pct));
    cJSON *rows = json_put_array(o, "operations");
    for (int32_t k = 0; k < c->n_rows; k++) {
        cJSON *row = json_within(row_json(tmp, s, &c->rows[k]), room);
        if (!row)
            break;
        json_push(rows, json_packed(row, ROW_DEPTH));
    }
    int total = 0;
    for (int32_t k = 0; k < c->n_rows; k++)
        total += work_row_shapes(&c->rows[k]);
    json_put(o, J("rows_total", total),
             J("category_specific", facts(c->facts, c->n_facts)),
             json_texts("notes", c->notes, c->n_notes));
    cJSON *findings = json_put_array(o, "findings");
    for (int k = 0; k < s->r->n_findings; k++)
        if (s->r->findings[k].of->category == c->category)
            json_push(findings,
                      json_packed(finding_json(s->r, &s->r->findings[k], NAMES_DATA),
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
