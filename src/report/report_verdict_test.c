#include "report_verdict.c"

#include "analysis/model/work_facts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct arena memory;

static struct report run_of(struct analysis *a, double compute, double idle,
                            double comm, double copies)
{
    return (struct report){.analysis = a,
                           .meta = {.has_gpu = true},
                           .timeline = {.total_ms = 2000,
                                        .computation_pct = compute,
                                        .idle_pct = idle,
                                        .exposed_comm_pct = comm,
                                        .exposed_memcpy_pct = copies}};
}

static void assert_kind(struct report r, enum verdict_kind kind, const char *begin)
{
    struct op_tables t = {.facts.kind.kind = TRACE_HOST};
    struct report_source s = {.perm = &memory, .t = &t, .a = r.analysis};
    report_verdict_fill(&s, &r);
    assert_int_equal(r.verdict_kind, kind);
    assert_true(str_starts(r.verdict, str_of(begin)));
}

enum { MS = 1000000 };

/* 30 and 25 of 100 ms of other work, or 19 of these: together half of it, or not. */
static void the_two_kinds_of_other_work_are_named(void **state)
{
    (void)state;
    for (int half = 0; half < 2; half++) {
        struct report_category c = {
            .id = S("other"), .label = S("Other"), .time_ms = 100, .share_pct = 80};
        struct analysis a = {0};
        work_set(&memory, &a.categories[WORK_OTHER], FACT("ai_cpu_ms", half ? 25 : 19),
                 FACT("layout_ms", 30), FACT("loss_ms", 2));
        struct report r = run_of(&a, 95, 5, 0, 0);
        r.categories = &c;
        r.n_categories = 1;
        assert_string_equal(str_c(&memory, report_category_text(&memory, &r)),
                            half ? " The largest part of kernel time is changes of "
                                   "layout and operators on the AI CPU (44.0%)."
                                 : " Most kernel time is Other (80.0%).");
    }
}

/* A kernel with most of all kernel time is named in place of "Other". */
static void most_of_other_has_a_name(void **state)
{
    (void)state;
    static const struct {
        double ms, share_pct;
        const char *says;
    } cases[] = {{70, 80, " Most kernel time is mine (56.0%)."},
                 {60, 80, " Most kernel time is Other (80.0%)."},
                 {60, 50, " The largest part of kernel time is Other (50.0%)."}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct work_row row = {.time_ms = cases[k].ms,
                               .name = S("cudaLaunchKernel->void mine")};
        struct report_op ops = {.row = &row};
        int first = 0;
        struct report_category c = {.id = S("other"),
                                    .label = S("Other"),
                                    .time_ms = 100,
                                    .share_pct = cases[k].share_pct,
                                    .ops = &first,
                                    .n_ops = 1};
        struct analysis a = {0};
        struct report r = run_of(&a, 95, 5, 0, 0);
        r.ops = &ops;
        r.categories = &c;
        r.n_categories = 1;
        assert_string_equal(str_c(&memory, report_category_text(&memory, &r)),
                            cases[k].says);
    }
}

/* 90 ms of 100 that copies take to and from the host, or 5 of them, beside 40 ms. */
static void copies_are_no_kernel_time(void **state)
{
    (void)state;
    static const struct {
        double copies_ms;
        const char *says;
    } cases[] = {{90, " Most of the kernel time without copies is GEMM."},
                 {5, " Most kernel time is Elementwise (71.4%)."}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct report_part parts[] = {
            {.kernel = -1, .total_ms = cases[k].copies_ms},
            {.kernel = 0, .total_ms = 100 - cases[k].copies_ms}};
        struct report_category c[] = {{.id = S("elementwise"),
                                       .label = S("Elementwise"),
                                       .time_ms = 100,
                                       .share_pct = 100 / 1.4,
                                       .kernels = parts,
                                       .n_kernels = 2},
                                      {.id = S("gemm"),
                                       .label = S("GEMM"),
                                       .time_ms = 40,
                                       .share_pct = 40 / 1.4}};
        struct analysis a = {0};
        struct report r = run_of(&a, 95, 5, 0, 0);
        r.categories = c;
        r.n_categories = 2;
        assert_string_equal(str_c(&memory, report_category_text(&memory, &r)),
                            cases[k].says);
    }
}

