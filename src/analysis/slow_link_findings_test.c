/* Collectives over a slow link: what is said of it, and what a usual one saves. */
#include "analysis/findings_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Twelve all-reduces of 1 MiB behind each other, in 1 ms each; `group`: what is
 * recorded of their ranks. The first finding. */
static struct finding slow_all_reduces(struct trace_case *c, const char *group)
{
    case_begin(c);
    case_launch(c, "work", 1, 100, 100, 900);
    for (int k = 0; k < 12; k++) {
        char more[400];
        snprintf(more, sizeof more,
                 "\"correlation\":%d,\"stream\":22,\"In msg nelems\":262144,"
                 "\"Out msg nelems\":262144,\"dtype\":\"Float\"%s",
                 k + 1, group);
        case_op(c, "c10d::allreduce_", 11 + 5 * k, 4);
        case_call(c, "cudaLaunchKernel", 12 + 5 * k, 1, k + 1);
        case_event(c, "kernel", "ncclDevKernel_AllReduce", 22, 200 + 1000 * k, 1000,
                   more);
    }
    struct analysis a = analyse_on(c, library, NULL);
    const struct finding *f = of_pattern(&a, "nccl_blocking_compute");
    assert_non_null(f);
    return *f;
}

static void a_slow_link_is_said_at_once(void **state)
{
    (void)state;
    struct trace_case c;
    struct finding f = slow_all_reduces(&c, "");
    assert_true(str_has(f.issue, S("runs; all-reduce moves about 2.1 GB/s.")));
    case_close(&c);
}

#define GROUP(ranks)                                                                   \
    ",\"Collective name\":\"allreduce\",\"Process Group Name\":\"0\","                 \
    "\"Process Group Ranks\":\"[0, 1, 2]\",\"Group size\":" ranks                      \
    ",\"In split size\":\"[]\",\"Out split size\":\"[]\""

/* 2.0 GB/s of the 12.5 of a network, where a quarter to four fifths are usual, if the
 * ranks are more than a machine has: these calls, which all take as long, take two
 * thirds to a fifth of their time. */
static void ranks_of_several_machines_meet_over_a_network(void **state)
{
    (void)state;
    const double used = 2 * 15.0 / 16 * 1.048576 / 12.5;
    struct trace_case c;
    struct finding f = slow_all_reduces(&c, GROUP("16"));
    assert_near(f.impact.low_ms, 12 * (1 - used / 0.25), 0.05);
    assert_near(f.impact.high_ms, 12 * (1 - used / 0.8), 0.05);
    case_close(&c);
    f = slow_all_reduces(&c, GROUP("8"));
    assert_true(f.impact.high_ms < 12 * (1 - used / 0.8) - 1);
    case_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slow_link_is_said_at_once),
        cmocka_unit_test(ranks_of_several_machines_meet_over_a_network),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
