#include "store/narrow.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Every number comes back; only those that do not fit, and are not "none", take a
 * place. */
static void test_numbers_come_back(void **state)
{
    (void)state;
    static const int64_t numbers[] = {
        0,         1,         (1LL << 31) - 1, 1LL << 31,  1LL << 32, -1,
        INT64_MAX, INT64_MIN, INT64_MIN,       -INT64_MAX, 7};
    enum { N = sizeof numbers / sizeof *numbers, FIT = 4, NONE = 2 };
    struct wide_column w = wide_open(1, INT64_MIN); /* and grows */
    narrow_num x[N];
    for (int i = 0; i < N; i++)
        x[i] = narrow_of(&w, numbers[i]);
    for (int i = 0; i < N; i++)
        assert_int_equal(narrow_value(&w, x[i]), numbers[i]);
    assert_int_equal(w.n, 1 + N - FIT - NONE);
    wide_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_numbers_come_back)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