/* One operator of `pct` of the roof of memory. */
static void a_bound_needs_work_near_its_roof(void **state)
{
    (void)state;
    static const struct {
        double pct, short_pct;
        const char *says;
    } cases[] = {
        {40, 0, ", most of it memory-bound."},
        {39.9, 0, ", most of it memory-bound by its shapes, at 40% of that roof."},
        {9.9, 0,
         ", most of it limited by neither compute nor memory (9.9% of the "
         "nearer roof)."},
        {9.9, 60, ", most of it in kernels shorter than 10 µs."},
        {40, 60, ", most of it memory-bound."}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct work_row row = {
            .time_ms = 10,
            .efficiency = {.percent = cases[k].pct, .bound = BOUND_MEMORY}};
        struct report_op ops = {.row = &row};
        struct op_tables tables = {0};
        struct system_results results = {.idle.short_kernel_pct = cases[k].short_pct};
        struct analysis a = {.system = &results, .tables = &tables};
        struct report r = run_of(&a, 95, 5, 0, 0);
        r.ops = &ops;
        r.n_ops = 1;
        assert_kind(r, VERDICT_DEVICE,
                    str_c(&memory, say(&memory,
                                       "Device-bound: the GPU computes for 95.0% of "
                                       "2.00 s{}",
                                       said(cases[k].says))));
    }
}

/* Of unknown shape: by the kernel's name, where that is most of the time. */
static void matrix_vector_products_wait_for_memory(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double ms;
        const char *says;
        double few_tokens;
    } cases[] = {
        {"cudaGraphLaunch->void gemv2T_kernel_val (Synthetic Op)", 6,
         ", most of it in matrix-vector multiplications, which memory limits.", 0},
        {"cudaGraphLaunch->void gemv2T_kernel_val (Synthetic Op)", 5, ".", 0},
        {"cudaGraphLaunch->ampere_bf16_s16816gemm", 6,
         ", most of it in matmuls of few tokens, which reading weights limits.", 1},
        {"cudaGraphLaunch->ampere_bf16_s16816gemm", 6, ".", 0}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct work_row rows[] = {{.time_ms = cases[k].ms,
                                   .name = str_of(cases[k].name),
                                   .category = WORK_GEMM,
                                   .efficiency.percent = (double)NAN},
                                  {.time_ms = 10 - cases[k].ms,
                                   .name = S("aten::softmax"),
                                   .efficiency.percent = (double)NAN}};
        struct report_op ops[] = {{.row = &rows[0]}, {.row = &rows[1]}};
        struct op_tables tables = {0};
        struct system_results results = {0};
        struct analysis a = {.system = &results, .tables = &tables};
        work_set(&memory, &a, FACT("few_tokens", cases[k].few_tokens));
        struct report r = run_of(&a, 95, 5, 0, 0);
        r.ops = ops;
        r.n_ops = 2;
        assert_kind(r, VERDICT_DEVICE,
                    str_c(&memory, say(&memory,
                                       "Device-bound: the GPU computes for 95.0% of "
                                       "2.00 s{}",
                                       said(cases[k].says))));
    }
}

/* The longest of its kernels, which are by time, shortest first, says what it is. */
static void the_longest_kernel_says_what_limits(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        struct kernel_detail kernels[] = {
            {.name = k ? S("gemv2T_kernel") : S("splitKreduce_kernel"), .total_us = 1},
            {.name = k ? S("ampere_sgemm") : S("gemv2T_kernel"), .total_us = 9}};
        struct op_group group = {.kernels = kernels, .n_kernels = 2};
        struct work_row row = {.time_ms = 10,
                               .name = S("aten::mv"),
                               .category = WORK_GEMM,
                               .group = &group,
                               .efficiency.percent = (double)NAN};
        struct report_op ops = {.row = &row};
        struct op_tables tables = {0};
        struct system_results results = {0};
        struct analysis a = {.system = &results, .tables = &tables};
        struct report r = run_of(&a, 95, 5, 0, 0);
        r.ops = &ops;
        r.n_ops = 1;
        assert_kind(
            r, VERDICT_DEVICE,
            k ? "Device-bound: the GPU computes for 95.0% of 2.00 s."
              : "Device-bound: the GPU computes for 95.0% of 2.00 s, most of it in "
                "matrix-vector multiplications, which memory limits.");
    }
}

/* Busy all the time, and nearly empty: half of the units without a block, in most of
 * kernel time. */
