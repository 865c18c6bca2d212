/* site_case.h - a report made by hand, for the tests of the pages.
 *
 * Two categories, three operations, four findings of all tiers, checks of every result;
 * one name is hostile. Sums are whole: the operations add up to the categories, those
 * to the computation. Everything lies in the arena. */
#ifndef RENDER_SITE_CASE_H
#define RENDER_SITE_CASE_H

#include "base/arena.h"
#include "report/report.h"

#include <math.h>

#define CASE_HOSTILE "\"><svg onload=alert(1)>{{x}}</script>"

static inline int *case_ints(struct arena *a, int first, int n)
{
    int *list = arena_new(a, int, n);
    for (int k = 0; k < n; k++)
        list[k] = first + k;
    return list;
}

static inline struct report_op case_op(struct arena *a, const char *id,
                                       const char *name, int category, double total_ms)
{
    struct report_op op = {.id = str_of(id),
                           .name = str_of(name),
                           .args = S("(4096,1024) bf16, (1024,4096) bf16"),
                           .category = category,
                           .count = 10,
                           .total_ms = total_ms,
                           .share_pct = total_ms,
                           .mean_us = 100.0 * total_ms,
                           .median_us = 100.0 * total_ms,
                           .p95_us = 110.0 * total_ms,
                           .min_us = 90.0 * total_ms,
                           .max_us = 120.0 * total_ms,
                           .spread_pct = 2.5,
                           .gflop = 34.4,
                           .mib = 24.0,
                           .flop_per_byte = 512.0,
                           .tflop_per_s = 210.0,
                           .tb_per_s = 0.41,
                           .efficiency_pct = 29.7,
                           .compute_spec = S("matrix_bf16"),
                           .bound = REPORT_BOUND_COMPUTE,
                           .has_model = true,
                           .finding = -1};
    op.kernels = arena_new(a, struct str, 1);
    op.kernels[0] = S("Cijk_Ailk_Bljk_BBS_BH_MT256x256x32");
    op.kernel_us = arena_new(a, double, 1);
    op.kernel_us[0] = op.mean_us;
    op.n_kernels = 1;
    op.modules = arena_new(a, struct str, 2);
    op.modules[0] = S("ViT");
    op.modules[1] = S("Mlp<b>");
    op.n_modules = 2;
    return op;
}

static inline void case_ops(struct arena *a, struct report *r)
{
    r->n_ops = 3;
    r->ops = arena_new(a, struct report_op, 3);
    r->ops[0] = case_op(a, "op-00000001", "aten::addmm", 0, 50.0);
    r->ops[1] = case_op(a, "op-00000002", CASE_HOSTILE, 0, 10.0);
    r->ops[2] = case_op(a, "op-00000003", "aten::mul", 1, 40.0);
    r->ops[2].bound = REPORT_BOUND_MEMORY;
    r->ops[2].compute_spec = S("vector_fp32");
    r->ops[2].flop_per_byte = 0.25;
    r->ops[2].tflop_per_s = 1.5;
    r->ops[2].efficiency_pct = 113.0;
    r->ops[2].anomaly = true;
    r->ops[0].kit = S("replay_packages/aten_addmm_replay_package.zip");
    r->ops[0].finding = 0;
    r->ops[1].has_model = false;
    r->ops[1].efficiency_pct = r->ops[1].flop_per_byte = (double)NAN;
    r->ops[1].tflop_per_s = r->ops[1].tb_per_s = (double)NAN;
    for (int i = 0; i < 3; i++)
        r->ops[i].cumulative_pct =
            r->ops[i].share_pct + (i ? r->ops[i - 1].cumulative_pct : 0.0);
}

