#include "shell_word.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena_case.h"

static void any_text_is_one_word(void **state)
{
    (void)state;
    assert_text(shell_word(&a, S("rank 0.json.gz")), "'rank 0.json.gz'");
    assert_text(shell_word(&a, S("")), "''");
    assert_text(shell_word(&a, S("it's $(x) `y`")), "'it'\\''s $(x) `y`'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(any_text_is_one_word)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
