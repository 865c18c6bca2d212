/* category_manifest.json, the metadata of each category, and its table. */
#include "report/pipeline_parts.h"

#include "analysis/system_results.h"
#include "base/arena.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *analyser_of(enum work_category c)
{
    static const char *const names[WORK_CATEGORIES] = {
        [WORK_GEMM] = "gemm-analyzer",
        [WORK_SDPA_FWD] = "sdpa-analyzer",
        [WORK_SDPA_BWD] = "sdpa-analyzer",
        [WORK_ELEMENTWISE] = "elementwise-analyzer",
        [WORK_REDUCE] = "reduce-analyzer",
        [WORK_TRITON] = "triton-analyzer",
        [WORK_MOE_FUSED] = "moe-analyzer",
        [WORK_BATCHNORM] = "batchnorm-analyzer",
        [WORK_NORM] = "norm-analyzer",
        [WORK_CONVOLUTION] = "convolution-analyzer",
        [WORK_OTHER] = "generic-op-analyzer",
        [WORK_COMMUNICATION] = "generic-op-analyzer",
        [WORK_CPU_IDLE] = "cpu-idle-analyzer",
        [WORK_MULTI_KERNEL] = "multi-kernel-analyzer",
        [WORK_KERNEL_FUSION] = "kernel-fusion-analyzer",
    };
    return names[c];
}

/* "category_data/gemm_ops.csv" of "category_data/", GEMM, "_ops.csv". */
static void put_path(cJSON *o, const char *key, const char *folder,
                     enum work_category c, const char *ending)
{
    char path[96];
    int n = snprintf(path, sizeof path, "%s%.*s%s", folder, STRF(work_category_name(c)),
                     ending);
    json_put_text(o, key, (struct str){path, n});
}

/* ---- the manifest
 * ------------------------------------------------------------------------- */

static cJSON *put_entry(cJSON *list, enum work_category c)
{
    cJSON *o = json_push_object(list);
    json_put_text(o, "name", work_category_name(c));
    json_put_text(o, "display_name", work_category_display(c));
    json_put_text(o, "skill", str_of(analyser_of(c)));
    json_put_text(o, "tier", str_of(pipeline_tier(c)));
    return o;
}

static void put_system_entry(cJSON *list, enum work_category c, const char *data_file)
{
    cJSON *o = put_entry(list, c);
    if (c == WORK_CPU_IDLE)
        json_put_count(o, "priority", 0);
    json_put_count(o, "ops_count", 0);
    json_put_null(o, "operation_count");
    json_put_null(o, "csv_file");
    put_path(o, "metadata_file", "metadata/", c, "_metadata.json");
    json_put_null(o, "tree_data_file");
    json_put_text_or_null(o, "data_file", str_of(data_file));
    json_put_null(o, "gpu_kernel_time_ms");
    json_put_null(o, "cpu_duration_ms");
    json_put_null(o, "sync_time_ms");
    json_put_null(o, "sync_ops_count");
    json_put_null(o, "has_sync_bottleneck");
}

static void put_category_entry(cJSON *list, const struct pipeline_source *s,
                               enum work_category c)
{
    const struct category_result *r = &s->a->categories[c];
    cJSON *o = put_entry(list, c);
    json_put_count(o, "ops_count", r->n_rows);
    json_put_count(o, "operation_count", r->operation_count);
    put_path(o, "csv_file", "category_data/", c, "_ops.csv");
    put_path(o, "metadata_file", "metadata/", c, "_metadata.json");
    if (c < WORK_COMMUNICATION && s->tree)
        put_path(o, "tree_data_file", "category_data/", c, "_tree_data.json");
    else
        json_put_null(o, "tree_data_file");
    json_put_null(o, "data_file");
    json_put_ms(o, "gpu_kernel_time_ms", r->time_ms);
    json_put_ms(o, "cpu_duration_ms", r->host_ms);
    json_put_ms(o, "sync_time_ms", r->sync_ms);
    json_put_count(o, "sync_ops_count", r->sync_rows);
    json_put_bool(o, "has_sync_bottleneck", r->sync_flagged);
}

static void put_top(cJSON *o, const struct pipeline_source *s)
{
    cJSON *list = json_put_array(o, "top_operations");
    for (int k = 0; k < s->a->n_top; k++) {
        const struct top_operation *t = &s->a->top[k];
        cJSON *row = json_push_object(list);
        json_put_count(row, "rank", t->rank);
        json_put_text(row, "name", t->name);
        json_put_texts(row, "unified_names", t->unified_names, t->n_unified);
        json_put_text(row, "category", work_category_name(t->category));
        json_put_ms(row, "time_ms", t->time_ms);
        json_put_count(row, "count", t->count);
        json_put_pct(row, "percent_of_compute", t->compute_pct);
        json_put_pct(row, "percent_of_total", t->total_pct);
    }
}

