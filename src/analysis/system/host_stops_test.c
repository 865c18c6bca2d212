#include "analysis/system/host_stops.c"

#include "analysis/system/follow_case.h"

/* 200 operators of some kinds, every 100 us, each with a kernel of 50 us; the host
 * stands still for 2 ms in every tenth from `from` on, before it launches. */
static struct host_stops stops_of(int kinds, int from, int to, double stop_us)
{
    struct follow_case x;
    double at = 0;
    case_begin(&x.c);
    for (int k = 0; k < 200; k++) {
        char name[32];
        bool stops = k >= from && k < to && k % 10 == 0;
        double more = stops ? stop_us : 0;
        int kind = stops ? k / 10 % kinds : k % kinds;
        snprintf(name, sizeof name, "aten::op%c", 'a' + kind);
        case_op(&x.c, name, at, 20 + more);
        case_launch(&x.c, "kernel", at + 10 + more, at + 12 + more, 50, k + 1);
        at += 100 + more;
    }
    open_follow(&x);
    struct host_stops s = host_stops_find(x.c.tmp, &x.t, &x.g, x.causes);
    case_close(&x.c);
    return s;
}

static void calls_of_many_kinds_stop(void **state)
{
    (void)state;
    struct host_stops s = stops_of(7, 10, 200, 2000);
    assert_int_equal(s.n, 19);
    assert_int_equal(s.kinds, 7);
    assert_true(s.ns >= 19 * 2000000LL && s.ns < 19 * 2100000LL);
    assert_true(s.longest_ns >= 2000000);
    s = stops_of(4, 10, 200, 2000);
    assert_int_equal(s.n, 19);
    assert_int_equal(s.kinds, 4);
    assert_int_equal(stops_of(7, 60, 140, 2000).n, 8);
}

/* One kind, or three; in the first half alone, as set-up is; seven; too short; as long
 * as a pause of the whole process. */
static void other_stops_have_other_causes(void **state)
{
    (void)state;
    assert_int_equal(stops_of(1, 10, 200, 2000).n, 0);
    assert_int_equal(stops_of(3, 10, 200, 2000).n, 0);
    assert_int_equal(stops_of(7, 10, 100, 2000).n, 0);
    assert_int_equal(stops_of(7, 70, 140, 2000).n, 0);
    assert_int_equal(stops_of(7, 10, 200, 200).n, 0);
    assert_int_equal(stops_of(7, 10, 200, 30000).n, 0);
}

/* Calls that compute or launch; what waits has a reason to. */
static void some_calls_may_stop(void **state)
{
    (void)state;
    static const struct {
        const char *cat, *name;
        bool may;
    } cases[] = {{"cpu_op", "aten::mm", true},
                 {"cuda_runtime", "cudaLaunchKernel", true},
                 {"cuda_runtime", "cudaEventQuery", true},
                 {"cuda_runtime", "cudaStreamSynchronize", false},
                 {"python_function", "a.py(1): f", false}};
    struct trace_case c;
    case_begin(&c);
    for (int k = 0; k < 5; k++)
        case_event(&c, cases[k].cat, cases[k].name, 1, 10 * k, 5, "");
    case_open(&c, NULL);
    assert_false(may_stop(&c.store, -1));
    for (int k = 0; k < 5; k++)
        assert_int_equal(may_stop(&c.store, case_find(&c, cases[k].name, 0)),
                         cases[k].may);
    case_close(&c);
}

/* More than two thirds of them. */
static void one_kind_may_be_most(void **state)
{
    (void)state;
    struct kind at[] = {{.n = 1}, {.n = 4}, {.n = 1}};
    const struct kinds k = {.at = at, .n = 3};
    assert_false(is_most(&k, 6));
    at[1].n = 5;
    assert_true(is_most(&k, 7));
    const struct kinds first = {.at = &at[1], .n = 1};
    assert_true(is_most(&first, 5));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_of_many_kinds_stop),
        cmocka_unit_test(other_stops_have_other_causes),
        cmocka_unit_test(some_calls_may_stop),
        cmocka_unit_test(one_kind_may_be_most),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
