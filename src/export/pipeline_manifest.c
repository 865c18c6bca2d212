/* category_manifest.json, the metadata of each category, and its table. */
#include "export/pipeline_parts.h"

#include "analysis/model/system_results.h"
#include "base/arena.h"

#include "report/table_build.h"

#include <math.h>
#include <stdio.h>

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
static struct json_member path(const char *key, const char *folder,
                               enum work_category c, const char *ending)
{
    char text[96];
    (void)snprintf(text, sizeof text, "%s%.*s%s", folder, STRF(work_category_name(c)),
                   ending);
    return J(key, text);
}

static cJSON *entry(enum work_category c)
{
    return json_object(J("name", work_category_name(c)),
                       J("display_name", work_category_display(c)),
                       J("skill", analyser_of(c)), J("tier", pipeline_tier(c)));
}

static cJSON *system_entry(enum work_category c, const char *data_file)
{
    bool first = c == WORK_CPU_IDLE;
    return json_put(entry(c), J(first ? "priority" : NULL, 0), J("ops_count", 0),
                    json_null("operation_count"), json_null("csv_file"),
                    path("metadata_file", "metadata/", c, "_metadata.json"),
                    json_null("tree_data_file"),
                    json_opt("data_file", str_of(data_file)),
                    json_null("gpu_kernel_time_ms"), json_null("cpu_duration_ms"),
                    json_null("sync_time_ms"), json_null("sync_ops_count"),
                    json_null("has_sync_bottleneck"));
}

/* A category's device and host time, for its entry and its metadata; NULL: a category
 * without rows. */
static cJSON *put_times(cJSON *o, const struct category_result *r)
{
    double none = (double)NAN;
    return json_put(o, J("gpu_kernel_time_ms", r ? r->time_ms : none),
                    J("cpu_duration_ms", r ? r->host_ms : none),
                    J("sync_time_ms", r ? r->sync_ms : none),
                    J("sync_ops_count", r ? r->sync_rows : 0),
                    json_bool("has_sync_bottleneck", r && r->sync_flagged));
}

static cJSON *category_entry(const struct pipeline_source *s, enum work_category c)
{
    const struct category_result *r = &s->a->categories[c];
    cJSON *o = json_put(
        entry(c), J("ops_count", r->n_rows), J("operation_count", r->operation_count),
        path("csv_file", "category_data/", c, "_ops.csv"),
        path("metadata_file", "metadata/", c, "_metadata.json"),
        c < WORK_COMMUNICATION && s->tree
            ? path("tree_data_file", "category_data/", c, "_tree_data.json")
            : json_null("tree_data_file"),
        json_null("data_file"));
    return put_times(o, r);
}

enum { NAMES_BYTES = 1 << 14 }; /* of one operation */

static void put_top(cJSON *o, const struct pipeline_source *s)
{
    cJSON *list = json_put_array(o, "top_operations");
    for (int k = 0; k < s->a->n_top; k++) {
        const struct top_operation *t = &s->a->top[k];
        cJSON *names = json_list();
        ptrdiff_t room = NAMES_BYTES;
        for (int i = 0; i < t->n_unified && room > 0; i++)
            json_push_text_within(names, t->unified_names[i], &room);
        json_row(
            list, J("rank", t->rank), J("name", t->name), J("unified_names", names),
            J("category", work_category_name(t->category)), J("time_ms", t->time_ms),
            J("count", t->count), J("percent_of_compute", t->compute_pct),
            J("percent_of_total", t->total_pct));
    }
}

static void put_manifest_at(struct pipeline_files *f, const struct pipeline_source *s,
                            struct str at)
{
    const struct report_timeline *t = &s->r->timeline;
    enum work_category list[WORK_CATEGORIES];
    int n = pipeline_categories(s, list);
    cJSON *o =
        json_put(pipeline_add(f, at), json_opt("platform", s->r->meta.platform),
                 J("trace_path", s->r->meta.trace_file), J("output_dir", "."),
                 J("comparison_scope", "standalone"),
                 J("gpu_utilization", pipeline_utilization(t)),
                 json_bool("cpu_idle_critical", t->idle_pct > 50.0),
                 json_bool("compute_utilization_warning", t->computation_pct < 95.0));
    put_top(o, s);
    cJSON *categories = json_put_array(o, "categories");
    cJSON *with = json_put_array(o, "categories_with_data");
    json_push(categories, system_entry(WORK_CPU_IDLE, NULL));
    for (int k = 0; k < n; k++) {
        json_push(categories, category_entry(s, list[k]));
        if (list[k] < WORK_COMMUNICATION && s->a->categories[list[k]].n_rows)
            json_push_text(with, work_category_name(list[k]));
    }
    if (pipeline_has_multi_kernel(s))
        json_push(categories, system_entry(WORK_MULTI_KERNEL,
                                           "category_data/multi_kernel_data.json"));
    if (pipeline_has_fusion(s))
        json_push(categories, system_entry(WORK_KERNEL_FUSION,
                                           "category_data/fusion_candidates.json"));
    json_put(o,
             J("time_metric_note",
               "gpu_kernel_time_ms ranks; cpu_duration_ms is host time and does not"));
}

void pipeline_put_manifest(struct pipeline_files *f, const struct pipeline_source *s)
{
    put_manifest_at(f, s, S("category_data/category_manifest.json"));
    put_manifest_at(f, s, S("category_manifest.json"));
}

