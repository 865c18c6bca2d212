#include "trace_window.c"

#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

/* Two kernels of the step before, 20 + 30 us that overlap by 5; a launched one; one
 * that nothing launched after it, and one that begins with it. */
static void begin(struct trace_case *c)
{
    case_begin(c);
    case_kernel(c, "old_a", 7, 10, 20, 91);
    case_kernel(c, "old_b", 8, 25, 30, 92);
    case_launch(c, "gemm", 60, 100, 50, 1);
    case_kernel(c, "beside", 8, 100, 10, 93);
    case_kernel(c, "late", 7, 160, 40, 94);
    case_open(c, NULL);
}

static void work_of_the_step_before_is_the_backlog(void **state)
{
    (void)state;
    struct trace_case c;
    begin(&c);
    const struct trace_window *w = &c.view.window;
    assert_int_equal(w->n_backlog, 2);
    assert_int_equal(w->backlog_ns, 45000);
    assert_int_equal(w->n_unlinked, 2);
    assert_int_equal(w->begin_ns, 100000);
    assert_int_equal(w->linked_ns, 100000);
    assert_int_equal(c.view.n_counted, 3);
    assert_int_equal(c.view.timeline.total_ns, 100000);
    assert_int_equal(c.view.timeline.busy_ns, 90000);
    assert_int_equal(c.tables.facts.n_backlog, 2);
    assert_int_equal(c.tables.facts.unlinked_ns, 40000);
    case_close(&c);
}

/* What counts without a launch call is a row of its own, by name, and in the shares. */
static void unlinked_work_is_a_row(void **state)
{
    (void)state;
    struct trace_case c;
    begin(&c);
    const struct op_groups *gs = &c.tables.judged;
    assert_int_equal(gs->n, 3);
    assert_int_equal(gs->n_unlinked, 2);
    assert_near(gs->unlinked_us, 50, 1e-9);
    assert_near(gs->linked_frac, 0.5, 1e-9);
    assert_near(gs->rows[2].cumulative_pct, 100, 1e-9);
    assert_true(str_eq(gs->rows[1].first->name, S("late")));
    assert_true(gs->rows[1].first->unlinked && gs->rows[1].host_us == 0);
    case_close(&c);
}

/* All kernels are listed; those of the backlog last, and with no share. */
static void kernels_of_the_backlog_come_last(void **state)
{
    (void)state;
    struct trace_case c;
    begin(&c);
    const struct kernel_tables *k = &c.tables.kernels;
    assert_int_equal(k->n, 5);
    double pct = 0;
    for (int i = 0; i < 3; i++)
        pct += k->rows[i].window_pct;
    assert_near(pct, 100, 1e-9);
    assert_true(k->rows[3].backlog && isnan(k->rows[3].window_pct));
    assert_true(str_eq(k->rows[3].kernel, S("old_b")));
    case_close(&c);
}

static void each_rule_counts_its_own(void **state)
{
    (void)state;
    struct trace_case c;
    begin(&c);
    static const struct {
        enum unlinked_rule rule;
        int64_t begin_ns;
        int counted;
    } rules[] = {{UNLINKED_IN_WINDOW, 100000, 3},
                 {UNLINKED_LEFT_OUT, 100000, 1},
                 {UNLINKED_ALL, 10000, 5}};
    for (size_t k = 0; k < sizeof rules / sizeof *rules; k++) {
        const struct launch_link *l = &c.view.launch;
        struct trace_window w = trace_window_build(c.tmp, &c.store, l, rules[k].rule);
        int counted = 0;
        for (int32_t i = 0; i < l->n_all; i++)
            counted += window_counts(&w, &c.store, l, i);
        assert_int_equal(counted, rules[k].counted);
        assert_int_equal(w.begin_ns, rules[k].begin_ns);
        assert_int_equal(w.n_backlog, 2);
    }
    case_close(&c);
}

/* If nothing is linked, nothing tells a backlog apart. */
static void without_launches_all_of_it_counts(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    case_kernel(&c, "a", 7, 10, 20, 91);
    case_kernel(&c, "b", 7, 50, 20, 92);
    case_open(&c, NULL);
    assert_int_equal(c.view.window.n_backlog, 0);
    assert_int_equal(c.view.window.n_unlinked, 2);
    assert_int_equal(c.view.n_counted, 2);
    assert_int_equal(c.view.timeline.idle_ns, 20000);
    case_close(&c);
}

/* A lone kernel, then 500 us in which the next, launched before, does not begin; gaps
 * of 5 us after it. `launch_us`: when its call began; the host waits from 20 us on. */
static void begin_with_gap(struct trace_case *c, double launch_us)
{
    case_begin(c);
    case_launch(c, "first", 0, 10, 10, 1);
    case_call(c, "hipLaunchKernel", launch_us, 1, 2);
    case_call(c, "cudaDeviceSynchronize", 40, 900, 77);
    case_kernel(c, "second", 7, 520, 20, 2);
    for (int k = 0; k < 8; k++)
        case_launch(c, "more", 30 + k, 545 + 25 * k, 20, 3 + k);
    case_open(c, NULL);
}

static void a_queued_beginning_is_no_idle_time(void **state)
{
    (void)state;
    static const double launches_us[] = {5, 35}; /* before the gap; early in it */
    for (int k = 0; k < 2; k++) {
        struct trace_case c;
        begin_with_gap(&c, launches_us[k]);
        const struct trace_window *w = &c.view.window;
        assert_int_equal(w->artefact_ns, 500000);
        assert_true(window_is_artefact(w, 20000));
        assert_int_equal(c.view.timeline.idle_ns, 540000);
        assert_int_equal(view_idle_ns(&c.view), 40000);
        assert_int_equal(view_total_ns(&c.view), 230000);
        assert_int_equal(c.tables.facts.time.idle_ns, 40000);
        assert_int_equal(c.tables.facts.recording_ns, 730000);
        assert_int_equal(c.tables.facts.artefact_from_ns, 10000);
        case_close(&c);
    }
}

/* The host was late itself: its gap is idle time. */
static void a_late_launch_is_idle_time(void **state)
{
    (void)state;
    struct trace_case c;
    begin_with_gap(&c, 500);
    assert_int_equal(c.view.window.artefact_ns, 0);
    assert_int_equal(view_idle_ns(&c.view), 540000);
    assert_false(window_is_artefact(&c.view.window, 20000));
    case_close(&c);
}

/* The first event waits 300 us for what is not recorded. */
static void a_queue_before_the_window_is_told(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    for (int k = 0; k < 4; k++)
        case_launch(&c, "k", 10 * k, 301 + 50 * k, 40, 1 + k);
    case_open(&c, NULL);
    assert_int_equal(c.view.window.queued_ns, 300000);
    assert_int_equal(c.view.window.artefact_ns, 0);
    case_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_of_the_step_before_is_the_backlog),
        cmocka_unit_test(unlinked_work_is_a_row),
        cmocka_unit_test(kernels_of_the_backlog_come_last),
        cmocka_unit_test(each_rule_counts_its_own),
        cmocka_unit_test(without_launches_all_of_it_counts),
        cmocka_unit_test(a_queued_beginning_is_no_idle_time),
        cmocka_unit_test(a_late_launch_is_idle_time),
        cmocka_unit_test(a_queue_before_the_window_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
