/* category_manifest.json, the metadata of each category, and its table. */
#include "export/pipeline_parts.h"

#include "analysis/model/number_text.h"
#include "analysis/model/system_results.h"
#include "base/arena.h"
#include "base/describe.h"
#include "export/described_json.h"

#include "report/table_build.h"

#include <math.h>

static struct str analyser_of(enum work_category c)
{
    static const struct str names[WORK_CATEGORIES] = {
        [WORK_GEMM] = S_INIT("gemm-analyzer"),
        [WORK_SDPA_FWD] = S_INIT("sdpa-analyzer"),
        [WORK_SDPA_BWD] = S_INIT("sdpa-analyzer"),
        [WORK_ELEMENTWISE] = S_INIT("elementwise-analyzer"),
        [WORK_REDUCE] = S_INIT("reduce-analyzer"),
        [WORK_TRITON] = S_INIT("triton-analyzer"),
        [WORK_MOE_FUSED] = S_INIT("moe-analyzer"),
        [WORK_BATCHNORM] = S_INIT("batchnorm-analyzer"),
        [WORK_NORM] = S_INIT("norm-analyzer"),
        [WORK_CONVOLUTION] = S_INIT("convolution-analyzer"),
        [WORK_OTHER] = S_INIT("generic-op-analyzer"),
        [WORK_COMMUNICATION] = S_INIT("generic-op-analyzer"),
        [WORK_COPY] = S_INIT("generic-op-analyzer"),
        [WORK_CPU_IDLE] = S_INIT("cpu-idle-analyzer"),
        [WORK_MULTI_KERNEL] = S_INIT("multi-kernel-analyzer"),
        [WORK_KERNEL_FUSION] = S_INIT("kernel-fusion-analyzer"),
    };
    return names[c];
}

/* A category of the manifest, or one that metadata are of. */
struct listed {
    enum work_category category;
    const struct category_result *of; /* NULL: of the system tier, without rows */
    const char *data_file;            /* or NULL */
    bool has_tree;
};

static const struct pipeline_source *source_of(const struct described *in)
{
    return in->whole;
}

static struct str file_of(const struct described *in, const char *folder,
                          const char *ending)
{
    const struct listed *l = in->of;
    return str_printf(in->tmp, "%s%.*s%s", folder,
                      STRF(work_category_name(l->category)), ending);
}

TELL(struct str, tier, listed, pipeline_tier(it->category));
TELL(struct str, csv_file, listed,
     it->of ? file_of(in, "category_data/", "_ops.csv") : S(""));
TELL(struct str, metadata_file, listed,
     it ? file_of(in, "metadata/", "_metadata.json") : S(""));
TELL(struct str, tree_file, listed,
     it->has_tree ? file_of(in, "category_data/", "_tree_data.json") : S(""));
TELL(struct str, data_file, listed, str_of(it->data_file ? it->data_file : ""));
TELL(const void *, idle_priority, listed, it->category == WORK_CPU_IDLE ? it : NULL);
TELL(int64_t, first_priority, listed, 0 * (int64_t)it->category);

/* Without rows there are no times. */
TELL(const void *, timed, listed, it->of);
static const void *times(const struct described *in)
{
    static const struct category_result none = {
        .time_ms = (double)NAN, .host_ms = (double)NAN, .sync_ms = (double)NAN};
    const struct listed *l = in->of;
    return l->of ? l->of : &none;
}
TELL(const void *, no_entry_times, listed, it->of ? NULL : it);

static VIEW(times, category_result, AS("gpu_kernel_time_ms", time_ms, MS),
            AS("cpu_duration_ms", host_ms, MS), AS("sync_time_ms", sync_ms, MS),
            AS("sync_ops_count", sync_rows, COUNT),
            AS("has_sync_bottleneck", sync_flagged, FLAG));
static VIEW(no_times, listed, SAYS(gpu_kernel_time_ms, ""), SAYS(cpu_duration_ms, ""),
            SAYS(sync_time_ms, ""), SAYS(sync_ops_count, ""),
            SAYS(has_sync_bottleneck, ""));
static VIEW(time_breakdown, listed, MEMBERS_FROM(times, times),
            SAYS(note, "kernel time ranks bottlenecks"));
static VIEW(idle_priority, listed, CALL(priority, NUMBER, first_priority));
static VIEW(counted, category_result, AS("ops_count", n_rows, COUNT),
            F(operation_count, COUNT));
