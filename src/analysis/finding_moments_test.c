#include "finding_moments.c"

#include "analysis/findings_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* The product runs in the first quarter, the host keeps the device waiting in the
 * second half: the window goes from 20 to 4020 us. */
static void each_finding_has_its_parts_of_the_window(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    case_frame(&c, "src/plan.py(7): plan", 2010, 2000);
    op(&c, "aten::mm", "[256,131072],[131072,512]", 0, "Cijk_a", 20, 1000, 1);
    op(&c, "aten::mm", "[256,131072],[131072,512]", 1010, "Cijk_a", 1020, 1000, 2);
    op(&c, "mylib::thing", "[64,64],[]", 4011, "thing_kernel", 4015, 5, 3);
    struct analysis a = analyse_with(&c, library);
    struct arena tmp = arena_reserve(1 << 20);
    char *start = tmp.at;
    finding_moments(tmp, &a);
    arena_release(start, &tmp);
    const struct finding *f = compute_finding(&a, "aten::mm"), *host = &a.findings[0];
    assert_true(host->idle && f != host);
    assert_true(f->moments[0] == UINT64_MAX && f->moments[1] > 0 && !f->moments[3]);
    assert_true(!host->moments[0] && host->moments[3] == UINT64_MAX);
    case_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_finding_has_its_parts_of_the_window)};
    return cmocka_run_group_tests(tests, open_library, close_library);
}