static inline void case_categories(struct arena *a, struct report *r)
{
    static const struct report_category made[] = {
        {.id = S_INIT("gemm"),
         .label = S_INIT("GEMM"),
         .page = S_INIT("category-gemm.html"),
         .slot = SLOT_GEMM,
         .time_ms = 60.0,
         .compute_pct = 60.0,
         .total_pct = 50.0,
         .operations = 2,
         .launches = 20,
         .efficiency_pct = 29.7,
         .unmodelled_ms = 10.0},
        {.id = S_INIT("elementwise"),
         .label = S_INIT("Elementwise"),
         .page = S_INIT("category-elementwise.html"),
         .slot = SLOT_ELEMENTWISE,
         .time_ms = 40.0,
         .compute_pct = 40.0,
         .total_pct = 33.3,
         .operations = 1,
         .launches = 10,
         .efficiency_pct = 113.0}};
    r->n_categories = 2;
    r->categories = arena_new(a, struct report_category, 2);
    for (int k = 0; k < 2; k++) {
        r->categories[k] = made[k];
        r->categories[k].durations.count[24] = made[k].launches;
        r->categories[k].durations.total_ns[24] = (int64_t)(made[k].time_ms * 1e6);
    }
    r->categories[0].ops = case_ints(a, 0, 2);
    r->categories[0].n_ops = 2;
    r->categories[1].ops = case_ints(a, 2, 1);
    r->categories[1].n_ops = 1;
    r->durations.count[24] = 30;
    r->durations.total_ns[24] = 100000000;
}

static inline struct report_finding case_finding(struct arena *a, enum report_tier tier,
                                                 const char *anchor, const char *rank)
{
    struct report_finding f = {
        .id = S("gemm.low_efficiency.aten_addmm.compute"),
        .anchor = str_of(anchor),
        .tier = tier,
        .rank = str_of(rank),
        .tier_number = 1,
        .category = S("gemm"),
        .category_label = S("GEMM"),
        .kind = S("bottleneck"),
        .pattern = S("low_efficiency"),
        .title = S("Matrix products far below their roof"),
        .name = S("aten::addmm"),
        .slot = SLOT_GEMM,
        .priority = REPORT_CRITICAL,
        .priority_basis = S("top operation at 29.7 % of its roof"),
        .issue = S("`aten::addmm` reaches 29.7 % of its roof [x](http://x)."),
        .algorithmic = S("Pad `N` to a multiple of 64."),
        .kernel = S("Tune the GEMM library."),
        .confidence = S("high"),
        .count = 10,
        .time_ms = 50.0,
        .compute_pct = 50.0,
        .total_pct = 41.7,
        .category_pct = 83.3,
        .efficiency_pct = 29.7,
        .bound = REPORT_BOUND_COMPUTE,
        .peak = S("708 TFLOP/s"),
        .achieved = S("210 TFLOP/s"),
        .impact = {21.0, 26.2, 25.2, 31.4, S_INIT("time at 60 to 80 % of the roof")},
        .impact_kernel = {21.0, 26.2, 25.2, 31.4, S_INIT("")},
        .n_projection = 2,
        .n_evidence = 1,
        .kit = S("replay_packages/aten_addmm_replay_package.zip")};
    f.projection = arena_new(a, struct report_projection, 2);
    f.projection[0] = (struct report_projection){60.0, 24.8, 21.0, 50.5};
    f.projection[1] = (struct report_projection){80.0, 18.6, 26.2, 62.9};
    f.evidence = arena_new(a, struct str, 1);
    f.evidence[0] = S("210 of 708 TFLOP/s.");
    return f;
}

static inline void case_findings(struct arena *a, struct report *r)
{
    r->n_findings = 4;
    r->findings = arena_new(a, struct report_finding, 4);
    r->findings[0] = case_finding(a, REPORT_COMPUTE, "f-00000001", "K1");
    r->findings[0].ops = case_ints(a, 0, 1);
    r->findings[0].n_ops = 1;
    r->findings[1] = case_finding(a, REPORT_SYSTEM, "f-00000002", "S1");
    r->findings[1].category = S("cpu_idle");
    r->findings[1].category_label = S("CPU/Idle Analysis");
    r->findings[1].slot = SLOT_OTHER;
    r->findings[1].kind = S("system");
    r->findings[1].title = S("Device idle between launches");
    r->findings[1].priority = REPORT_HIGH;
    r->findings[1].bound = REPORT_BOUND_NONE;
    r->findings[1].efficiency_pct = (double)NAN;
    r->findings[1].n_projection = 0;
    r->findings[1].peak = r->findings[1].achieved = r->findings[1].kit = S("");
    r->findings[2] = case_finding(a, REPORT_FUSION, "f-00000003", "F1");
    r->findings[2].kind = S("fusion");
    r->findings[2].title = S("Fuse the kernels of `" CASE_HOSTILE "`");
    r->findings[2].priority = REPORT_MEDIUM;
    r->findings[2].ops = case_ints(a, 1, 2);
    r->findings[2].n_ops = 2;
    r->findings[3] = case_finding(a, REPORT_COMPUTE, "f-00000004", "K0");
    r->findings[3].tier_number = 0;
    r->findings[3].informational = true;
    r->findings[3].priority = REPORT_LOW;
    r->findings[3].title = S("Products share a weight");
    r->findings[3].impact.low_pct = r->findings[3].impact.high_pct = (double)NAN;
    r->findings[3].impact.low_ms = r->findings[3].impact.high_ms = (double)NAN;
}