static void an_empty_device_is_not_just_busy(void **state)
{
    (void)state;
    static const struct {
        double empty_pct, known_pct;
        const char *says;
    } cases[] = {
        {88, 60,
         "Device-bound: the GPU computes for 95.0% of 2.00 s, but kernels leave 88.0% "
         "of its SMs without a block."},
        {49, 60, "Device-bound: the GPU computes for 95.0% of 2.00 s."},
        {88, 59, "Device-bound: the GPU computes for 95.0% of 2.00 s."}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct fill_sum row = {0};
        struct op_tables tables = {.fill = {.rows = &row,
                                            .says_sm = true,
                                            .work = {.empty_pct = cases[k].empty_pct,
                                                     .known_pct = cases[k].known_pct}}};
        struct system_results results = {0};
        struct analysis a = {.system = &results, .tables = &tables};
        assert_kind(run_of(&a, 95, 5, 0, 0), VERDICT_DEVICE, cases[k].says);
    }
}

/* From a tenth on. */
static void what_else_a_device_bound_run_does(void **state)
{
    (void)state;
    struct system_results results = {.idle = {.pool_ns = {[POOL_HOST] = 400 * MS}}};
    struct analysis a = {.system = &results};
    assert_kind(run_of(&a, 80, 20, 0, 0), VERDICT_DEVICE,
                "Device-bound: the GPU computes for 80.0% of 2.00 s; for 20.0% of the "
                "time it waits for the host.");
    results.idle.pool_ns[POOL_HOST] = 100 * MS;
    assert_kind(run_of(&a, 88, 12, 0, 0), VERDICT_DEVICE,
                "Device-bound: the GPU computes for 88.0% of 2.00 s; it is idle for "
                "12.0%.");
    assert_kind(run_of(&a, 75, 25, 0, 0), VERDICT_DEVICE,
                "Device-bound: the GPU computes for 75.0% of 2.00 s; it is idle for "
                "25.0%.");
    assert_kind(run_of(&a, 66, 1, 22, 11), VERDICT_DEVICE,
                "Mostly device-bound: the GPU computes for 66.0% of 2.00 s; exposed "
                "collectives take 22.0%; exposed copies take 11.0%.");
    assert_kind(run_of(&a, 82, 1, 9, 8), VERDICT_DEVICE,
                "Device-bound: the GPU computes for 82.0% of 2.00 s.");
}

/* Calls of one size that differ show how much of it is waiting. */
static void waiting_for_ranks_is_told(void **state)
{
    (void)state;
    struct system_results results = {0};
    struct analysis a = {.system = &results, .exposed_comm_ms = 700};
    struct comm_kind *k = &results.multi_kernel.comm[COMM_ALL_REDUCE];
    *k = (struct comm_kind){.count = 9,
                            .total_us = 1e6,
                            .alike_us = 1e6,
                            .transfer_us = 1e5,
                            .exposed_us = 6e5};
    assert_kind(run_of(&a, 40, 25, 35, 0), VERDICT_COMMUNICATION,
                "Communication-bound: collectives that computation does not hide take "
                "35.0% of 2.00 s, most of it waiting for another rank.");
    k->exposed_us = 4e5;
    assert_kind(run_of(&a, 40, 25, 35, 0), VERDICT_COMMUNICATION,
                "Communication-bound: collectives that computation does not hide take "
                "35.0% of 2.00 s.");
}

