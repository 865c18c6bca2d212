#include "report_meta.c"

#include "base/arena_case.h"
#include "trace/json_value.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void seconds_become_dates(void **state)
{
    (void)state;
    assert_text(utc_text(&a, 0), "1970-01-01 00:00:00 UTC");
    assert_text(utc_text(&a, 1709164800), "2024-02-29 00:00:00 UTC");
    assert_text(utc_text(&a, 4107542399), "2100-02-28 23:59:59 UTC");
    assert_text(utc_text(&a, 4107542400), "2100-03-01 00:00:00 UTC"); /* no leap year */
    assert_text(utc_text(&a, 1753652182), "2025-07-27 21:36:22 UTC");
}

static struct str captured(double base_ns, int64_t first_ns)
{
    struct trace_facts f = {.has_events = true, .first_ns = first_ns};
    struct machine m = {.base_ns = base_ns};
    return capture_time(&a, &f, &m);
}

static void the_clock_counts_from_a_base_or_from_1970(void **state)
{
    (void)state;
    /* 1751410836 s + 2241346.127 s = 1753652182.127 s */
    assert_text(captured(1751410836000000000.0, 2241346127022523),
                "2025-07-27 21:36:22 UTC");
    assert_text(captured(0, 1623212388426602000), "2021-06-09 04:19:48 UTC");
}

static void what_is_no_date_is_not_one(void **state)
{
    (void)state;
    assert_text(captured(0, 2241346127022523), "not recorded"); /* since boot */
    assert_text(captured(1e300, 0), "not recorded");
    assert_text(captured(-1e300, INT64_MAX), "not recorded");
}

static void a_run_is_called_as_its_file(void **state)
{
    (void)state;
    assert_text(without_endings(last_part(S("/a/b/resnet.pt.trace.json.gz"))),
                "resnet");
    assert_text(without_endings(S("plain")), "plain");
    assert_text(without_endings(S(".json")), ".json");
    assert_text(last_part(S("a/")), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(seconds_become_dates),
        cmocka_unit_test(the_clock_counts_from_a_base_or_from_1970),
        cmocka_unit_test(what_is_no_date_is_not_one),
        cmocka_unit_test(a_run_is_called_as_its_file),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
