#include "base/arena.c"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/* What was taken stays as it is, to the byte before the free part; what scratch left
 * behind is gone from the first whole page on, and can be written again. */
static void test_trim_keeps_what_was_taken(void **state)
{
    (void)state;
    enum { TAKEN = 5000, LEFT = 100000 };
    ptrdiff_t page = sysconf(_SC_PAGESIZE);
    struct arena a = arena_reserve(1 << 20), scratch;
    char *start = a.at, *taken = arena_take_raw(&a, 1, 1, TAKEN);
    memset(taken, 1, TAKEN);
    scratch = a;
    char *left = arena_take_raw(&scratch, 1, 1, LEFT);
    memset(left, 2, LEFT);
    arena_trim(a);
    for (ptrdiff_t i = 0; i < TAKEN; i++)
        assert_int_equal(taken[i], 1);
    ptrdiff_t kept = (page - TAKEN % page) % page; /* of the page that is shared */
    for (ptrdiff_t i = 0; i < LEFT; i++)
        assert_int_equal(left[i], i < kept ? 2 : 0);
    memset(left, 3, LEFT);
    arena_release(start, &a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trim_keeps_what_was_taken)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
