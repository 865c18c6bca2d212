#include "finding_context.c"

#include "analysis/model/finding_title.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

/* What takes a profiling run is what asks to measure, so its saving is at stake. */
static void what_measures_takes_a_profiling_run(void **state)
{
    struct str lines = bundle_file(S("assets/efforts.tsv"));
    int n = 0;
    (void)state;
    while (lines.n > 0) {
        char title[128];
        struct str line = str_take(&lines, S("\n")), begins = str_take(&line, S("\t"));
        snprintf(title, sizeof title, "%.*s it", STRF(begins));
        bool measures = str_eq(str_take(&line, S("\t")), S("a profiling run"));
        if (title_asks_to_measure(str_of(title)) != measures)
            fail_msg("%s", title);
        n += measures;
    }
    assert_true(n > 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_measures_takes_a_profiling_run)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
