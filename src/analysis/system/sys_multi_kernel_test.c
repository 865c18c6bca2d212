#include "sys_multi_kernel.c"

#include "analysis/library_case.h"
#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct multi_kernel_result analysed(struct trace_case *c, struct analysis *a)
{
    struct multi_kernel_result r = {0};
    struct tree_index t = tree_index_build(&c->perm, c->tmp, &c->view);
    struct idle_gaps g = idle_gaps_find(&c->perm, c->tmp, &t);
    *a = case_analysis(c);
    work_set(&c->perm, a, FACT("training", c->tables.traits.training));
    a->patterns = library_open(&c->perm, NULL, 0);
    multi_kernel_analyse(&c->perm, c->tmp, a, &t, &g, &r);
    multi_kernel_findings(&c->perm, a, &r);
    assert_int_equal(a->n_warnings, 0);
    pattern_host_close(a->patterns);
    return r;
}

static void directions_by_name(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum copy_direction want;
    } cases[] = {{"Memcpy DtoH (Device -> Pageable)", COPY_D2H},
                 {"CopyDeviceToHost", COPY_D2H},
                 {"MEMORY_COPY_HOST_TO_DEVICE", COPY_H2D},
                 {"Memcpy HtoD (Pinned -> Device)", COPY_H2D},
                 {"Memcpy DtoD (Device -> Device)", COPY_D2D},
                 {"Memcpy PtoP (Device -> Device)", COPY_D2D},
                 {"__amd_rocclr_copyBuffer", COPY_OTHER}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        assert_int_equal(copy_direction_of(str_of(cases[k].name)), cases[k].want);
    assert_int_equal(size_class(4095), 0);
    assert_int_equal(size_class(4096), 1);
    assert_int_equal(size_class(1 << 24), 4);
    assert_int_equal(size_class(INT64_MAX), 4);
}

/* 60 copies each way of 10 us and 1000 bytes, all queued ahead, 1 us between them; then
 * work of 10000 us. */
static void many_small_copies(struct trace_case *c)
{
    case_begin(c);
    for (int k = 0; k < 120; k++) {
        case_op(c, "aten::copy_", 10.0 * k, 6);
        case_call(c, "hipMemcpyAsync", 10.0 * k + 1, 3, k + 1);
        case_copy(
            c, k % 2 ? "Memcpy DtoH (Device -> Host)" : "Memcpy HtoD (Host -> Device)",
            5000 + 11.0 * k, 10, k + 1, 1000);
    }
    case_launch(c, "work", 1300, 5000 + 11.0 * 120, 10000, 900);
    case_open(c, NULL);
}

static void copies_both_ways_are_one_finding(void **state)
{
    (void)state;
    struct trace_case c;
    struct analysis a;
    many_small_copies(&c);
    struct multi_kernel_result r = analysed(&c, &a);
    const struct copy_result *d2h = &r.copies[COPY_D2H];
    assert_int_equal(d2h->count, 60);
    assert_int_equal(d2h->bytes, 60000);
    assert_int_equal(d2h->sizes[0].count, 60);
    assert_int_equal(d2h->repeated_count, 60);
    assert_near(d2h->total_us, 600, 1e-6);
    assert_near(d2h->exposed_us, 600, 1e-6); /* half of 1200 */
    assert_near(d2h->gaps_us, 60, 1e-6);
    /* T = 11320 us: 600 us are 5.3 %, HIGH; 60 copies are more than 50, HIGH. */
    assert_int_equal(d2h->time_severity, SEVERITY_HIGH);
    assert_int_equal(d2h->count_severity, SEVERITY_HIGH);
    assert_int_equal(r.n_patterns, 2);
    assert_int_equal(a.n_findings, 1);
    assert_text(a.findings[0].title,
                "120 copies from and to the host: 1.20 ms, 10.6% of the time");
    assert_text(a.findings[0].op, "aten::copy_");
    assert_int_equal(a.findings[0].priority, PRIORITY_HIGH);
    /* 1.2 ms and 120 gaps of 1 us; four fifths of it. */
    assert_near(a.findings[0].impact.low_ms, 1.056, 1e-9);
    assert_near(a.findings[0].impact.high_ms, 1.32, 1e-9);
    case_close(&c);
}