static VIEW(uncounted, listed, CALL(ops_count, NUMBER, first_priority),
            SAYS(operation_count, ""));
static FIELDS(listed, ENUM_AS("name", category, work_category_name, WORK_CATEGORIES),
              ENUM_AS("display_name", category, work_category_display, WORK_CATEGORIES),
              ENUM_AS("skill", category, analyser_of, WORK_CATEGORIES),
              CALL(tier, TEXT, tier), MEMBERS_FROM(idle_priority, idle_priority),
              MEMBERS_FROM(counted, timed), MEMBERS_FROM(uncounted, no_entry_times),
              CALL(csv_file, NAME, csv_file), CALL(metadata_file, NAME, metadata_file),
              CALL(tree_data_file, NAME, tree_file), CALL(data_file, NAME, data_file),
              MEMBERS_FROM(times, timed), MEMBERS_FROM(no_times, no_entry_times));

static struct listed listed_of(const struct pipeline_source *s, enum work_category c)
{
    return (struct listed){
        c, c <= WORK_COMMUNICATION ? &s->a->categories[c] : NULL,
        c == WORK_MULTI_KERNEL    ? "category_data/multi_kernel_data.json"
        : c == WORK_KERNEL_FUSION ? "category_data/fusion_candidates.json"
                                  : NULL,
        c < WORK_COMMUNICATION && s->tree};
}

/* In the order of their files: idle time first. */
static struct field_items categories(const struct described *in)
{
    const struct pipeline_source *s = source_of(in);
    enum work_category list[WORK_CATEGORIES];
    int n = pipeline_categories(s, list), n_all = 0;
    struct listed *all = arena_new(in->tmp, struct listed, n + 3);
    all[n_all++] = listed_of(s, WORK_CPU_IDLE);
    for (int k = 0; k < n; k++)
        all[n_all++] = listed_of(s, list[k]);
    if (pipeline_has_multi_kernel(s))
        all[n_all++] = listed_of(s, WORK_MULTI_KERNEL);
    if (pipeline_has_fusion(s))
        all[n_all++] = listed_of(s, WORK_KERNEL_FUSION);
    return (struct field_items){.first = all, .n = n_all};
}

static struct field_items with_data(const struct described *in)
{
    const struct pipeline_source *s = source_of(in);
    enum work_category list[WORK_CATEGORIES];
    int n = pipeline_categories(s, list), n_with = 0;
    struct str *names = arena_new(in->tmp, struct str, n);
    for (int k = 0; k < n; k++)
        if (list[k] < WORK_COMMUNICATION && s->a->categories[list[k]].n_rows)
            names[n_with++] = work_category_name(list[k]);
    return (struct field_items){.first = names, .n = n_with};
}

enum { NAMES_BYTES = 1 << 14 }; /* of one operation */
static FIELDS(top_operation, F(rank, NUMBER), F(name, TEXT),
              LIST_WITHIN(NAMES_BYTES, "unified_names", unified_names, n_unified, text),
              ENUM(category, work_category_name, WORK_CATEGORIES), F(time_ms, MS),
              F(count, COUNT), AS("percent_of_compute", compute_pct, PCT),
              AS("percent_of_total", total_pct, PCT));

TELL(bool, idle_critical, report_timeline, it->idle_pct > 50.0);
TELL(bool, compute_warning, report_timeline, it->computation_pct < 95.0);
static VIEW(utilization, report_timeline, AS("total_time_ms", total_ms, MS),
            AS("computation_time_percent", computation_pct, PCT),
            AS("exposed_comm_time_percent", exposed_comm_pct, PCT),
            AS("exposed_memcpy_time_percent", exposed_memcpy_pct, PCT),
            AS("idle_time_percent", idle_pct, PCT),
            AS("computation_time_ms", computation_ms, MS),
            AS("idle_time_ms", idle_ms, MS), AS("busy_time_percent", busy_pct, PCT),
            AS("total_comm_time_ms", total_comm_ms, MS),
            AS("total_memcpy_time_ms", total_memcpy_ms, MS));
static VIEW(used, report_timeline, PART("gpu_utilization", utilization));
static VIEW(warnings, report_timeline, CALL(cpu_idle_critical, FLAG, idle_critical),
            CALL(compute_utilization_warning, FLAG, compute_warning));
