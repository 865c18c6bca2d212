#include "quick_print.c"

#include <limits.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

/* With as much room as there is, and with too little: the same as the C library. */
__attribute__((format(printf, 1, 2))) static void same(const char *fmt, ...)
{
    for (ptrdiff_t room = 1; room <= 64; room++) {
        char want[64] = "", got[64] = "";
        va_list a, b;
        va_start(a, fmt);
        va_copy(b, a);
        int n = vsnprintf(want, (size_t)room, fmt, a);
        assert_int_equal(quick_vprintf(got, room, fmt, b), n);
        assert_string_equal(got, want);
        va_end(b);
        va_end(a);
    }
}

static void prints_what_the_library_prints(void **state)
{
    (void)state;
    same("no conversion");
    same("%s-%d.html", "operations", 12);
    same("%.*s|%.*s|%.*s", 3, "names", 0, "none", -1, "all");
    same("%.*s", 9, "ends");
    same("%d %d %lld %lld", INT_MIN, 0, LLONG_MIN, LLONG_MAX);
    same("%td of %td %%", PTRDIFF_MIN, (ptrdiff_t)7);
}

static void leaves_the_rest_to_it(void **state)
{
    (void)state;
    same("%s is %.1f%% of %s", "a", 12.34, "b");
    same("%04d %-6s| %c %x %5d %lu", 7, "a", 'c', 255u, 3, 9ul);
    same("%d then %g", 1, 0.5);
}

static bool converts(const char *fmt, ...)
{
    char buf[64];
    va_list ap;
    va_start(ap, fmt);
    bool known = print(buf, sizeof buf, fmt, &ap) >= 0;
    va_end(ap);
    return known;
}

static void knows_the_common_ones(void **state)
{
    (void)state;
    assert_true(converts("%.*s#%s-%d %td %lld%%", 1, "a", "b", 1, (ptrdiff_t)2, 3LL));
    assert_false(converts("%s %5d", "a", 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(prints_what_the_library_prints),
                                       cmocka_unit_test(leaves_the_rest_to_it),
                                       cmocka_unit_test(knows_the_common_ones)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