static void each_kind(void **state)
{
    (void)state;
    struct system_results results = {.idle = {.pool_ns = {[POOL_HOST] = 780 * MS}}};
    struct analysis a = {.system = &results};
    assert_kind(run_of(&a, 60, 39, 1, 0), VERDICT_HOST,
                "Host-bound: the GPU is idle for 39.0% of 2.00 s");
    results.idle.pool_ns[POOL_HOST] = 500 * MS;
    assert_kind(
        run_of(&a, 40, 25, 35, 0), VERDICT_COMMUNICATION,
        "Communication-bound: collectives that computation does not hide take 35.0%");
    assert_kind(run_of(&a, 40, 25, 5, 30), VERDICT_COPIES, "Copy-bound: copies");
    assert_kind((struct report){.analysis = &a}, VERDICT_UNJUDGED,
                "CPU only: nothing in the trace launches");

    struct finding loader = {.category = WORK_CPU_IDLE,
                             .pattern = S("host_loader"),
                             .title = S("Add workers: the step waits"),
                             .impact = {25, 35, 500, 700, S("")}};
    struct report_finding one = {.of = &loader};
    struct report r = run_of(&a, 60, 39, 1, 0);
    r.findings = &one;
    r.n_findings = 1;
    results.idle.pool_ns[POOL_HOST] = 200 * MS;
    results.idle.pool_ns[POOL_INPUT] = 580 * MS;
    assert_kind(
        r, VERDICT_INPUT,
        "Input-bound: the GPU is idle for 39.0% of 2.00 s; for 29.0% of the time "
        "it waits for data, for 10.0% for the host.");
    struct idle_group unseen = {.class = IDLE_NOTHING,
                                .pool_ns = {[POOL_INPUT] = 400 * MS}};
    results.idle.groups = &unseen; /* half of it may be anything */
    results.idle.n_groups = 1;
    assert_kind(r, VERDICT_INPUT,
                "Input-bound: the GPU is idle for 39.0% of 2.00 s; for 29.0% of the "
                "time it waits for data, for 10.0% for the host; for 20.0% of the time "
                "nothing is recorded on the host.");
    results.idle.n_groups = 0;
    struct report_source s = {.perm = &memory, .a = &a};
    a.n_together = 2;
    a.together = (struct impact_range){30, 40, 600, 800, S("")};
    report_verdict_fill(&s, &r);
    assert_true(
        str_eq(r.lead, S("First, add workers: the step waits. This saves "
                         "500 to 700 ms (2.00 s becomes about 1.40 s). Fixing the "
                         "first two saves 600 to 800 ms.")));
    struct finding of_sum[] = {loader, loader};
    a.findings = of_sum;
    a.stages[1].finding = 1;
    report_verdict_fill(&s, &r);
    assert_true(str_ends(r.lead, S("saves 600 to 800 ms, less than their sum, as "
                                   "savings overlap.")));
    of_sum[0].impact = (struct impact_range){5, 5, 100, 100, S("")};
    of_sum[1].impact = of_sum[0].impact;
    report_verdict_fill(&s, &r);
    assert_true(str_ends(r.lead, S("saves 600 to 800 ms, more than their sum, as the "
                                   "first lets the others save more.")));
    a.findings = NULL;
    a.together = (struct impact_range){25, 35, 500, 700, S("")};
    report_verdict_fill(&s, &r); /* the second adds nothing */
    assert_true(str_eq(r.lead, S("First, add workers: the step waits. This saves "
                                 "500 to 700 ms (2.00 s becomes about 1.40 s).")));
}

/* Busy, with a kernel to be measured first: nothing else is left to gain. A wait that
 * is worth a recommendation is. */
static void busy_with_unknown_kernels(void **state)
{
    (void)state;
    struct system_results results = {0};
    struct analysis a = {.system = &results};
    struct finding unknown = {
        .category = WORK_GEMM,
        .title = S("Measure one call of `k`"),
        .impact = {(double)NAN, (double)NAN, (double)NAN, (double)NAN, S("")}};
    struct finding wait = {.category = WORK_CPU_IDLE,
                           .title = S("Remove the wait"),
                           .impact = {2, 2.9, 40, 58, S("")}};
    struct report_finding both[] = {{.of = &unknown}, {.of = &wait}};
    struct report r = run_of(&a, 96.6, 3.4, 0, 0);
    r.findings = both;
    r.n_findings = 2;
    assert_kind(r, VERDICT_DEVICE,
                "Device-bound: the GPU computes for 96.6% of 2.00 s; what may be left to "
                "gain is in its kernels.");
    wait.impact.high_pct = 3;
    assert_kind(r, VERDICT_DEVICE,
                "Device-bound: the GPU computes for 96.6% of 2.00 s.");
    wait.impact.high_pct = 2;
    unknown.title = S("Fuse `k`");
    assert_kind(r, VERDICT_DEVICE,
                "Device-bound: the GPU computes for 96.6% of 2.00 s.");
}

