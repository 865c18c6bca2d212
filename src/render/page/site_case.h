/* site_case.h - a report made by hand, for the tests of the pages.
 *
 * Two categories, three operations, four findings of all tiers, checks with every
 * result; one name is hostile. Sums agree: the operations add up to the categories, and
 * those to the computation. Everything lives in the arena. */
#ifndef RENDER_PAGE_SITE_CASE_H
#define RENDER_PAGE_SITE_CASE_H

#include "base/arena.h"
#include "report/op_case.h"

#include <math.h>
#include <string.h>

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
    static const struct perf_cost *const modelled = (const struct perf_cost *)"";
    static const struct str modules[] = {S_INIT("ViT"), S_INIT("Mlp<b>")};
    struct report_op op = op_case(str_of(name), total_ms, 29.7);
    struct work_row *row = op_case_row(&op);
    struct op_group *group = op_case_group(&op);
    op.id = str_of(id);
    op.category = category;
    op.share_pct = total_ms;
    op.p95_us = 110.0 * total_ms;
    row->args = S("(4096,1024) bf16, (1024,4096) bf16");
    row->count = 10;
    row->mean_us = 100.0 * total_ms;
    row->efficiency.bound = BOUND_COMPUTE;
    row->module_chain = arena_new(a, struct str, 2);
    memcpy(row->module_chain, modules, sizeof modules);
    row->n_modules = 2;
    group->direct_us = (struct sample_stats){.mean = 100.0 * total_ms,
                                             .std = 2.5 * total_ms,
                                             .median = 100.0 * total_ms,
                                             .min = 90.0 * total_ms,
                                             .max = 120.0 * total_ms};
    group->gflop = 34.4;
    group->flop_per_byte = 512.0;
    group->tflop_per_s = 210.0;
    group->tb_per_s = 0.41;
    group->compute_spec = S("matrix_bf16");
    group->cost = modelled;
    group->kernels = arena_new(a, struct kernel_detail, 1);
    group->kernels[0].name = S("Cijk_Ailk_Bljk_BBS_BH_MT256x256x32");
    group->kernels[0].mean_us = 100.0 * total_ms;
    group->n_kernels = 1;
    return op;
}

