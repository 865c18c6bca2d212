#include "ci/summary_view.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena_case.h"

static cJSON *view;

static void make(const char *text, const struct gate_results *gates)
{
    static const struct gate_results none = {0};
    struct ci_options o = {0};
    cJSON *summary = cJSON_Parse(text);
    assert_non_null(summary);
    view = summary_view(&a, summary, gates ? gates : &none, &o);
    cJSON_Delete(summary);
}

static void done(void)
{
    cJSON_Delete(view);
}

static double number(const char *key)
{
    return cJSON_GetNumberValue(cJSON_GetObjectItem(view, key));
}

static bool flag(const cJSON *of, const char *key)
{
    return cJSON_IsTrue(cJSON_GetObjectItem(of, key));
}

static const cJSON *item(const char *list, int k)
{
    return cJSON_GetArrayItem(cJSON_GetObjectItem(view, list), k);
}

static void results_are_counted(void **state)
{
    (void)state;
    make("{\"verdict\": {\"gates\": \"failed\"}, \"gates\": ["
         "{\"result\": \"passed\"}, {\"result\": \"failed\"},"
         "{\"result\": \"failed\", \"warns\": true}, {\"result\": \"not_evaluated\"}],"
         "\"checks\": {\"list\": [{\"result\": \"passed\"}, {\"result\": \"warning\"},"
         "{\"result\": \"failed\"}, {\"result\": \"not_evaluated\"}]}}",
         NULL);
    assert_true(flag(view, "failed"));
    assert_false(flag(view, "passed") || flag(view, "open") || flag(view, "no_gate"));
    assert_true(number("n_gates") == 4 && number("n_failed") == 1);
    assert_true(number("n_skipped") == 1);
    assert_true(flag(item("gates", 1), "did_fail"));
    assert_true(flag(item("gates", 3), "stayed_open"));
    assert_true(number("n_checks") == 4 && number("n_checks_failed") == 1);
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(view, "trouble")), 2);
    done();
    make("{\"verdict\": {\"gates\": null}}", NULL);
    assert_true(flag(view, "no_gate"));
    assert_false(flag(view, "failed") || flag(view, "open"));
    done();
}

/* Hosts draw what a gate on a time measured. */
static void a_gate_on_a_time_has_its_seconds(void **state)
{
    struct gate_expr time = {.what = GATE_ON_METRIC,
                             .unit = GATE_NS,
                             .metric = S("window.total_ns")},
                     share = {.what = GATE_ON_METRIC,
                              .unit = GATE_PERCENT,
                              .metric = S("window.idle_pct")};
    struct gate_result results[] = {{.of = &time}, {.of = &share}};
    (void)state;
    make("{\"window\": {\"total_ns\": 34900000, \"idle_pct\": 3},"
         "\"gates\": [{\"result\": \"passed\"}, {\"result\": \"passed\"}]}",
         &(struct gate_results){results, 2});
    assert_string_equal(
        cJSON_GetStringValue(cJSON_GetObjectItem(item("gates", 0), "seconds")),
        "0.034900000");
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(item("gates", 1), "seconds")));
    done();
}

static void findings_trip_the_gate_that_was_asked_for(void **state)
{
    static const char text[] =
        "{\"findings\": [{\"severity\": \"high\", \"priority\": \"high\"},"
        "{\"severity\": \"medium\", \"priority\": \"medium\"},"
        "{\"severity\": \"high\", \"priority\": \"high\","
        " \"waived\": {\"until\": \"2026-12-31\"}},"
        "{\"severity\": \"low\", \"priority\": \"low\"}]}";
    struct gate_expr medium = {.what = GATE_ON_LEVEL, .level = PRIORITY_MEDIUM};
    struct gate_result asked = {.of = &medium};
    (void)state;
    make(text, NULL); /* without one, a high finding does */
    assert_true(number("n_findings") == 4 && number("n_findings_skipped") == 1);
    assert_true(flag(item("findings", 0), "trips"));
    assert_false(flag(item("findings", 1), "trips"));
    done();
    make(text, &(struct gate_results){&asked, 1});
    assert_true(flag(item("findings", 1), "trips"));
    assert_false(flag(item("findings", 3), "trips"));
    assert_true(flag(item("findings", 3), "quiet"));
    done();
    medium.warns = true; /* one that only warns fails by nothing */
    make(text, &(struct gate_results){&asked, 1});
    assert_false(flag(item("findings", 0), "trips"));
    done();
}

/* Of a run of 100 ms; a finding without the member is of an older summary. */
static void what_a_finding_adds_to_others_is_told(void **state)
{
    (void)state;
    make("{\"window\": {\"total_ns\": 100000000}, \"findings\": ["
         "{\"severity\": \"high\", \"gain_added_ns\": 250000},"
         "{\"severity\": \"high\", \"gain_added_ns\": 50000},"
         "{\"severity\": \"high\", \"gain_added_ns\": null},"
         "{\"severity\": \"high\"}]}",
         NULL);
    const cJSON *much = cJSON_GetObjectItem(item("findings", 0), "added"),
                *little = cJSON_GetObjectItem(item("findings", 1), "added");
    assert_true(cJSON_GetNumberValue(cJSON_GetObjectItem(much, "low_ms")) == 0.25);
    assert_true(!flag(much, "little") && flag(little, "little"));
    assert_null(cJSON_GetObjectItem(item("findings", 2), "added"));
    assert_null(cJSON_GetObjectItem(item("findings", 3), "added"));
    done();
}

static void shares_become_whole_widths(void **state)
{
    (void)state;
    make(
        "{\"window\": {\"busy_pct\": 28.25, \"busy_ns\": 28249, \"total_ns\": 100000}}",
        NULL);
    assert_true(fabs(number_of(cJSON_GetObjectItem(item("bars", 0), "pct")) - 28.249) <
                1e-9); /* not rounded twice */
    done();
    make("{\"window\": {\"busy_pct\": 60.5, \"exposed_comm_pct\": 0, \"idle_pct\": 39},"
         "\"changes\": [{\"ref_ns\": 5, \"cand_ns\": 3}]}",
         NULL);
    const cJSON *busy = item("bars", 0), *comm = item("bars", 1),
                *lost = item("bars", 2);
    assert_true(cJSON_GetNumberValue(cJSON_GetObjectItem(busy, "width")) == 61);
    assert_true(cJSON_GetNumberValue(cJSON_GetObjectItem(busy, "rest")) == 39);
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(comm, "width"))); /* not drawn */
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(lost, "pct")));   /* not known */
    assert_false(flag(item("changes", 0), "grew"));
    assert_true(
        cJSON_GetNumberValue(cJSON_GetObjectItem(item("changes", 0), "size_ns")) == 2);
    done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_counted),
        cmocka_unit_test(a_gate_on_a_time_has_its_seconds),
        cmocka_unit_test(findings_trip_the_gate_that_was_asked_for),
        cmocka_unit_test(what_a_finding_adds_to_others_is_told),
        cmocka_unit_test(shares_become_whole_widths),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
