#include "report/replay/replay_shown.h"

#include "base/arena_case.h"
#include "base/describe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct replay_call call;
static struct replay_package package;

static int begin(void **state)
{
    (void)state;
    call = (struct replay_call){.mean_us = 3, .min_us = 2, .max_us = 4};
    package = (struct replay_package){.file = S("replay_packages/mm.zip"),
                                      .calls = &call,
                                      .n_calls = 1,
                                      .total_us = 1500};
    return 0;
}

static struct field_value told(const char *name)
{
    const struct field *f = field_of(shown_package_fields(), name);
    assert_non_null(f);
    return field_value(f, &(struct described){&package, NULL, &a});
}

static void test_figures_of_the_longest_set(void **state)
{
    (void)state;
    assert_true(told("total_ms").real == 1.5 && told("mean_us").real == 3);
    assert_text(told("tensors").text, "no tensors");
    assert_text(told("spread").text, "2.00 to 4.00");
    call.max_us = 2;
    assert_text(told("spread").text, "");
}

static void test_file_without_its_folder(void **state)
{
    (void)state;
    assert_text(told("file").text, "mm.zip");
    assert_text(told("href").text, "replay_packages/mm.zip");
}

static void test_what_is_assumed(void **state)
{
    (void)state;
    assert_false(told("assumed").flag || told("both").flag);
    call.strides_assumed = true;
    assert_true(told("assumed").flag && told("strides").flag);
    assert_false(told("values").flag || told("both").flag);
    call.values_assumed = true;
    assert_true(told("values").flag && told("both").flag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_figures_of_the_longest_set, begin),
        cmocka_unit_test_setup(test_file_without_its_folder, begin),
        cmocka_unit_test_setup(test_what_is_assumed, begin)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
