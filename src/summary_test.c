#include "summary.c"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_warnings_of_users_are_printed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
