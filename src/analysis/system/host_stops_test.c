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
}

/* One kind; in the first half alone, as set-up is; too short; as long as a pause of the
 * whole process. */
static void other_stops_have_other_causes(void **state)
{
    (void)state;
    assert_int_equal(stops_of(1, 10, 200, 2000).n, 0);
    assert_int_equal(stops_of(7, 10, 100, 2000).n, 0);
    assert_int_equal(stops_of(7, 10, 200, 200).n, 0);
    assert_int_equal(stops_of(7, 10, 200, 30000).n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_of_many_kinds_stop),
        cmocka_unit_test(other_stops_have_other_causes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
