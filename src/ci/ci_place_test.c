#define _POSIX_C_SOURCE 200809L
#include "ci/ci_place.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena_case.h"

/* Whatever build system runs the tests. */
static void clear(void)
{
    static const char *const names[] = {
        "GITHUB_ACTIONS",     "GITHUB_SERVER_URL",   "GITHUB_REPOSITORY",
        "GITHUB_RUN_ID",      "GITHUB_STEP_SUMMARY", "GITHUB_REF_NAME",
        "GITHUB_RUN_NUMBER",  "GITLAB_CI",           "CI_JOB_URL",
        "CI_COMMIT_REF_NAME", "CI_PIPELINE_IID",     "CI_JOB_STARTED_AT",
        "JENKINS_URL",        "BUILD_URL",           "JOB_NAME",
        "BUILD_NUMBER"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unsetenv(names[i]);
}

static void elsewhere_nothing_is_taken(void **state)
{
    struct ci_options o = {0};
    (void)state;
    clear();
    assert_false(ci_place_fill(&o, &a));
    assert_null(o.annotations);
    setenv("GITLAB_CI", "", 1); /* as good as none */
    assert_false(ci_place_fill(&o, &a));
}

static void github_links_to_its_run(void **state)
{
    struct ci_options o = {.run_label = "mine"};
    (void)state;
    clear();
    setenv("GITHUB_ACTIONS", "true", 1);
    setenv("GITHUB_SERVER_URL", "https://host", 1);
    setenv("GITHUB_REPOSITORY", "a/b", 1);
    setenv("GITHUB_REF_NAME", "main", 1);
    setenv("GITHUB_RUN_NUMBER", "7", 1);
    assert_true(ci_place_fill(&o, &a));
    assert_string_equal(o.annotations, "github");
    assert_null(o.report_url); /* a part is missing */
    assert_string_equal(o.run_label, "mine");
    o = (struct ci_options){0};
    setenv("GITHUB_RUN_ID", "42", 1);
    setenv("GITHUB_STEP_SUMMARY", "/tmp/s", 1);
    assert_true(ci_place_fill(&o, &a));
    assert_string_equal(o.report_url, "https://host/a/b/actions/runs/42");
    assert_string_equal(o.run_label, "main #7");
    assert_string_equal(o.summary, "/tmp/s");
    assert_null(o.junit);
}

static void gitlab_and_jenkins_get_their_files(void **state)
{
    struct ci_options o = {.annotations = "none"};
    (void)state;
    clear();
    setenv("GITLAB_CI", "true", 1);
    setenv("CI_JOB_URL", "https://lab/-/jobs/5", 1);
    setenv("CI_JOB_STARTED_AT", "2026-01-31T10:02:11Z", 1);
    assert_true(ci_place_fill(&o, &a));
    assert_string_equal(o.annotations, "none"); /* as it was asked for */
    assert_string_equal(o.report_url, "https://lab/-/jobs/5/artifacts/browse");
    assert_string_equal(o.date, "2026-01-31");
    assert_string_equal(o.junit, CI_JUNIT_NAME);
    assert_string_equal(o.metrics, CI_METRICS_NAME);
    clear();
    o = (struct ci_options){0};
    setenv("JENKINS_URL", "https://ci/", 1);
    setenv("BUILD_URL", "https://ci/job/x/9/", 1);
    assert_true(ci_place_fill(&o, &a));
    assert_string_equal(o.report_url, "https://ci/job/x/9/artifact/");
    assert_null(o.metrics);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elsewhere_nothing_is_taken),
        cmocka_unit_test(github_links_to_its_run),
        cmocka_unit_test(gitlab_and_jenkins_get_their_files),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