/* What is found of the idle time makes another kind of it. */
static void a_finding_makes_the_kind(void **state)
{
    (void)state;
    struct system_results results = {.idle = {.pool_ns = {[POOL_HOST] = 780 * MS}}};
    struct analysis a = {.system = &results};
    struct finding loader = {.category = WORK_CPU_IDLE,
                             .pattern = S("host_no_input"),
                             .title = S("Add workers: the step waits"),
                             .impact = {25, 35, 500, 700, S("")}};
    struct report_finding one = {.of = &loader};
    struct report r = run_of(&a, 60, 39, 1, 0);
    struct report_source s = {.perm = &memory, .a = &a};
    r.findings = &one;
    r.n_findings = 1;
    a.n_together = 2;
    a.together = (struct impact_range){30, 40, 600, 800, S("")};
    assert_kind(r, VERDICT_NO_WORK,
                "Without work: the GPU is idle for 39.0% of 2.00 s");
    results.idle.pool_ns[POOL_HOST] = 0;
    results.idle.pool_ns[POOL_ONCE] = 780 * MS;
    loader.pattern = S("host_recompile"); /* more than once is no warm-up */
    assert_kind(r, VERDICT_HOST, "Host-bound: ");
    loader.pattern = S("host_loader");
    assert_kind(r, VERDICT_WARM_UP, "Mostly warm-up: ");
    assert_true(str_eq(verdict_word(VERDICT_WARM_UP), S("mostly warm-up")));
    report_verdict_fill(&s, &r); /* a fast start saves nothing later */
    assert_true(str_eq(r.lead, S("First, record after warm-up. Then add workers: "
                                 "the step waits.")));
    loader.title = S("Record after warm-up: code is loaded");
    loader.recording = true;
    report_verdict_fill(&s, &r);
    assert_true(str_eq(r.lead, S("First, record after warm-up: code is loaded.")));
}

/* Idle for 60%, most of it in one pool each: only the host's lateness waits for the
 * host. */
static void idle_time_is_judged_by_its_cause(void **state)
{
    (void)state;
    struct idle_group groups[] = {
        {.blame = S_INIT("hipFree"), .pool_ns = {[POOL_CALLS] = 900 * MS}},
        {.blame = S_INIT("before a collective"),
         .pool_ns = {[POOL_QUEUED] = 900 * MS}}};
    static const struct {
        enum idle_pool pool;
        enum verdict_kind kind;
        const char *says;
    } cases[] = {
        {POOL_HOST, VERDICT_HOST,
         "Host-bound: the GPU is idle for 60.0% of 2.00 s; for "
         "45.0% of the time it waits for the host."},
        {POOL_CALLS, VERDICT_CALLS,
         "Call-bound: the GPU is idle for 60.0% of 2.00 s; for 45.0% of the time it "
         "waits while the host is inside `hipFree`, for 15.0% for the host."},
        {POOL_QUEUED, VERDICT_QUEUED,
         "Queue-bound: the GPU is idle for 60.0% of 2.00 s; for 45.0% of the time it "
         "starts queued kernels late, most often before a collective."},
        {POOL_GRAPH, VERDICT_GRAPH,
         "Graph-bound: the GPU is idle for 60.0% of 2.00 s; for 45.0% of the time it "
         "waits inside or behind GPU graphs"},
        {POOL_HIDDEN, VERDICT_HIDDEN,
         "Work is missing from the recording: kernels of 9 of 10 graph launches are "
         "not recorded, so the GPU may be idle or busy for 45.0% of 2.00 s."},
        {POOL_START, VERDICT_UNKNOWN,
         "One step recorded: the GPU is idle for 60.0% of 2.00 s; for 45.0% of the "
         "time it waits for its first launches; one step does not show whether this "
         "recurs."},
        {POOL_UNKNOWN, VERDICT_UNKNOWN, "Not explained: the GPU is idle for 60.0%"}};
    struct finding hidden = {.category = WORK_CPU_IDLE,
                             .pattern = S_INIT("hidden_work"),
                             .informational = true,
                             .title = S_INIT("Record the kernels")};
    struct report_finding one = {.of = &hidden};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct system_results results = {.idle = {.groups = groups,
                                                  .n_groups = 2,
                                                  .graph_launch_count = 10,
                                                  .graph_launches_hidden = 9,
                                                  .hidden_ns = {[HIDDEN_GRAPH] = 9}}};
        struct analysis a = {.system = &results};
        results.idle.pool_ns[POOL_HOST] = 300 * MS;
        results.idle.pool_ns[cases[k].pool] = 900 * MS;
        struct report r = run_of(&a, 40, 60, 0, 0);
        r.findings = &one;
        r.n_findings = 1;
        assert_kind(r, cases[k].kind, cases[k].says);
        struct report_source s = {.perm = &memory, .a = &a};
        report_verdict_fill(&s, &r);
        assert_true(str_eq(r.lead, cases[k].pool == POOL_HIDDEN
                                       ? S("First, record the kernels.")
                                       : S("No finding.")));
    }
}

/* Short gaps between the nodes of graphs that are all recorded are their pace; longer
 * ones, or a graph of which nothing is recorded, leave open what runs there. */