static inline void case_ops(struct arena *a, struct report *r)
{
    r->n_ops = 3;
    r->ops = arena_new(a, struct report_op, 3);
    r->ops[0] = case_op(a, "op-00000001", "aten::addmm", 0, 50.0);
    r->ops[1] = case_op(a, "op-00000002", CASE_HOSTILE, 0, 10.0);
    r->ops[2] = case_op(a, "op-00000003", "aten::mul", 1, 40.0);
    struct op_group *unmodelled = op_case_group(&r->ops[1]);
    struct op_group *mul = op_case_group(&r->ops[2]);
    struct work_efficiency *above = &op_case_row(&r->ops[2])->efficiency;
    above->bound = BOUND_MEMORY;
    above->percent = 113.0;
    above->anomaly = true;
    mul->compute_spec = S("vector_fp32");
    mul->flop_per_byte = 0.25;
    mul->tflop_per_s = 1.5;
    r->ops[0].kit = S("replay_packages/aten_addmm_replay_package.zip");
    r->ops[0].finding = 0;
    unmodelled->cost = NULL;
    op_case_row(&r->ops[1])->efficiency.percent = unmodelled->flop_per_byte =
        (double)NAN;
    unmodelled->tflop_per_s = unmodelled->tb_per_s = (double)NAN;
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
         .share_pct = 60.0,
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
         .share_pct = 40.0,
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

static inline struct finding case_finding(struct arena *a, enum finding_tier tier,
                                          enum finding_kind kind,
                                          enum priority priority, const char *title)
{
    struct finding f = {
        .id = S("gemm.low_efficiency.aten_addmm.compute"),
        .tier = tier,
        .tier_number = 1,
        .category = WORK_GEMM,
        .kind = kind,
        .pattern = S("low_efficiency"),
        .title = str_of(title),
        .op = S("aten::addmm"),
        .priority = priority,
        .priority_basis = S("top operation at 29.7 % of its roof"),
        .issue = S("`aten::addmm` reaches 29.7 % of its roof [x](http://x)."),
        .algorithmic = S("Pad `N` to a multiple of 64."),
        .kernel = S("Tune the GEMM library."),
        .confidence = CONFIDENCE_HIGH,
        .count = 10,
        .time_ms = 50.0,
        .compute_pct = 50.0,
        .total_pct = 41.7,
        .category_pct = 83.3,
        .efficiency_pct = 29.7,
        .bound = BOUND_COMPUTE,
        .peak = S("708 TFLOP/s"),
        .achieved = S("210 TFLOP/s"),
        .until = -1,
        .impact = {21.0, 26.2, 25.2, 31.4, S_INIT("time at 60 to 80 % of the roof")},
        .impact_kernel = {21.0, 26.2, 25.2, 31.4, S_INIT("")},
        .n_projection = 2,
        .n_evidence = 2};
    f.projection = arena_new(a, struct projection_row, 2);
    f.projection[0] = (struct projection_row){60.0, 24.8, 21.0, 50.5};
    f.projection[1] = (struct projection_row){80.0, 18.6, 26.2, 62.9};
    f.evidence = arena_new(a, struct evidence, 2);
    f.evidence[0].text = S("210 of 708 TFLOP/s.");
    f.evidence[1] =
        (struct evidence){S("`aten::addmm`: 50.0 ms over 10 calls."), EVIDENCE_ROW};
    return f;
}

static inline void case_findings(struct arena *a, struct report *r)
{
    static const struct {
        const char *anchor, *rank;
    } names[] = {{"f-00000001", "K1"},
                 {"f-00000002", "S1"},
                 {"f-00000003", "F1"},
                 {"f-00000004", "K0"}};
    const double none = (double)NAN;
    struct finding *f = arena_new(a, struct finding, 4);
    f[0] = case_finding(a, TIER_COMPUTE, FIND_BOTTLENECK, PRIORITY_CRITICAL,
                        "Matrix products far below their roof");
    f[1] = case_finding(a, TIER_SYSTEM, FIND_SYSTEM, PRIORITY_HIGH,
                        "Device idle between launches");
    f[1].category = WORK_CPU_IDLE;
    f[1].bound = BOUND_NONE;
    f[1].efficiency_pct = none;
    f[1].n_projection = 0;
    f[1].peak = f[1].achieved = S("");
    f[2] = case_finding(a, TIER_FUSION, FIND_FUSION, PRIORITY_MEDIUM,
                        "Fuse the kernels of `" CASE_HOSTILE "`");
    f[3] = case_finding(a, TIER_COMPUTE, FIND_BOTTLENECK, PRIORITY_LOW,
                        "Products share a weight");
    f[3].tier_number = 0;
    f[3].informational = true;
    f[3].impact = (struct impact_range){none, none, none, none, f[3].impact.basis};
    r->n_findings = 4;
    r->findings = arena_new(a, struct report_finding, 4);
    for (int k = 0; k < 4; k++)
        r->findings[k] = (struct report_finding){
            .of = &f[k],
            .anchor = str_of(names[k].anchor),
            .rank = str_of(names[k].rank),
            .slot = k == 1 ? SLOT_OTHER : SLOT_GEMM,
            .kit = k == 1 ? S("") : S("replay_packages/aten_addmm_replay_package.zip")};
    r->findings[0].ops = case_ints(a, 0, 1);
    r->findings[0].n_ops = 1;
    r->findings[2].ops = case_ints(a, 1, 2);
    r->findings[2].n_ops = 2;
}

static inline void case_checks(struct arena *a, struct report *r)
{
    static const struct report_check made[] = {
        {S_INIT("efficiency"), S_INIT("No efficiency above 100 %"),
         S_INIT("1 operation is above its roof."), S_INIT("0"),
         S_INIT("efficiency of aten::mul"), S_INIT("Check the peaks of the platform."),
         CHECK_FAILED, S_INIT("1 efficiency is above 100 %")},
        {S_INIT("shapes"), S_INIT("Shapes are recorded"),
         S_INIT("69 % of operations have shapes."), S_INIT("90 %"),
         S_INIT("efficiency, bound"), S_INIT("Record with record_shapes=True."),
         CHECK_WARNING, S_INIT("Shapes are missing")},
        {S_INIT("dropped"), S_INIT("Events dropped by the profiler"),
         S_INIT("The trace does not record dropped events."), S_INIT("0"),
         S_INIT("all times"), S_INIT(""), CHECK_NOT_EVALUATED,
         S_INIT("Events dropped by the profiler")},
        {S_INIT("balance"), S_INIT("Parts add up"), S_INIT("The sum is off by 0 %."),
         S_INIT("0.1 %"), S_INIT("all shares"), S_INIT(""), CHECK_PASSED,
         S_INIT("Parts add up")}};
    r->n_checks = 4;
    r->checks = arena_new(a, struct report_check, 4);
    for (int k = 0; k < 4; k++) {
        r->checks[k] = made[k];
        r->n_checked[made[k].result]++;
    }
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
        .verdict_alone = S("The GPU was busy 83.3 % of 120.0 ms."),
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
                               .work = WORK_GEMM,
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
