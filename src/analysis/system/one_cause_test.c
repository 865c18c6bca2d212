#include "analysis/system/one_cause.h"

#include "analysis/model/system_results.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena_case.h"

/* 60 ms of idle time, then 30 ms of copies, of which 20 are exposed. */
static int joined(struct str host, struct str copies, struct finding of[2])
{
    static struct idle_group idle = {.total_ns = 60000000};
    struct analysis in = {.total_ms = 100, .findings = of, .n_findings = 2};
    of[0] = (struct finding){.cause = host,
                             .idle = &idle,
                             .time_ms = 60,
                             .issue = S("The host saves."),
                             .impact = impact_of_ms(&in, 48, 60, S("idle"))};
    of[1] = (struct finding){.cause = copies,
                             .copies = 1,
                             .time_ms = 30,
                             .issue = S("It copies."),
                             .impact = impact_of_ms(&in, 10, 20, S("copies"))};
    finding_evidence(&a, &of[1], S("They are large."));
    one_cause_join(&a, &in, 20);
    return in.n_findings;
}

static void one_cause_is_one_finding(void **state)
{
    (void)state;
    struct finding of[2];
    assert_int_equal(joined(S("checkpoint"), S("checkpoint"), of), 1);
    assert_true(of->time_ms == 90 && of->whole_ms == 80 && of->copies == 1);
    assert_true(of->impact.low_ms == 58 && of->impact.high_ms == 80);
    assert_true(str_eq(of->issue, S("The host saves. It copies.")));
    assert_int_equal(of->n_evidence, 1);
}

static void others_stay_apart(void **state)
{
    (void)state;
    struct finding of[2];
    assert_int_equal(joined(S("checkpoint"), S("optimizer on the CPU"), of), 2);
    assert_int_equal(joined(S(""), S(""), of), 2);
    assert_true(of->time_ms == 60 && of->copies == 0);
}

/* 30 ms of copies of weights, of which 20 are exposed, and 60 ms before copies, or in
 * gaps of another cause. */
static void gaps_before_weights_go_with_them(void **state)
{
    (void)state;
    static struct idle_group idle = {.total_ns = 60000000};
    for (int late = 0; late < 2; late++) {
        struct finding of[2];
        struct analysis in = {.total_ms = 100, .findings = of, .n_findings = 2};
        of[0] =
            (struct finding){.pattern = late ? S("host_late_copies") : S("host_bound"),
                             .idle = &idle,
                             .time_ms = 60,
                             .title = S("Prepare it"),
                             .issue = S("It waits."),
                             .impact = impact_of_ms(&in, 48, 60, S("idle"))};
        of[1] = (struct finding){.copies = 1,
                                 .time_ms = 30,
                                 .whole_ms = 20,
                                 .title = S("Turn it off"),
                                 .issue = S("It copies."),
                                 .impact = impact_of_ms(&in, 10, 20, S("copies"))};
        one_cause_add_late(&a, &in);
        assert_int_equal(in.n_findings, late ? 1 : 2);
        if (!late)
            continue;
        assert_true(str_eq(of->title, S("Turn it off")) && of->idle == &idle);
        assert_true(of->time_ms == 90 && of->whole_ms == 80);
        assert_true(of->impact.low_ms == 58 && of->impact.high_ms == 80);
        assert_true(str_eq(of->issue, S("It copies. It waits.")));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_cause_is_one_finding),
        cmocka_unit_test(gaps_before_weights_go_with_them),
        cmocka_unit_test(others_stay_apart),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