static void the_pace_of_a_graph_hides_no_work(void **state)
{
    (void)state;
    struct idle_group g = {.blame = S_INIT("inside a GPU graph"),
                           .total_ns = 900 * MS,
                           .pool_ns = {[POOL_GRAPH] = 900 * MS}};
    struct system_results results = {
        .idle = {.groups = &g, .n_groups = 1, .pool_ns = {[POOL_GRAPH] = 900 * MS}}};
    struct analysis a = {.system = &results};
    struct report r = run_of(&a, 55, 45, 0, 0);
    struct report_source s = {.perm = &memory, .a = &a};
    for (int k = 0; k < 3; k++) {
        g.gaps = k == 1 ? 45000 : 90000; /* of 20 us, or 10 */
        results.idle.graph_launches_hidden = k == 2;
        report_verdict_fill(&s, &r);
        assert_int_equal(r.verdict_kind, VERDICT_GRAPH);
        assert_int_equal(str_has(r.verdict, S("each starts 10.0 µs after")), k == 0);
        assert_int_equal(str_has(r.verdict, S("not all recorded")), k > 0);
    }
}

/* Work that is queued on one stream and not taken is held up from outside. */
static void what_holds_up_a_stream_is_not_the_host(void **state)
{
    (void)state;
    struct idle_group g = {.blame = S_INIT("between kernels"),
                           .pool_ns = {[POOL_QUEUED] = 900 * MS},
                           .stalled_us = 800e3};
    struct system_results results = {
        .idle = {.groups = &g, .n_groups = 1, .pool_ns = {[POOL_QUEUED] = 900 * MS}}};
    struct analysis a = {.system = &results};
    struct report r = run_of(&a, 55, 45, 0, 0);
    struct report_source s = {.perm = &memory, .a = &a};
    report_verdict_fill(&s, &r);
    assert_int_equal(r.verdict_kind, VERDICT_QUEUED);
    assert_true(str_has(r.verdict, S("another process")));
    /* What waits inside a graph says nothing of the queue. */
    struct idle_group with_graph[] = {
        {.blame = S_INIT("between kernels"), .pool_ns = {[POOL_QUEUED] = 900 * MS}},
        {.blame = S_INIT("in a graph"),
         .pool_ns = {[POOL_GRAPH] = 800 * MS},
         .stalled_us = 800e3}};
    results.idle.groups = with_graph;
    results.idle.n_groups = 2;
    report_verdict_fill(&s, &r);
    assert_false(str_has(r.verdict, S("another process")));
    results.idle.groups = &g;
    results.idle.n_groups = 1;
    g.stalled_us = 100e3;
    report_verdict_fill(&s, &r);
    assert_false(str_has(r.verdict, S("another process")));
}

/* 24% and 26% of the time: the largest cause binds from a quarter on, whatever idle
 * time there is in all; less is said beside. */
static void a_quarter_of_the_time_binds(void **state)
{
    (void)state;
    struct system_results results = {
        .idle = {.pool_ns = {[POOL_QUEUED] = 280 * MS, [POOL_INPUT] = 480 * MS}}};
    struct analysis a = {.system = &results};
    assert_kind(
        run_of(&a, 61, 38, 1, 0), VERDICT_DEVICE,
        "Mostly device-bound: the GPU computes for 61.0% of 2.00 s; for 24.0% of the "
        "time it waits for data.");
    results.idle.pool_ns[POOL_INPUT] = 520 * MS;
    assert_kind(run_of(&a, 59, 40, 1, 0), VERDICT_INPUT, "Input-bound: ");
    results.idle.pool_ns[POOL_INPUT] = 480 * MS; /* nothing is computed as long */
    assert_kind(run_of(&a, 20, 38, 21, 21), VERDICT_INPUT, "Input-bound: ");
}

/* A late host, its input and its waits are one cause: 37% + 9% + 8% are more than
 * collectives of 38%, and 24% + 4% are a quarter; 20% + 4% are none. */
