#include "commands/summary.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

/* What is wrong in the user's own file is told at once, whatever it is called; the rest
 * is in the report, whatever it names. */
static void only_warnings_of_users_are_printed(void **state)
{
    (void)state;
    struct warning list[] = {
        {.source = S("gemm"), .text = S("[ANOMALY] `my::mm.lua` reads 222% of peak.")},
        {.source = S("gemm"), .text = S("an analyser failed"), .failure = true},
        {.source = S("mm.lua"),
         .text = S("the rest of mm.lua is left out: no end"),
         .failure = true,
         .of_user = true}};
    struct analysis a = {.warnings = list, .n_warnings = 3};
    char *text = NULL;
    size_t n;
    FILE *to = open_memstream(&text, &n);
    assert_non_null(to);
    warnings_print(to, &a);
    assert_int_equal(fclose(to), 0);
    assert_string_equal(
        text, "tracefolio: warning: the rest of mm.lua is left out: no end\n");
    free(text);
}

/* An extension that fails at every call does not fill the log of a build. */
static void many_warnings_are_counted(void **state)
{
    (void)state;
    struct warning list[WARNINGS_TOLD + 7];
    for (int i = 0; i < WARNINGS_TOLD + 7; i++)
        list[i] = (struct warning){.text = S("x\n::error::y"), .of_user = true};
    struct analysis a = {.warnings = list, .n_warnings = WARNINGS_TOLD + 7};
    char *text = NULL;
    size_t n;
    FILE *to = open_memstream(&text, &n);
    assert_non_null(to);
    warnings_print(to, &a);
    assert_int_equal(fclose(to), 0);
    struct str said = str_of(text);
    for (int i = 0; i < WARNINGS_TOLD; i++)
        assert_true(str_eq(str_take(&said, S("\n")),
                           S("tracefolio: warning: x\\x0a::error::y")));
    assert_true(str_eq(said, S("tracefolio: warning: and 7 more such failures\n")));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_warnings_of_users_are_printed),
        cmocka_unit_test(many_warnings_are_counted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