/* 101 copies would be CRITICAL by count; they take 0.1 us each of 100 ms. */
static void a_count_alone_is_no_emergency(void **state)
{
    (void)state;
    struct trace_case c;
    struct analysis a;
    case_begin(&c);
    for (int k = 0; k < 101; k++) {
        case_call(&c, "hipMemcpyAsync", 10.0 * k, 3, k + 1);
        case_copy(&c, "Memcpy DtoH (Device -> Host)", 5000 + k, 0.1, k + 1, 4);
    }
    case_launch(&c, "work", 1300, 5101, 100000, 900);
    case_open(&c, NULL);
    struct multi_kernel_result r = analysed(&c, &a);
    assert_int_equal(r.copies[COPY_D2H].severity, SEVERITY_CRITICAL);
    assert_int_equal(a.n_findings, 1);
    assert_int_equal(a.findings[0].priority, PRIORITY_MEDIUM);
    case_close(&c);
}

/* Work 0..600, an all-reduce 400..1400, work 1400..2000: 200 of 1000 us are hidden, 800
 * of 2000 exposed (40 %, CRITICAL); overlap 20 % (CRITICAL). Four fifths of it
 * are 640 us. */
static void exposed_communication_is_found(void **state)
{
    (void)state;
    struct trace_case c;
    struct analysis a;
    case_begin(&c);
    case_launch(&c, "work", 1, 10000, 600, 1);
    case_op(&c, "record_param_comms", 4, 4);
    case_call(&c, "hipExtLaunchKernel", 5, 1, 2);
    case_kernel(&c, "ncclDevKernel_AllReduce", 22, 10400, 1000, 2);
    case_launch(&c, "work", 10, 11400, 600, 3);
    case_open(&c, NULL);
    struct multi_kernel_result r = analysed(&c, &a);
    assert_int_equal(r.comm_count, 1);
    assert_near(r.comm_overlap_frac, 0.2, 1e-9);
    assert_near(r.overlap_us[GPU_COMMUNICATION][GPU_COMPUTE], 200, 1e-6);
    assert_near(r.overlap_us[GPU_COMPUTE][GPU_COMPUTE], 1200, 1e-6);
    assert_int_equal(r.blocking_severity, SEVERITY_CRITICAL);
    assert_int_equal(r.overlap_severity, SEVERITY_CRITICAL);
    assert_int_equal(r.top_comm[0].stream, 22);
    assert_int_equal(a.n_findings, 1); /* both in one */
    assert_text(a.findings[0].op, "record_param_comms");
    assert_near(a.findings[0].impact.low_ms, 0.64, 1e-9);
    assert_near(a.findings[0].impact.high_ms, 0.8, 1e-9);
    assert_false(r.training);
    assert_text(a.findings[0].title, "Exposed all-reduce: 0.800 ms, 40.0% of the time");
    assert_true(str_has(a.findings[0].algorithmic, S("tensor-parallel all-reduce")));
    case_close(&c);
}

/* 300 us of work, 100 of which run beside 1000 us of communication: overlap could hide
 * 200 us of the 900 that are exposed, and the advice is another. */
static void more_communication_than_work_hides(void **state)
{
    (void)state;
    struct trace_case c;
    struct analysis a;
    case_begin(&c);
    case_launch(&c, "work", 1, 10000, 300, 1);
    case_op(&c, "record_param_comms", 4, 4);
    case_call(&c, "hipExtLaunchKernel", 5, 1, 2);
    case_kernel(&c, "ncclDevKernel_AllReduce", 22, 10200, 1000, 2);
    case_open(&c, NULL);
    analysed(&c, &a);
    assert_int_equal(a.n_findings, 1);
    assert_text(a.findings[0].issue,
                "The device computes nothing for 0.900 ms while collective "
                "communication runs; computation could hide at most 0.200 ms of that.");
    assert_true(str_has(a.findings[0].algorithmic,
                        S("Computation can hide only 0.200 ms of 0.900 ms")));
    /* Raising the overlap to 70 % would be 0.9 - 0.3 = 0.6 ms, for which there is no
     * room. */
    assert_near(a.findings[0].impact.low_ms, 0.2, 1e-9);
    assert_near(a.findings[0].impact.high_ms, 0.9, 1e-9);
    case_close(&c);
}