static void put_manifest_at(struct pipeline_files *f, const struct pipeline_source *s,
                            struct str path)
{
    cJSON *o = pipeline_add(f, path);
    enum work_category list[WORK_CATEGORIES];
    int n = pipeline_categories(s, list);
    json_put_text_or_null(o, "platform", s->r->meta.platform);
    json_put_text(o, "trace_path", s->r->meta.trace_file);
    json_put_text(o, "output_dir", S("."));
    json_put_text(o, "comparison_scope", S("standalone"));
    pipeline_put_utilization(json_put_object(o, "gpu_utilization"), &s->r->timeline);
    json_put_bool(o, "cpu_idle_critical", s->r->timeline.idle_pct > 50.0);
    json_put_bool(o, "compute_utilization_warning",
                  s->r->timeline.computation_pct < 95.0);
    put_top(o, s);
    cJSON *categories = json_put_array(o, "categories");
    put_system_entry(categories, WORK_CPU_IDLE, NULL);
    for (int k = 0; k < n; k++)
        put_category_entry(categories, s, list[k]);
    if (pipeline_has_multi_kernel(s))
        put_system_entry(categories, WORK_MULTI_KERNEL,
                         "category_data/multi_kernel_data.json");
    if (pipeline_has_fusion(s))
        put_system_entry(categories, WORK_KERNEL_FUSION,
                         "category_data/fusion_candidates.json");
    cJSON *with = json_put_array(o, "categories_with_data");
    for (int k = 0; k < n; k++)
        if (list[k] < WORK_COMMUNICATION && s->a->categories[list[k]].n_rows)
            json_push_text(with, work_category_name(list[k]));
    json_put_text(
        o, "time_metric_note",
        S("gpu_kernel_time_ms ranks; cpu_duration_ms is host time and does not"));
}

void pipeline_put_manifest(struct pipeline_files *f, const struct pipeline_source *s)
{
    put_manifest_at(f, s, S("category_data/category_manifest.json"));
    put_manifest_at(f, s, S("category_manifest.json"));
}

/* ---- metadata
 * ------------------------------------------------------------------------------- */

static void put_device(cJSON *o, const struct report_device *d)
{
    double bf16 = (double)NAN;
    json_put_number(o, "peak_hbm_bw_tbs", d->known ? d->memory_tb_per_s : (double)NAN,
                    3);
    for (int k = 0; k < d->n_peaks; k++)
        if (str_eq(d->peaks[k].spec, S("matrix_bf16")))
            bf16 = d->peaks[k].tflop_per_s;
    json_put_number(o, "peak_bf16_maf_tflops", bf16, 2);
    cJSON *peaks = json_put_object(o, "max_achievable_tflops");
    for (int k = 0; k < d->n_peaks; k++) {
        char spec[64];
        (void)snprintf(spec, sizeof spec, "%.*s", STRF(str_head(d->peaks[k].spec, 60)));
        json_put_number(peaks, spec, d->peaks[k].tflop_per_s, 2);
    }
    json_put_number(o, "memory_gb", d->known ? d->memory_gb : (double)NAN, 2);
}

static void put_times(cJSON *o, const struct category_result *r)
{
    cJSON *t = json_put_object(o, "time_breakdown");
    json_put_ms(t, "gpu_kernel_time_ms", r ? r->time_ms : (double)NAN);
    json_put_ms(t, "cpu_duration_ms", r ? r->host_ms : (double)NAN);
    json_put_ms(t, "sync_time_ms", r ? r->sync_ms : (double)NAN);
    json_put_count(t, "sync_ops_count", r ? r->sync_rows : 0);
    json_put_bool(t, "has_sync_bottleneck", r && r->sync_flagged);
    json_put_text(t, "note", S("kernel time ranks bottlenecks"));
}

static struct str idle_severity(const struct pipeline_source *s)
{
    if (!s->a->system)
        return S("UNKNOWN");
    enum severity v = s->a->system->idle.severity;
    return v == SEVERITY_NONE ? S("ACCEPTABLE") : severity_word(v);
}