static VIEW(top, analysis, ARRAY("top_operations", top, n_top, top_operation));
static VIEW(paths, report_meta, AS("trace_path", trace_file, TEXT),
            SAYS(output_dir, "."));
static VIEW(platform, report_meta, F(platform, NAME));
static VIEW(manifest_head, report, STRUCT_AS(NULL, meta, platform),
            STRUCT_AS(NULL, meta, paths), SAYS(comparison_scope, "standalone"),
            STRUCT_AS(NULL, timeline, used), STRUCT_AS(NULL, timeline, warnings));
static VIEW(
    manifest, pipeline_source, MEMBERS_OF(r, manifest_head), MEMBERS_OF(a, top),
    CALL_LIST(categories, listed, categories),
    CALL_LIST(categories_with_data, text, with_data),
    SAYS(time_metric_note,
         "gpu_kernel_time_ms ranks; cpu_duration_ms is host time and does not"));

void pipeline_put_manifest(struct pipeline_files *f, const struct pipeline_source *s)
{
    pipeline_tell(f, S("category_data/category_manifest.json"), manifest_fields(), s);
    pipeline_tell(f, S("category_manifest.json"), manifest_fields(), s);
}

static double bf16_peak(const struct described *in)
{
    const struct report_device *d = in->of;
    double peak = (double)NAN;
    for (int k = 0; k < d->n_peaks; k++)
        if (str_eq(d->peaks[k].spec, S("matrix_bf16")))
            peak = d->peaks[k].tflop_per_s;
    return peak;
}

TELL(struct field_items, peaks, report_device,
     (struct field_items){.first = it->peaks, .n = it->n_peaks});
TELL(struct str, peak_name, report_peak, str_head(it->spec, 60));
TELL(double, memory_bw, report_device,
     it->known ? number_rounded(it->memory_tb_per_s, 3) : (double)NAN);
TELL(double, memory_gb, report_device, it->known ? it->memory_gb : (double)NAN);
TELL(struct str, idle_severity, report,
     it->analysis && it->analysis->system
         ? idle_severity_word(&it->analysis->system->idle)
         : S("UNKNOWN"));
TELL(const void *, report, listed, it ? source_of(in)->r : NULL);
TELL(const void *, idle_report, listed,
     it->category == WORK_CPU_IDLE ? source_of(in)->r : NULL);

static FIELDS(report_peak, CALL(spec, TEXT, peak_name), ITSELF(tflop_per_s, RATE));
static FIELDS(report_device, CALL(peak_hbm_bw_tbs, EXACT, memory_bw),
              CALL(peak_bf16_maf_tflops, RATE, bf16_peak),
              CALL_MAP(max_achievable_tflops, report_peak, peaks),
              CALL(memory_gb, RATE, memory_gb));
static VIEW(metadata_head, report, STRUCT_AS(NULL, meta, platform),
            STRUCT_AS(NULL, device, report_device), STRUCT_AS(NULL, meta, paths));
static VIEW(metadata_use, report, STRUCT_AS(NULL, timeline, used));
static VIEW(idle_flag, report_timeline, CALL(idle_critical, FLAG, idle_critical));
static VIEW(idle_tail, report, STRUCT_AS(NULL, timeline, idle_flag),
            CALL(severity, TEXT, idle_severity));
static VIEW(metadata, listed, MEMBERS_FROM(metadata_head, report),
            ENUM(category, work_category_display, WORK_CATEGORIES),
            ENUM_AS("category_name", category, work_category_name, WORK_CATEGORIES),
            CALL(tier, TEXT, tier), MEMBERS_FROM(metadata_use, report),
            PART("time_breakdown", time_breakdown),
            SAYS(trace_loading_policy, "use_precomputed_data_only"),
            MEMBERS_FROM(idle_tail, idle_report));

void pipeline_put_metadata(struct pipeline_files *f, struct arena tmp,
                           const struct pipeline_source *s)
{
    struct field_items all = categories(&(struct described){s, s, &tmp});
    const struct listed *list = all.first;
    for (int k = 0; k < all.n; k++) {
        const struct json_walk w = {.whole = s, .tmp = &tmp};
        cJSON *o =
            pipeline_add(f, str_printf(f->perm, "metadata/%.*s_metadata.json",
                                       STRF(work_category_name(list[k].category))));
        json_put_described(o, metadata_fields(), &list[k], &w);
    }
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
