#include "idle_follow.c"

#include "analysis/system/host_time.h"
#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct follow_case {
    struct trace_case c;
    struct tree_index t;
    struct idle_gaps g;
    struct idle_result r;
    struct gap_cause *causes;
};

static void open_follow(struct follow_case *x)
{
    case_open(&x->c, NULL);
    x->t = tree_index_build(&x->c.perm, x->c.tmp, &x->c.view);
    x->g = idle_gaps_find(&x->c.perm, x->c.tmp, &x->t);
    x->r = (struct idle_result){0};
    struct host_time host = host_time_build(&x->c.perm, x->c.tmp, &x->t);
    x->causes = idle_follow(&x->c.perm, x->c.tmp, &host, &x->g, &x->r);
    int64_t classes = 0, groups = 0;
    for (int c = 0; c < IDLE_CLASSES; c++)
        classes += x->r.class_ns[c];
    for (int32_t k = 0; k < x->r.n_groups; k++)
        groups += x->r.groups[k].total_ns;
    assert_int_equal(classes, x->c.view.timeline.idle_ns);
    struct timeline_data frame = timeline_frame(&x->c.view);
    for (int c = 0; c < IDLE_CLASSES; c++) {
        int64_t binned = 0;
        for (int k = 0; k < frame.n_bins && x->r.class_bins[c]; k++)
            binned += x->r.class_bins[c][k];
        assert_int_equal(binned, x->r.class_ns[c]);
    }
    assert_int_equal(groups, x->c.view.timeline.idle_ns);
}

static const struct idle_group *group(const struct follow_case *x,
                                      enum idle_class class, const char *blame)
{
    for (int32_t k = 0; k < x->r.n_groups; k++)
        if (x->r.groups[k].class == class &&
            str_eq(x->r.groups[k].blame, str_of(blame)))
            return &x->r.groups[k];
    fail_msg("no group of %s", blame);
    return NULL;
}

/* A gap from 20 to 1020 us: 900 of it in preprocess, 700 of these in zoom, which takes
 * 100 on the device's side; the call is from 1000 to 1010, the kernel starts at 1020.
 */
static void a_gap_is_split_by_the_table(void **state)
{
    (void)state;
    struct follow_case x;
    case_begin(&x.c);
    case_frame(&x.c, "main.py(1): main", 0, 3000);
    case_launch(&x.c, "k0", 5, 10, 10, 1);
    case_frame(&x.c, "src/prep.py(368): preprocess", 8, 990);
    case_frame(&x.c, "src/zoom.py(7): zoom", 100, 700);
    case_op(&x.c, "aten::relu", 999, 15);
    case_call(&x.c, "hipLaunchKernel", 1000, 10, 2);
    case_kernel(&x.c, "k1", 7, 1020, 10, 2);
    open_follow(&x);
    assert_int_equal(x.r.class_ns[IDLE_PYTHON], 979000);
    assert_int_equal(x.r.class_ns[IDLE_DISPATCH], 1000);
    assert_int_equal(x.r.class_ns[IDLE_LAUNCH], 10000);
    assert_int_equal(x.r.class_ns[IDLE_LATENCY], 10000);
    /* In 400 bins of 2550 ns, 10 us of call are from 990 us after the start: bins 388
     * to 392, of which the first has 390 ns of the operator. */
    assert_int_equal(x.r.class_bins[IDLE_LAUNCH][387], 0);
    assert_int_equal(x.r.class_bins[IDLE_LAUNCH][388], 1950);
    assert_int_equal(x.r.class_bins[IDLE_LAUNCH][389], 2550);
    assert_int_equal(x.r.class_bins[IDLE_LAUNCH][393], 0);
    const struct idle_group *g = group(&x, IDLE_PYTHON, "preprocess");
    assert_ptr_equal(g, &x.r.groups[0]); /* the longest */
    assert_text(g->blame_place, "prep.py:368");
    assert_text(g->leaf, "zoom");
    assert_text(g->leaf_place, "zoom.py:7");
    assert_near(g->leaf_us, 700, 1e-9);
    assert_int_equal(g->longest_from_ns, x.g.rows[0].start_ns);
    assert_int_equal(g->total_ns, 980000);
    assert_int_equal(g->gaps, 1);
    assert_int_equal(g->n_spans, 1);
    assert_int_equal(g->spans[0].end_ns - g->spans[0].start_ns, 980000);
    assert_true(isnan(g->per_step_us));
    case_close(&x.c);
}