/* Twelve copies to the device of 1 ms, named pageable or pinned. */
static struct str advice_on_copies(const char *name)
{
    struct trace_case c;
    struct analysis a;
    case_begin(&c);
    for (int k = 0; k < 12; k++) {
        case_call(&c, "cudaMemcpyAsync", 10.0 * k, 3, k + 1);
        case_copy(&c, name, 5000 + 1000.0 * k, 1000, k + 1, 16 << 20);
    }
    case_launch(&c, "work", 1300, 17000, 20000, 900);
    case_open(&c, NULL);
    analysed(&c, &a);
    assert_int_equal(a.n_findings, 1);
    static char text[1000];
    snprintf(text, sizeof text, "%.*s", STRF(a.findings[0].algorithmic));
    case_close(&c);
    return str_of(text);
}

static void pinned_copies_need_no_pinning(void **state)
{
    (void)state;
    assert_true(str_has(advice_on_copies("Memcpy HtoD (Pageable -> Device)"),
                        S("Pin the host memory")));
    assert_false(str_has_nocase(advice_on_copies("Memcpy HtoD (Pinned -> Device)"),
                                S("pin the")));
    assert_false(
        str_has_nocase(advice_on_copies("Memcpy HtoD (Host -> Device)"), S("pin the")));
}

/* A backward pass with 40 all-reduces, one a parameter, or 40 all-to-alls. */
static void backward_collectives(struct trace_case *c, struct analysis *a,
                                 const char *op, const char *kernel)
{
    case_begin(c);
    case_launch(c, "work", 1, 9800, 600, 900);
    case_op(c, "autograd::engine::evaluate_function: AccumulateGrad", 10, 900);
    for (int k = 0; k < 40; k++) {
        case_op(c, op, 11 + 20.0 * k, 5);
        case_call(c, "cudaLaunchKernel", 12 + 20.0 * k, 1, k + 1);
        case_kernel(c, kernel, 22, 10500 + 30.0 * k, 25, k + 1);
    }
    case_open(c, NULL);
    analysed(c, a);
}

static void one_all_reduce_per_parameter(void **state)
{
    (void)state;
    struct trace_case c;
    struct analysis a;
    backward_collectives(&c, &a, "c10d::allreduce_", "ncclDevKernel_Generic");
    assert_int_equal(a.n_findings, 1);
    assert_text(a.findings[0].title, "One all-reduce per parameter: 40 a step");
    assert_true(str_has(a.findings[0].algorithmic,
                        S("40 all-reduces per step of 25.00 us (median)")));
    case_close(&c);
    backward_collectives(&c, &a, "c10d::alltoall_base_", "ncclKernel_SendRecv");
    assert_text(a.findings[0].title, "Exposed all-to-all: 1.00 ms, 52.8% of the time");
    assert_false(str_has(a.findings[0].algorithmic, S("bucket")));
    assert_true(str_has(a.findings[0].algorithmic, S("Run the all-to-all beside")));
    case_close(&c);
}

static void unlinked_work_is_counted_apart(void **state)
{
    (void)state;
    struct trace_case c;
    struct analysis a;
    case_begin(&c);
    case_launch(&c, "work", 1, 100, 50, 1);
    case_kernel(&c, "backlog", 7, 20, 40, 77);
    case_open(&c, NULL);
    struct multi_kernel_result r = analysed(&c, &a);
    assert_int_equal(r.unlinked_count, 1);
    assert_near(r.unlinked_us, 40, 1e-9);
    assert_true(isnan(r.comm_overlap_frac) && isnan(r.memcpy_overlap_frac));
    assert_int_equal(a.n_findings, 0);
    case_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(directions_by_name),
        cmocka_unit_test(copies_both_ways_are_one_finding),
        cmocka_unit_test(a_count_alone_is_no_emergency),
        cmocka_unit_test(exposed_communication_is_found),
        cmocka_unit_test(more_communication_than_work_hides),
        cmocka_unit_test(pinned_copies_need_no_pinning),
        cmocka_unit_test(one_all_reduce_per_parameter),
        cmocka_unit_test(unlinked_work_is_counted_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