static inline void case_checks(struct arena *a, struct report *r)
{
    static const struct report_check made[] = {
        {S_INIT("efficiency"), S_INIT("No efficiency above 100 %"),
         S_INIT("1 operation is above its roof."), S_INIT("0"),
         S_INIT("efficiency of aten::mul"), S_INIT("Check the peaks of the platform."),
         CHECK_FAILED},
        {S_INIT("shapes"), S_INIT("Shapes are recorded"),
         S_INIT("69 % of operations have shapes."), S_INIT("90 %"),
         S_INIT("efficiency, bound"), S_INIT("Record with record_shapes=True."),
         CHECK_WARNING},
        {S_INIT("baseline"), S_INIT("Comparable with the baseline"),
         S_INIT("No baseline was given."), S_INIT("same device"), S_INIT("comparisons"),
         S_INIT(""), CHECK_NOT_EVALUATED},
        {S_INIT("balance"), S_INIT("Parts add up"), S_INIT("The sum is off by 0 %."),
         S_INIT("0.1 %"), S_INIT("all shares"), S_INIT(""), CHECK_PASSED}};
    r->n_checks = 4;
    r->n_failed = r->n_warnings = 1;
    r->checks = arena_new(a, struct report_check, 4);
    for (int k = 0; k < 4; k++)
        r->checks[k] = made[k];
    r->n_warning_list = 1;
    r->warnings = arena_new(a, struct report_warning, 1);
    r->warnings[0] = (struct report_warning){
        S("norm"), S("The analysis of norm failed: no such column."), true};
}

static inline void case_device(struct arena *a, struct report *r)
{
    r->device = (struct report_device){.known = true,
                                       .name = S("MI300X"),
                                       .memory_tb_per_s = 5.3,
                                       .memory_gb = 192.0,
                                       .n_peaks = 2};
    r->device.peaks = arena_take(a, sizeof *r->device.peaks, 16, 2);
    r->device.peaks[0].spec = S("matrix_bf16");
    r->device.peaks[0].tflop_per_s = 708.0;
    r->device.peaks[1].spec = S("vector_fp32");
    r->device.peaks[1].tflop_per_s = 81.7;
}

static inline struct report case_report(struct arena *a)
{
    struct report r = {
        .meta = {.run_label = S("case<1>"),
                 .trace_file = S("case.json.gz"),
                 .tool_version = S("tracefolio 0"),
                 .report_id = S("0123456789abcdef"),
                 .input_digest = S("0123456789ab"),
                 .captured = S("not recorded"),
                 .platform = S("MI300X"),
                 .model = S("Workload"),
                 .n_events = 1000,
                 .trace_bytes = 100000,
                 .has_shapes = true,
                 .has_cpu_op = true,
                 .has_gpu = true},
        .timeline = {.total_ms = 120.0,
                     .computation_ms = 100.0,
                     .idle_ms = 20.0,
                     .busy_ms = 100.0,
                     .computation_pct = 83.3,
                     .idle_pct = 16.7,
                     .busy_pct = 83.3},
        .verdict = S("The GPU was busy 83.3 % of 120.0 ms."),
        .lead = S("Three findings."),
    };
    case_device(a, &r);
    case_ops(a, &r);
    case_categories(a, &r);
    case_findings(a, &r);
    case_checks(a, &r);
    r.n_kernels = 1;
    r.kernels = arena_new(a, struct report_kernel, 1);
    r.kernels[0] =
        (struct report_kernel){.id = S("k-00000001"),
                               .name = S("Cijk_Ailk_Bljk_BBS_BH_MT256x256x32"),
                               .op = S("aten::addmm"),
                               .category = S("GEMM"),
                               .slot = SLOT_GEMM,
                               .count = 10,
                               .total_ms = 50.0,
                               .share_pct = 50.0,
                               .mean_us = 5000.0,
                               .min_us = 4900.0,
                               .max_us = 5100.0,
                               .p95_us = 5090.0,
                               .std_us = 12.0};
    return r;
}

#endif