static void put_device(cJSON *o, const struct report_device *d)
{
    double bf16 = (double)NAN, none = (double)NAN;
    cJSON *peaks = json_new();
    for (int k = 0; k < d->n_peaks; k++) {
        char spec[64];
        (void)snprintf(spec, sizeof spec, "%.*s", STRF(str_head(d->peaks[k].spec, 60)));
        json_put(peaks, J(spec, d->peaks[k].tflop_per_s));
        if (str_eq(d->peaks[k].spec, S("matrix_bf16")))
            bf16 = d->peaks[k].tflop_per_s;
    }
    json_put(o, json_fixed("peak_hbm_bw_tbs", d->known ? d->memory_tb_per_s : none, 3),
             J("peak_bf16_maf_tflops", bf16), J("max_achievable_tflops", peaks),
             J("memory_gb", d->known ? d->memory_gb : none));
}

static struct str idle_severity(const struct pipeline_source *s)
{
    return s->a->system ? idle_severity_word(&s->a->system->idle) : S("UNKNOWN");
}

static void put_metadata(struct pipeline_files *f, const struct pipeline_source *s,
                         enum work_category c)
{
    const struct report_timeline *t = &s->r->timeline;
    cJSON *o = pipeline_add(f, str_printf(f->perm, "metadata/%.*s_metadata.json",
                                          STRF(work_category_name(c))));
    json_put(o, json_opt("platform", s->r->meta.platform));
    put_device(o, &s->r->device);
    cJSON *times =
        put_times(json_new(), c <= WORK_COMMUNICATION ? &s->a->categories[c] : NULL);
    json_put(times, J("note", "kernel time ranks bottlenecks"));
    json_put(o, J("trace_path", s->r->meta.trace_file), J("output_dir", "."),
             J("category", work_category_display(c)),
             J("category_name", work_category_name(c)), J("tier", pipeline_tier(c)),
             J("gpu_utilization", pipeline_utilization(t)), J("time_breakdown", times),
             J("trace_loading_policy", "use_precomputed_data_only"));
    if (c == WORK_CPU_IDLE)
        json_put(o, json_bool("idle_critical", t->idle_pct > 50.0),
                 J("severity", idle_severity(s)));
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

/* The longest rows, that is; `rows_total` of the metrics counts all of a category. */
enum { CATEGORY_ROWS_MOST = 10000 };

/* Rows of unified_perf_summary, in order, with two more columns. Here our own models
 * have a say. */
struct category_rows {
    const struct report_table *all;
    const struct sheets *sheets;
    enum work_category category;
    int32_t *rows;
};

static void put_category_row(struct table_build *b, const void *of, ptrdiff_t row)
{
    const struct category_rows *c = of;
    int32_t at = c->rows[row], own = c->sheets->own_of ? c->sheets->own_of[at] : -1;
    const struct cell *from = own < 0 ? table_row(c->all, at, b->arena)
                                      : table_row(&c->sheets->own_rows, own, b->arena);
    for (ptrdiff_t k = 0; k < c->all->n_columns; k++)
        put_cell(b, &from[k]);
    put_text(b, work_category_name(c->category));
    put_text(b, work_category_display(c->category));
}

static struct report_table *category_table(struct arena *perm,
                                           const struct pipeline_source *s,
                                           const struct report_table *all,
                                           const uint8_t *category,
                                           enum work_category c)
{
    struct category_rows *of = arena_new(perm, struct category_rows, 1);
    struct report_table *t = arena_new(perm, struct report_table, 1);
    int32_t n = 0;
    for (int32_t row = 0; row < all->n_rows && n < CATEGORY_ROWS_MOST; row++)
        n += category[row] == (uint8_t)c;
    *of = (struct category_rows){all, s->sheets, c, arena_new(perm, int32_t, n)};
    n = 0;
    for (int32_t row = 0; row < all->n_rows && n < CATEGORY_ROWS_MOST; row++)
        if (category[row] == (uint8_t)c)
            of->rows[n++] = row;
    struct table_build b =
        table_begin(perm, str_printf(perm, "%.*s_ops", STRF(work_category_name(c))),
                    "Rows of unified_perf_summary of one category of the analysis", n);
    for (ptrdiff_t k = 0; k < all->n_columns; k++)
        add_column(&b, all->columns[k].title, all->columns[k].unit,
                   str_c(perm, all->columns[k].meaning));
    add_column(&b, S("enhanced_category"), UNIT_NONE, "Category of the analysis");
    add_column(&b, S("display_name"), UNIT_NONE, "The same as people call it");
    *t = table_of_rows(&b, of, put_category_row);
    return t;
}

void pipeline_put_tables(struct pipeline_files *f, struct arena tmp,
                         const struct pipeline_source *s)
{
    const struct report_table *all = pipeline_sheet(s, "unified_perf_summary");
    enum work_category list[WORK_CATEGORIES];
    int n = pipeline_categories(s, list);
    if (!all)
        return;
    const struct op_groups *judged = &s->t->judged, *gs = &s->t->unified;
    uint8_t *category = arena_new(&tmp, uint8_t, judged->n);
    uint8_t *of_row = arena_new(&tmp, uint8_t, gs->n);
    for (int c = 0; c < WORK_CATEGORIES; c++) {
        const struct category_result *r = &s->a->categories[c];
        for (int32_t k = 0; k < r->n_rows; k++)
            category[r->rows[k].group - judged->rows] = (uint8_t)c;
    }
    int32_t n_rows = 0; /* the sheet leaves out what has no launch call */
    for (int32_t g = 0; g < gs->n; g++)
        if (!groups_first(gs, g)->unlinked)
            of_row[n_rows++] = category[s->t->judged_of ? s->t->judged_of[g] : g];
    for (int k = 0; k < n; k++) {
        struct report_table *of = category_table(f->perm, s, all, of_row, list[k]);
        if (of->n_rows)
            pipeline_add_table(f,
                               str_printf(f->perm, "category_data/%.*s_ops.csv",
                                          STRF(work_category_name(list[k]))),
                               of);
    }
}