static void what_the_host_owes_adds_up(void **state)
{
    (void)state;
    struct system_results results = {.idle = {.pool_ns = {[POOL_HOST] = 740 * MS,
                                                          [POOL_INPUT] = 180 * MS,
                                                          [POOL_CALLS] = 160 * MS}}};
    struct analysis a = {.system = &results};
    assert_kind(
        run_of(&a, 7, 55, 38, 0), VERDICT_HOST,
        "Host-bound: the GPU is idle for 55.0% of 2.00 s; for 37.0% of the time "
        "it waits for the host, for 9.0% for data, for 8.0% in synchronising or "
        "memory calls; exposed collectives take 38.0%.");
    assert_kind(run_of(&a, 3, 42, 55, 0), VERDICT_COMMUNICATION,
                "Communication-bound: collectives that computation does not hide take "
                "55.0% of 2.00 s; for 54.0% of the time the GPU waits for the host.");
    results.idle.pool_ns[POOL_HOST] = 80 * MS;
    results.idle.pool_ns[POOL_INPUT] = 480 * MS;
    results.idle.pool_ns[POOL_CALLS] = 0;
    assert_kind(run_of(&a, 71, 28, 1, 0), VERDICT_INPUT, "Input-bound: ");
    results.idle.pool_ns[POOL_INPUT] = 400 * MS;
    assert_kind(run_of(&a, 75, 24, 1, 0), VERDICT_DEVICE, "Device-bound: ");
}

/* Computation of 74% bounds the run unless what it would save waits for the host. */
static void a_device_with_slack_does_not_bind(void **state)
{
    (void)state;
    struct system_results results = {.idle = {.pool_ns = {[POOL_HOST] = 460 * MS}}};
    struct analysis a = {.system = &results};
    struct finding f = {.tier = TIER_COMPUTE,
                        .title = S("fp32 convolutions"),
                        .until = -1,
                        .impact = {30, 30, 600, 600, S("")}};
    struct report_finding one = {.of = &f};
    struct report r = run_of(&a, 74, 23, 0, 3);
    r.findings = &one;
    r.n_findings = 1;
    assert_kind(r, VERDICT_DEVICE, "Mostly device-bound: ");
    f.until = 0;
    f.impact_then = f.impact;
    f.impact.high_ms = 20;
    assert_kind(r, VERDICT_HOST, "Host-bound: ");
    r.verdict_kind = VERDICT_HOST;
    assert_true(report_paced_pct(&r) == 74);
    r.timeline.computation_pct = 49; /* nobody asks why */
    assert_true(isnan(report_paced_pct(&r)));
    f.kind = FIND_UNMODELLED;
    f.compute_pct = 49;
    assert_null(report_unjudged(&r));
    f.compute_pct = 51;
    assert_ptr_equal(report_unjudged(&r), &f);
}

static struct str contrast_of(enum verdict_kind kind, double prefill_waits_pct,
                              double decode_waits_pct, double decode_pct)
{
    struct report_phase list[] = {{.phase = PHASE_PREFILL,
                                   .id = S("prefill"),
                                   .wall_pct = 40,
                                   .waits_pct = prefill_waits_pct},
                                  {.phase = PHASE_DECODE,
                                   .id = S("decode"),
                                   .wall_pct = decode_pct,
                                   .waits_pct = decode_waits_pct}};
    struct report r = {.verdict_kind = kind, .phases = {.list = list, .n = 2}};
    return phase_sentence(&memory, &r);
}

static void one_phase_may_wait_alone(void **state)
{
    (void)state;
    const struct str decode = S("Only decode waits for the host: the GPU is idle for "
                                "60.0% of the time in and between its steps, in "
                                "prefill for 3.0%.");
    assert_true(str_eq(contrast_of(VERDICT_HOST, 3, 60, 50), decode));
    assert_true(str_starts(contrast_of(VERDICT_DEVICE, 60, 3, 50), S("Only prefill")));
    assert_int_equal(contrast_of(VERDICT_HOST, 30, 60, 50).n, 0);
    assert_int_equal(contrast_of(VERDICT_DEVICE, 3, 6, 50).n, 0);
    assert_int_equal(contrast_of(VERDICT_HOST, 3, 60, 5).n, 0);
    assert_int_equal(contrast_of(VERDICT_COMMUNICATION, 3, 60, 50).n, 0);
}