/* Of a gap of 1 ms, `loop` has 600 us of its own in six parts, each shorter than the
 * 300 us of `once`, which is called last. */
static void what_is_called_often_counts_in_sum(void **state)
{
    (void)state;
    struct follow_case x;
    case_begin(&x.c);
    case_launch(&x.c, "k0", 5, 10, 10, 1);
    case_frame(&x.c, "src/loop.py(3): loop", 8, 990);
    for (int k = 0; k < 5; k++)
        case_frame(&x.c, "src/part.py(5): part", 120 + 110 * k, 10);
    case_frame(&x.c, "src/once.py(7): once", 680, 300);
    case_launch(&x.c, "k1", 1000, 1020, 10, 2);
    open_follow(&x);
    assert_text(store_name(&x.c.store, x.causes[0].leaf), "src/loop.py(3): loop");
    case_close(&x.c);
}

/* Queued, first launch of 2 ms, a second one of the same kernel, and no call at all. */
static void late_starts_and_slow_calls(void **state)
{
    (void)state;
    struct follow_case x;
    case_begin(&x.c);
    case_launch(&x.c, "k0", 5, 10, 10, 1);
    case_launch(&x.c, "k1", 12, 50, 10, 2);
    case_call(&x.c, "hipLaunchKernel", 60, 2000, 3);
    case_kernel(&x.c, "new", 7, 2070, 10, 3);
    case_call(&x.c, "hipLaunchKernel", 2080, 2000, 4);
    case_kernel(&x.c, "new", 7, 4080, 10, 4);
    open_follow(&x);
    assert_int_equal(x.r.class_ns[IDLE_QUEUED], 30000);
    assert_int_equal(x.r.class_ns[IDLE_FIRST_LAUNCH], 2000000);
    assert_int_equal(x.r.class_ns[IDLE_LAUNCH], 2000000);
    assert_int_equal(x.r.class_ns[IDLE_LATENCY], 10000);
    assert_text(group(&x, IDLE_FIRST_LAUNCH, "first launches")->leaf, "new");
    assert_int_equal(group(&x, IDLE_LAUNCH, "hipLaunchKernel")->calls, 1);
    assert_int_equal(group(&x, IDLE_QUEUED, "between kernels")->gaps, 1);
    case_close(&x.c);
}

/* Work without a call ends a gap only where it counts. */
static void work_without_a_call(void **state)
{
    (void)state;
    struct follow_case x;
    case_begin(&x.c);
    case_launch(&x.c, "k0", 5, 10, 10, 1);
    case_kernel(&x.c, "lost", 7, 60, 10, 99);
    case_launch(&x.c, "k1", 95, 100, 10, 2);
    open_follow(&x);
    if (x.g.n == 2)
        assert_int_equal(x.r.class_ns[IDLE_UNLINKED], 40000);
    else
        assert_int_equal(x.r.class_ns[IDLE_UNLINKED], 0);
    case_close(&x.c);
}

