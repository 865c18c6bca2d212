#include "report/check_list.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena_case.h"

static struct measured result;

static struct measured told(const struct check_list *l)
{
    (void)l;
    return result;
}

#define ONE(id)                                                                        \
    {                                                                                  \
        id, "All is there", "Something is missing", "0", "all times", "Record again.", \
            told                                                                       \
    }
static const struct check one[] = {ONE("shapes")};

static struct report r;
static struct report_check room[4];

static const struct report_check *checked(const struct check *checks, int n, int cap)
{
    r = (struct report){.checks = room, .meta.has_gpu = true};
    struct check_list l = {.r = &r, .perm = &a, .cap = cap};
    check_all(&l, checks, n);
    return r.n_checks ? room : NULL;
}

static const struct report_check *of_result(enum report_check_result of)
{
    result = (struct measured){of, S("3 of 4."), NULL, NULL, NULL};
    return checked(one, 1, 4);
}

/* What passed asks for nothing; what did not says what to do. */
static void only_what_did_not_pass_asks_for_something(void **state)
{
    static const struct {
        enum report_check_result result;
        const char *title, *what_to_do;
    } want[] = {{CHECK_PASSED, "All is there", ""},
                {CHECK_WARNING, "Something is missing", "Record again."},
                {CHECK_FAILED, "Something is missing", "Record again."},
                {CHECK_NOT_EVALUATED, "All is there", "Record again."}};
    (void)state;
    for (int i = 0; i < 4; i++) {
        const struct report_check *c = of_result(want[i].result);
        assert_int_equal(c->result, want[i].result);
        assert_text(c->title, want[i].title);
        assert_text(c->what_to_do, want[i].what_to_do);
        assert_text(c->name, "All is there");
        assert_text(c->value, "3 of 4.");
        assert_text(c->limit, "0");
        assert_text(c->affects, "all times");
    }
}

static void a_measurement_has_the_last_word(void **state)
{
    (void)state;
    result = (struct measured){CHECK_FAILED, S("x"), "5 %", "idle time", "Wait."};
    const struct report_check *c = checked(one, 1, 4);
    assert_text(c->limit, "5 %");
    assert_text(c->affects, "idle time");
    assert_text(c->what_to_do, "Wait.");
    result.result = CHECK_PASSED;
    assert_text(checked(one, 1, 4)->what_to_do, "");
    result = not_evaluated(S("x"), "");
    assert_text(checked(one, 1, 4)->what_to_do, "");
}

static void limits_decide_between_two_results(void **state)
{
    (void)state;
    assert_int_equal(warn_unless(true, S("x")).result, CHECK_PASSED);
    assert_int_equal(warn_unless(false, S("x")).result, CHECK_WARNING);
    assert_int_equal(fail_unless(true, S("x")).result, CHECK_PASSED);
    assert_int_equal(fail_unless(false, S("x")).result, CHECK_FAILED);
}

static void without_a_value_there_is_no_check(void **state)
{
    (void)state;
    result = (struct measured){CHECK_FAILED, S(""), NULL, NULL, NULL};
    assert_null(checked(one, 1, 4));
}

static void there_are_no_more_than_fit(void **state)
{
    static const struct check three[] = {ONE("a"), ONE("b"), ONE("c")};
    (void)state;
    result = (struct measured){CHECK_PASSED, S("x"), NULL, NULL, NULL};
    checked(three, 3, 2);
    assert_int_equal(r.n_checks, 2);
    assert_text(room[1].id, "b");
    assert_ptr_equal(report_check_find(&r, "b"), &room[1]);
    assert_null(report_check_find(&r, "c"));
}

/* Without device work only what is known of the host is checked. */
static void a_host_alone_has_its_checks(void **state)
{
    static const struct check two[] = {ONE("shapes"), ONE("nesting")};
    (void)state;
    result = (struct measured){CHECK_PASSED, S("x"), NULL, NULL, NULL};
    r = (struct report){.checks = room};
    struct check_list l = {.r = &r, .perm = &a, .cap = 4};
    check_all(&l, two, 2);
    assert_int_equal(r.n_checks, 1);
    assert_text(room[0].id, "nesting");
}

/* How steps are marked, and launch calls recorded, with another profiler than
 * PyTorch's.
 */
static void advice_is_for_the_profiler_of_the_trace(void **state)
{
    static const struct check steps[] = {ONE("x")};
    (void)state;
    result = (struct measured){CHECK_NOT_EVALUATED, S("y"), NULL, NULL,
                               "Mark steps: {steps}. Record {host}."};
    r = (struct report){.checks = room, .meta.how = &rocprof_abilities};
    r.meta.has_gpu = true;
    struct check_list l = {.r = &r, .perm = &a, .cap = 4};
    check_all(&l, steps, 1);
    assert_text(room[0].what_to_do,
                "Mark steps: put each into a range of rocTX called ProfilerStep#1, "
                "ProfilerStep#2 and so on. Record rocprofv3 --hip-trace "
                "--marker-trace.");
}

/* The device, or the one it is held against, says which profiler reads its counters. */
static void counters_are_read_by_what_knows_the_device(void **state)
{
    static const struct {
        const char *device, *platform, *with;
        const struct source_abilities *how;
    } cases[] = {
        {"", "",
         "Nsight Systems (--gpu-metrics-devices=all), on AMD GPUs with "
         "rocmProfileData",
         &jax_abilities},
        {"", "MI300X", "rocmProfileData", &jax_abilities},
        {"AMD Instinct MI9", "", "rocmProfileData", &torch_abilities},
        {"NVIDIA X9", "", "Nsight Systems (--gpu-metrics-devices=all)", &jax_abilities},
        {"", "", "rocmProfileData", &rocprof_abilities},
    };
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        r = (struct report){.meta.how = cases[k].how};
        r.meta.device_name = str_of(cases[k].device);
        r.meta.platform = str_of(cases[k].platform);
        struct check_list l = {.r = &r, .perm = &a, .cap = 1};
        r.checks = room;
        assert_text(with_how(&l, S("{counters}")), cases[k].with);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_what_did_not_pass_asks_for_something),
        cmocka_unit_test(a_measurement_has_the_last_word),
        cmocka_unit_test(limits_decide_between_two_results),
        cmocka_unit_test(without_a_value_there_is_no_check),
        cmocka_unit_test(there_are_no_more_than_fit),
        cmocka_unit_test(a_host_alone_has_its_checks),
        cmocka_unit_test(advice_is_for_the_profiler_of_the_trace),
        cmocka_unit_test(counters_are_read_by_what_knows_the_device),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