/* What a recording does not show comes first, and to record it saves nothing. */
static void a_recording_saves_nothing(void **state)
{
    (void)state;
    struct system_results results = {.idle = {.pool_ns = {[POOL_HOST] = 780 * MS}}};
    struct analysis a = {.system = &results};
    struct finding first = {.category = WORK_CPU_IDLE,
                            .pattern = S("host_unseen"),
                            .title = S("Record the host's activity"),
                            .recording = true,
                            .impact = {25, 35, 500, 700, S("")}},
                   hidden = {.category = WORK_CPU_IDLE,
                             .pattern = S("hidden_work"),
                             .informational = true,
                             .title = S("Record the kernels of all GPU graphs")};
    struct report_finding both[] = {{.of = &first}, {.of = &hidden}};
    struct report r = run_of(&a, 60, 39, 1, 0);
    struct report_source s = {.perm = &memory, .a = &a};
    r.findings = both;
    r.n_findings = 2;
    report_verdict_fill(&s, &r);
    assert_true(str_eq(r.lead, S("First, record the host's activity.")));
    assert_true(isnan(r.after_first_ms));
    first.title = S("Record the step as a GPU graph"); /* a word decides nothing */
    first.recording = false;
    report_verdict_fill(&s, &r);
    assert_true(str_starts(r.lead, S("First, record the step as a GPU graph. This "
                                     "saves 500 to 700 ms")));
    struct finding batch = {.category = WORK_CPU_IDLE,
                            .pattern = S("host_loader"),
                            .title = S("Record more than one step"),
                            .recording = true};
    both[1].of = &batch;
    results.idle.pool_ns[POOL_HOST] = 0;
    results.idle.pool_ns[POOL_INPUT] = 780 * MS;
    report_verdict_fill(&s, &r);
    assert_int_equal(r.verdict_kind, VERDICT_INPUT);
    assert_true(str_eq(r.lead, S("First, record more than one step.")));
    both[1].of = &hidden;
    results.idle.pool_ns[POOL_INPUT] = 0;
    results.idle.pool_ns[POOL_HIDDEN] = 780 * MS;
    report_verdict_fill(&s, &r);
    assert_int_equal(r.verdict_kind, VERDICT_HIDDEN);
    assert_true(str_eq(r.lead, S("First, record the kernels of all GPU graphs.")));
}

/* The contrast of phases is a sentence of its own, at the end of the verdict. */
static void the_verdict_is_kept_without_the_contrast(void **state)
{
    (void)state;
    struct report_phase list[] = {
        {.phase = PHASE_PREFILL, .id = S("prefill"), .wall_pct = 40, .waits_pct = 3},
        {.phase = PHASE_DECODE, .id = S("decode"), .wall_pct = 50, .waits_pct = 60}};
    struct system_results results = {.idle = {.pool_ns = {[POOL_HOST] = 780 * MS}}};
    struct analysis a = {.system = &results};
    struct report r = run_of(&a, 60, 39, 1, 0);
    struct report_source s = {.perm = &memory, .a = &a};
    const struct str alone =
        S("Host-bound: the GPU is idle for 39.0% of 2.00 s and waits for the host.");
    report_verdict_fill(&s, &r);
    assert_true(str_eq(r.verdict, alone) && str_eq(r.verdict_alone, alone));
    r.phases.list = list;
    r.phases.n = 2;
    report_verdict_fill(&s, &r);
    assert_true(str_eq(r.verdict_alone, alone));
    assert_true(str_starts(str_skip(r.verdict, alone.n), S(" Only decode waits")));
}

int main(void)
{
    memory = arena_reserve(1 << 20);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_are_no_kernel_time),
        cmocka_unit_test(most_of_other_has_a_name),
        cmocka_unit_test(the_two_kinds_of_other_work_are_named),
        cmocka_unit_test(what_else_a_device_bound_run_does),
        cmocka_unit_test(waiting_for_ranks_is_told),
        cmocka_unit_test(each_kind),
        cmocka_unit_test(a_finding_makes_the_kind),
        cmocka_unit_test(busy_with_unknown_kernels),
        cmocka_unit_test(an_empty_device_is_not_just_busy),
        cmocka_unit_test(a_bound_needs_work_near_its_roof),
        cmocka_unit_test(matrix_vector_products_wait_for_memory),
        cmocka_unit_test(the_longest_kernel_says_what_limits),
        cmocka_unit_test(idle_time_is_judged_by_its_cause),
        cmocka_unit_test(the_pace_of_a_graph_hides_no_work),
        cmocka_unit_test(what_holds_up_a_stream_is_not_the_host),
        cmocka_unit_test(a_quarter_of_the_time_binds),
        cmocka_unit_test(what_the_host_owes_adds_up),
        cmocka_unit_test(one_phase_may_wait_alone),
        cmocka_unit_test(a_recording_saves_nothing),
        cmocka_unit_test(the_verdict_is_kept_without_the_contrast),
        cmocka_unit_test(a_device_with_slack_does_not_bind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
