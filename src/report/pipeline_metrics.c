/* <category>_metrics.json: every row of a category, with what the analysis made of it.
 */
#include "report/pipeline_parts.h"

#include "analysis/row_args.h"
#include "analysis/work_facts.h"
#include "base/arena.h"
#include "base/out.h"
#include "ops/python_text.h"

#include <math.h>
#include <string.h>

enum { SHORT_NAME_BYTES = 75 };

/* ---- pieces of a row
 * ------------------------------------------------------------------------ */

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
    return e->anomaly   ? S("[ANOMALY] above 110 % of peak: verify the measurement")
           : e->warning ? S("[WARNING] above 100 % of peak: within measurement error")
                        : S("");
}

static double or_nan(double peak)
{
    return peak > 0.0 ? peak : (double)NAN;
}

static void put_efficiency(cJSON *row, const struct work_efficiency *e)
{
    cJSON *o = json_put_object(row, "efficiency");
    json_put_number(o, "tflops_achieved", e->tflop_per_s, 2);
    json_put_number(o, "tb_s_achieved", e->tb_per_s, 2);
    json_put_pct(o, "efficiency_percent", e->percent);
    json_put_text_or_null(o, "bound_type", pipeline_bound(e->bound));
    json_put_text_or_null(o, "bound_source", source_word(e->source));
    json_put_number(o, "flops_per_byte", e->flop_per_byte, 2);
    json_put_text_or_null(o, "compute_spec", e->compute_spec);
    json_put_number(o, "resolved_peak_maf", or_nan(e->peak_tflop_per_s), 2);
    json_put_number(o, "resolved_peak_hbm_bw", or_nan(e->peak_tb_per_s), 3);
    json_put_bool(o, "peak_fallback", e->peak_fallback);
    json_put_text_or_null(o, "warning", warning_text(e));
    json_put_bool(o, "is_anomaly", e->anomaly);
}

/* A raw argument text as the cell of the tables has it. */
static void put_cell_text(cJSON *row, const char *key, const struct event_store *s,
                          name_id id)
{
    struct out o;
    if (id < 0) {
        json_put_null(row, key);
        return;
    }
    out_memory(&o);
    if (!python_tuple_of_json(&o, pool_text(&s->names, id)))
        python_string(&o, pool_text(&s->names, id));
    json_put_text(row, key, out_view(&o));
    out_free(&o);
}

static void put_args(cJSON *row, struct arena tmp, const struct pipeline_source *s,
                     const struct op_group *g)
{
    const struct event_store *store = s->t->view->s;
    struct row_args args = row_args_of(&tmp, store, g);
    json_put_text(row, "args", row_args_text(&tmp, &args, "<br>"));
    put_cell_text(row, "Input Dims", store, g->texts ? g->texts->dims : -1);
    put_cell_text(row, "Input type", store, g->texts ? g->texts->types : -1);
}

static struct str short_name(struct arena *a, struct str name)
{
    if (name.n <= SHORT_NAME_BYTES)
        return name;
    ptrdiff_t n = SHORT_NAME_BYTES;
    while (n > 0 && ((unsigned char)name.p[n] & 0xC0) == 0x80)
        n--;
    return str_printf(a, "%.*s...", STRF(str_head(name, n)));
}

static void put_kernels(cJSON *row, struct arena tmp, const struct op_group *g)
{
    const struct kernel_detail *longest = NULL;
    for (int32_t k = 0; k < g->n_kernels; k++)
        if (!longest || g->kernels[k].mean_us > longest->mean_us)
            longest = &g->kernels[k];
    struct str name = longest ? longest->name : S("");
    json_put_text_or_null(row, "kernel_name", name);
    json_put_text_or_null(row, "kernel_name_trunc", short_name(&tmp, name));
    cJSON *list = json_put_array(row, "kernels");
    for (int32_t k = 0; k < g->n_kernels; k++) {
        const struct kernel_detail *d = &g->kernels[k];
        cJSON *o = json_push_object(list);
        json_put_text(o, "name", d->name);
        json_put_count(o, "stream", d->stream);
        json_put_count(o, "count", d->n);
        json_put_us(o, "total_duration_us", d->total_us);
        json_put_us(o, "mean_duration_us", d->mean_us);
        json_put_us(o, "median_duration_us", d->median_us);
        json_put_us(o, "std_dev_duration_us", d->std_us);
        json_put_us(o, "min_duration_us", d->min_us);
        json_put_us(o, "max_duration_us", d->max_us);
    }
}

static void put_tile(cJSON *row, const struct work_row *w)
{
    static const char *const keys[] = {"tile_m",   "tile_n",   "tile_depth", "tiles",
                                       "tile_eff", "wave_eff", "dim_eff"};
    if (isnan(work_number(w, "tile_m"))) {
        json_put_null(row, "tile");
        return;
    }
    cJSON *o = json_put_object(row, "tile");
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        json_put_number(o, keys[k], work_number(w, keys[k]), 4);
    json_put_bool(o, "split_k", work_number(w, "split_k") == 1.0);
}

static bool is_fact(const struct work_row *w, const char *key)
{
    return work_number(w, key) == 1.0;
}

