#include "idle_late.c"

#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* A kernel from 10 to 500 us, a wait for it until 510, and three short kernels at 530,
 * 570 and 610 (`next_us` later) whose launches come right before each. */
struct wait_case {
    double from_us; /* the wait */
    int thread;     /* of the wait; launches are on 1 */
    double next_us;
    double late_us[3]; /* of each gap, behind the end of the wait; -1: none of it */
    double skew_us;    /* that the first kernel waits for recordings of other ranks */
};

static void assert_late(const struct wait_case *w)
{
    struct trace_case c;
    case_begin(&c);
    case_launch(&c, "k0", 0, 10, 490, 1);
    case_event(&c, "cuda_runtime", "cudaStreamSynchronize", w->thread, w->from_us,
               510 - w->from_us, "\"correlation\":90");
    for (int k = 0; k < 3; k++)
        case_launch(&c, "short", w->next_us + 520 + 40 * k, w->next_us + 530 + 40 * k,
                    5, 2 + k);
    case_open(&c, NULL);
    struct tree_index t = tree_index_build(&c.perm, c.tmp, &c.view);
    struct idle_gaps g = idle_gaps_find(&c.perm, c.tmp, &t);
    c.view.skew.first = case_find(&c, "k0", 0);
    c.view.skew.ns = (int64_t)(w->skew_us * 1e3);
    const struct late_part *late = idle_late_find(&c.perm, c.tmp, &c.view, &g);
    assert_int_equal(g.n, 3);
    for (int k = 0; k < 3; k++) {
        int64_t after_ns = later(g.rows[k].start_ns, late[k].sync < 0 ? 0 : 510000);
        double us = late[k].sync < 0 ? -1 : (double)(late[k].to_ns - after_ns) / 1e3;
        assert_near(us, w->late_us[k], 1e-9);
    }
    case_close(&c);
}

static void short_kernels_behind_a_wait_are_late_by_it(void **state)
{
    (void)state;
    static const struct wait_case cases[] = {
        {20, 1, 0, {20, 35, 35}, 0},
        {475, 1, 0, {20, 5, 0}, 0},   /* 25 us later than without the wait */
        {500, 1, 0, {0, 0, 0}, 0},    /* the device had ended */
        {20, 2, 0, {-1, -1, -1}, 0},  /* a thread that launches nothing */
        {20, 1, 5000, {0, 0, 0}, 0},  /* 5 ms of work between two launches */
        {20, 1, 800, {480, 0, 0}, 0}, /* 820 us, as much as explains it */
        {20, 1, 0, {20, 5, 0}, 455},
        {400, 1, 0, {0, 0, 0}, 455}, /* all of the wait */
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        assert_late(&cases[k]);
}

/* 3 ms of work behind a wait through which the device works for 6 ms, or 2. */
static void long_work_is_hidden_by_what_the_device_did_in_the_wait(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        struct trace_case c;
        double from_us = k ? 6000 : 2000;
        case_begin(&c);
        case_launch(&c, "k0", 0, 10, 7990, 1);
        case_event(&c, "cuda_runtime", "cudaStreamSynchronize", 1, from_us,
                   8010 - from_us, "\"correlation\":90");
        case_launch(&c, "k1", 11000, 11010, 5, 2);
        case_open(&c, NULL);
        struct tree_index t = tree_index_build(&c.perm, c.tmp, &c.view);
        struct idle_gaps g = idle_gaps_find(&c.perm, c.tmp, &t);
        const struct late_part *late = idle_late_find(&c.perm, c.tmp, &c.view, &g);
        assert_int_equal(g.n, 1);
        assert_int_equal(late[0].hides, k == 0);
        case_close(&c);
    }
}

/* Work of before the recording is no reason. */
static void a_wait_counts_from_where_the_window_begins(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    case_call(&c, "cudaDeviceSynchronize", 10, 1000, 90);
    case_kernel(&c, "old", 7, 100, 895, 77);
    case_launch(&c, "k0", 1020, 1030, 10, 1);
    case_launch(&c, "k1", 1060, 1070, 10, 2);
    case_open(&c, NULL);
    struct tree_index t = tree_index_build(&c.perm, c.tmp, &c.view);
    struct idle_gaps g = idle_gaps_find(&c.perm, c.tmp, &t);
    const struct late_part *late = idle_late_find(&c.perm, c.tmp, &c.view, &g);
    for (int32_t k = 0; k < g.n; k++)
        assert_true(late[k].sync < 0 || late[k].to_ns <= late[k].from_ns);
    case_close(&c);
}

/* The kernel has ended when the scalar read begins; its copy starts within it. */
static void a_read_is_all_of_the_wait(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    case_launch(&c, "k0", 0, 10, 20, 1);
    case_op(&c, "aten::item", 40, 60);
    case_call(&c, "cudaMemcpyAsync", 45, 10, 2);
    case_call(&c, "cudaStreamSynchronize", 58, 40, 91);
    case_copy(&c, "Memcpy DtoH (Device -> Pinned)", 60, 2, 2, 4);
    case_launch(&c, "k1", 110, 120, 10, 3);
    case_open(&c, NULL);
    struct tree_index t = tree_index_build(&c.perm, c.tmp, &c.view);
    struct idle_gaps g = idle_gaps_find(&c.perm, c.tmp, &t);
    const struct late_part *late = idle_late_find(&c.perm, c.tmp, &c.view, &g);
    assert_int_equal(g.n, 2);
    assert_int_equal(late[0].to_ns - late[0].from_ns, 20000); /* 40 to 60 */
    assert_int_equal(late[1].to_ns - late[1].from_ns, 40000); /* 62 to 100, and 2 */
    case_close(&c);
}

/* The device works for 490 us during the first wait, and for 3 during the second, which
 * is for a kernel that was launched between them; or for none, or in the same call. */
static void a_wait_for_kernels_launched_since_takes_over(void **state)
{
    (void)state;
    for (int kernel = 0; kernel < 3; kernel++) {
        struct trace_case c;
        case_begin(&c);
        case_launch(&c, "k0", 0, 10, 490, 1);
        case_call(&c, "cudaStreamSynchronize", 20, 490, 90);
        if (kernel)
            case_launch(&c, "k1", 520, 530, 5, 2);
        case_call(&c, kernel > 1 ? "cudaStreamSynchronize" : "cudaEventSynchronize",
                  532, 10, 91);
        case_launch(&c, "k2", 590, 600, 5, 3);
        case_open(&c, NULL);
        struct tree_index t = tree_index_build(&c.perm, c.tmp, &c.view);
        struct idle_gaps g = idle_gaps_find(&c.perm, c.tmp, &t);
        const struct late_part *late = idle_late_find(&c.perm, c.tmp, &c.view, &g);
        const struct late_part *last = &late[kernel > 0];
        assert_int_equal(g.n, kernel ? 2 : 1);
        assert_int_equal(last->sync, kernel == 1);
        assert_int_equal(last->to_ns, 1000 * (kernel == 1 ? 545 : 600));
        case_close(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_kernels_behind_a_wait_are_late_by_it),
        cmocka_unit_test(long_work_is_hidden_by_what_the_device_did_in_the_wait),
        cmocka_unit_test(a_wait_counts_from_where_the_window_begins),
        cmocka_unit_test(a_read_is_all_of_the_wait),
        cmocka_unit_test(a_wait_for_kernels_launched_since_takes_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
