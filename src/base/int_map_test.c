#include "base/int_map.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_grows_and_finds(void **state)
{
    (void)state;
    struct arena a = arena_reserve(1 << 24);
    char *start = a.at;
    struct int_map m = int_map_make(&a, 0);
    const int64_t odd[] = {0, -1, INT64_MIN, INT64_MAX};
    for (int i = 0; i < 4; i++)
        *int_map_at(&m, &a, odd[i]) = 100000 + i;
    for (int32_t i = 1; i < 20000; i++) { /* new keys are -1 */
        int32_t *v = int_map_at(&m, &a, (int64_t)i << 32);
        assert_int_equal(*v, -1);
        *v = i;
    }
    for (int32_t i = 1; i < 20000; i++)
        assert_int_equal(int_map_get(&m, (int64_t)i << 32), i);
    for (int i = 0; i < 4; i++)
        assert_int_equal(int_map_get(&m, odd[i]), 100000 + i);
    assert_int_equal(int_map_get(&m, 12345), -1);
    assert_int_equal(int_map_get(&(struct int_map){0}, 1), -1);
    arena_release(start, &a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_grows_and_finds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