/* hipFree in 3 gaps of two operators is one group, named itself. */
static void calls_are_named_themselves(void **state)
{
    (void)state;
    struct follow_case x;
    case_begin(&x.c);
    for (int k = 0; k < 4; k++) {
        double at = 1000 + 3000.0 * k;
        case_op(&x.c, k == 3 ? "aten::cat" : "aten::conv2d", at - 490, 2980);
        case_call(&x.c, "hipFree", at + 100, 2000, 100 + k);
        case_call(&x.c, "hipFree", at + 2200, 100, 200 + k);
        case_launch(&x.c, "k", at + 2400, at + 2401, 10, k + 1);
    }
    open_follow(&x);
    const struct idle_group *g = group(&x, IDLE_MEMORY, "hipFree");
    assert_ptr_equal(g, &x.r.groups[0]);
    assert_int_equal(g->total_ns, 3 * 2100000);
    assert_int_equal(g->calls, 6);
    assert_int_equal(g->gaps, 3);
    assert_int_equal(g->n_spans, 6);
    assert_text(g->leaf, "aten::conv2d");
    assert_int_equal(group(&x, IDLE_DISPATCH, "aten::conv2d")->total_ns +
                         group(&x, IDLE_DISPATCH, "aten::cat")->total_ns +
                         x.r.class_ns[IDLE_LAUNCH],
                     x.c.view.timeline.idle_ns - g->total_ns);
    case_close(&x.c);
}

/* 60 gaps of 45 us are one group; with 15 there is no such group. */
/* Memory that comes from the driver and goes back to it has one cause. */
static void taking_and_giving_memory_is_one_group(void **state)
{
    (void)state;
    static const char *const want[] = {"cudaFree", "cudaFree and cudaMalloc"};
    for (int takes = 0; takes < 2; takes++) {
        struct follow_case x;
        case_begin(&x.c);
        case_launch(&x.c, "k0", 5, 10, 10, 1);
        case_call(&x.c, "cudaMalloc", 100, takes ? 1500 : 10, 101);
        case_call(&x.c, "cudaFree", 2000, 2000, 102);
        case_call(&x.c, "cudaMallocHost", 4500, 500, 103); /* of the host */
        case_launch(&x.c, "k1", 6000, 6010, 10, 2);
        open_follow(&x);
        const struct idle_group *g = group(&x, IDLE_MEMORY, want[takes]);
        assert_int_equal(g->calls, 2);
        assert_int_equal(g->total_ns, takes ? 3500000 : 2010000);
        assert_int_equal(group(&x, IDLE_MEMORY, "cudaMallocHost")->total_ns, 500000);
        case_close(&x.c);
    }
}

static void many_short_gaps_are_one_group(void **state)
{
    (void)state;
    for (int n = 16; n <= 61; n += 45) {
        struct follow_case x;
        case_begin(&x.c);
        for (int k = 0; k < n; k++) {
            double at = 50.0 * k;
            case_op(&x.c, k % 2 ? "aten::add" : "aten::mul", at, 30);
            case_launch(&x.c, "k", at + 1, at + 3, 5, k + 1);
        }
        open_follow(&x);
        bool many = x.r.groups[0].class == IDLE_HOST_BOUND;
        assert_int_equal(many, n == 61);
        if (many) {
            const struct idle_group *g = &x.r.groups[0];
            assert_int_equal(x.r.n_groups, 1);
            assert_int_equal(g->gaps, 60);
            assert_near(g->class_us[IDLE_LATENCY], 60, 1e-6);
            assert_near(g->class_us[IDLE_LAUNCH], 60, 1e-6);
            assert_int_equal(x.r.class_ns[IDLE_HOST_BOUND], 0);
            assert_int_equal(g->n_where, 2);
            assert_text(g->where[0].name, "aten::add"); /* equal: the first */
        }
        case_close(&x.c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gap_is_split_by_the_table),
        cmocka_unit_test(what_is_called_often_counts_in_sum),
        cmocka_unit_test(late_starts_and_slow_calls),
        cmocka_unit_test(work_without_a_call),
        cmocka_unit_test(calls_are_named_themselves),
        cmocka_unit_test(taking_and_giving_memory_is_one_group),
        cmocka_unit_test(many_short_gaps_are_one_group),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