static void put_classification(cJSON *row, const struct work_row *w)
{
    static const char *const kinds[] = {
        "gemm_type", "attention_type",    "attention_pattern", "direction",
        "workload",  "elementwise_class", "reduce_class",      "triton_class",
        "moe_class", "norm_type",         "conv_class",        "subcategory"};
    cJSON *o = json_put_object(row, "classification");
    if (w->category == WORK_GEMM)
        json_put_bool(o, "is_quantized", is_fact(w, "quantized"));
    if (w->category == WORK_SDPA_FWD || w->category == WORK_SDPA_BWD) {
        json_put_bool(o, "is_flash_attention", is_fact(w, "flash"));
        json_put_bool(o, "is_paged_attention", is_fact(w, "paged"));
    }
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        struct str kind = work_text(w, kinds[k]);
        if (kind.n)
            json_put_text(o, kinds[k], kind);
    }
}

static void put_facts(cJSON *o, const struct work_fact *facts, int n)
{
    for (int k = 0; k < n; k++)
        if (isnan(facts[k].number))
            json_put_text(o, facts[k].key, facts[k].text);
        else if (strstr(facts[k].key, "_detected"))
            json_put_bool(o, facts[k].key, facts[k].number > 0.0);
        else
            json_put_number(o, facts[k].key, facts[k].number, 4);
}

static void put_claim(cJSON *row, const struct pipeline_source *s,
                      const struct work_row *w)
{
    ptrdiff_t op = w->group - s->t->unified.rows;
    int finding = op < s->r->n_ops ? s->r->ops[op].finding : -1;
    json_put_bool(row, "is_bottleneck", is_fact(w, "bottleneck"));
    json_put_text_or_null(row, "claimed_by",
                          finding < 0 ? S("") : s->r->findings[finding].id);
}

static void put_row(cJSON *list, struct arena tmp, const struct pipeline_source *s,
                    const struct work_row *w)
{
    cJSON *row = json_push_object(list);
    json_put_text(row, "name", w->group->first->name);
    json_put_count(row, "ex_uid", w->group->first->uid);
    json_put_count(row, "count", w->count);
    json_put_ms(row, "time_ms", w->time_ms);
    json_put_us(row, "mean_us", w->mean_us);
    json_put_pct(row, "percent_of_category", w->category_pct);
    json_put_pct(row, "percent_of_compute", w->compute_pct);
    json_put_pct(row, "percent_of_total", w->total_pct);
    json_put_bool(row, "in_top_operations", w->top_rank > 0);
    put_efficiency(row, &w->efficiency);
    put_args(row, tmp, s, w->group);
    put_kernels(row, tmp, w->group);
    put_tile(row, w);
    json_put_text_or_null(row, "library", w->library);
    json_put_text_or_null(row, "launcher_path", w->launcher_path);
    json_put_texts(row, "module_chain", w->module_chain, w->n_modules);
    json_put_number(row, "cov", w->cov, 4);
    json_put_bool(row, "high_variance", w->high_variance);
    put_classification(row, w);
    put_facts(json_put_object(row, "facts"), w->facts, w->n_facts);
    json_put_texts(row, "patterns", w->patterns, w->n_patterns);
    put_claim(row, s, w);
    json_put_text_or_null(row, "efficiency_warning", warning_text(&w->efficiency));
}

/* ---- a category
 * -------------------------------------------------------------------------------- */

static void put_metrics(struct pipeline_files *f, struct arena tmp,
                        const struct pipeline_source *s,
                        const struct category_result *c)
{
    cJSON *o = pipeline_add(f, str_printf(f->perm, "category_data/%.*s_metrics.json",
                                          STRF(work_category_name(c->category))));
    json_put_text(o, "category", work_category_name(c->category));
    json_put_text(o, "status", pipeline_status(c->status));
    json_put_text(o, "comparison_scope", S("standalone"));
    if (c->status == ANALYSER_ERROR) {
        json_put_text(o, "error", c->error);
        return;
    }
    json_put_ms(o, "total_time_ms", c->time_ms);
    json_put_pct(o, "percent_of_compute", c->compute_pct);
    json_put_pct(o, "percent_of_total", c->total_pct);
    json_put_count(o, "operation_count", c->operation_count);
    json_put_pct(o, "average_efficiency_percent", c->average_efficiency_pct);
    json_put_pct(o, "average_efficiency_unweighted",
                 c->average_efficiency_unweighted_pct);
    cJSON *rows = json_put_array(o, "operations");
    for (int32_t k = 0; k < c->n_rows; k++)
        put_row(rows, tmp, s, &c->rows[k]);
    put_facts(json_put_object(o, "category_specific"), c->facts, c->n_facts);
    json_put_texts(o, "notes", c->notes, c->n_notes);
    cJSON *findings = json_put_array(o, "findings");
    for (int k = 0; k < s->a->n_findings; k++)
        if (s->a->findings[k].category == c->category)
            pipeline_put_finding(findings, &tmp, s, k);
    pipeline_put_estimates(o, tmp, s, c);
    pipeline_put_e_findings(o, "category_findings", tmp, s, c);
}

void pipeline_put_metrics(struct pipeline_files *f, struct arena tmp,
                          const struct pipeline_source *s)
{
    enum work_category list[WORK_CATEGORIES];
    int n = pipeline_categories(s, list);
    for (int k = 0; k < n; k++)
        put_metrics(f, tmp, s, &s->a->categories[list[k]]);
}