static void put_metadata(struct pipeline_files *f, const struct pipeline_source *s,
                         enum work_category c)
{
    bool has_rows = c <= WORK_COMMUNICATION;
    cJSON *o = pipeline_add(f, str_printf(f->perm, "metadata/%.*s_metadata.json",
                                          STRF(work_category_name(c))));
    json_put_text_or_null(o, "platform", s->r->meta.platform);
    put_device(o, &s->r->device);
    json_put_text(o, "trace_path", s->r->meta.trace_file);
    json_put_text(o, "output_dir", S("."));
    json_put_text(o, "category", work_category_display(c));
    json_put_text(o, "category_name", work_category_name(c));
    json_put_text(o, "tier", str_of(pipeline_tier(c)));
    pipeline_put_utilization(json_put_object(o, "gpu_utilization"), &s->r->timeline);
    put_times(o, has_rows ? &s->a->categories[c] : NULL);
    json_put_text(o, "trace_loading_policy", S("use_precomputed_data_only"));
    if (c == WORK_CPU_IDLE) {
        json_put_bool(o, "idle_critical", s->r->timeline.idle_pct > 50.0);
        json_put_text(o, "severity", idle_severity(s));
    }
}

void pipeline_put_metadata(struct pipeline_files *f, const struct pipeline_source *s)
{
    enum work_category list[WORK_CATEGORIES];
    int n = pipeline_categories(s, list);
    put_metadata(f, s, WORK_CPU_IDLE);
    for (int k = 0; k < n; k++)
        put_metadata(f, s, list[k]);
    if (pipeline_has_multi_kernel(s))
        put_metadata(f, s, WORK_MULTI_KERNEL);
    if (pipeline_has_fusion(s))
        put_metadata(f, s, WORK_KERNEL_FUSION);
}

/* ---- rows of the unified table by category
 * -------------------------------------------------- */

static const struct report_table *unified_table(const struct sheets *s)
{
    for (ptrdiff_t k = 0; k < s->n; k++)
        if (str_eq(s->tables[k].name, S("unified_perf_summary")))
            return &s->tables[k];
    return NULL;
}

static struct cell text_cell(struct str text)
{
    return (struct cell){.kind = CELL_TEXT, .as.text = text};
}

/* The rows of `c`, in their order, with two columns more. */
static struct report_table *category_table(struct arena *perm,
                                           const struct report_table *all,
                                           const uint8_t *category,
                                           enum work_category c, ptrdiff_t n_rows)
{
    struct report_table *t = arena_new(perm, struct report_table, 1);
    t->name = str_printf(perm, "%.*s_ops", STRF(work_category_name(c)));
    t->purpose = S("Rows of unified_perf_summary of one category of the analysis");
    t->n_columns = all->n_columns + 2;
    t->columns = arena_new(perm, struct table_column, t->n_columns);
    memcpy(t->columns, all->columns, (size_t)all->n_columns * sizeof *t->columns);
    t->columns[all->n_columns] = (struct table_column){
        S("enhanced_category"), S("Category of the analysis"), UNIT_NONE};
    t->columns[all->n_columns + 1] = (struct table_column){
        S("display_name"), S("The same as people call it"), UNIT_NONE};
    t->cells = arena_take_raw(perm, sizeof *t->cells, _Alignof(struct cell),
                              n_rows * t->n_columns);
    for (ptrdiff_t row = 0; row < all->n_rows; row++) {
        if (category[row] != (uint8_t)c)
            continue;
        struct cell *to = &t->cells[t->n_rows++ * t->n_columns];
        memcpy(to, table_cell(all, row, 0), (size_t)all->n_columns * sizeof *to);
        to[all->n_columns] = text_cell(work_category_name(c));
        to[all->n_columns + 1] = text_cell(work_category_display(c));
    }
    return t;
}

void pipeline_put_tables(struct pipeline_files *f, struct arena tmp,
                         const struct pipeline_source *s)
{
    const struct report_table *all = unified_table(s->sheets);
    enum work_category list[WORK_CATEGORIES];
    int n = pipeline_categories(s, list);
    if (!all)
        return;
    uint8_t *category = arena_new(&tmp, uint8_t, all->n_rows);
    for (int c = 0; c < WORK_CATEGORIES; c++) {
        const struct category_result *r = &s->a->categories[c];
        for (int32_t k = 0; k < r->n_rows; k++)
            category[r->rows[k].group - s->t->unified.rows] = (uint8_t)c;
    }
    for (int k = 0; k < n; k++)
        pipeline_add_table(f,
                           str_printf(f->perm, "category_data/%.*s_ops.csv",
                                      STRF(work_category_name(list[k]))),
                           category_table(f->perm, all, category, list[k],
                                          s->a->categories[list[k]].n_rows));
}
