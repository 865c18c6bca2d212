#include "json_memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Of every size up to one that malloc gives, each filled to its last byte. */
static void blocks_do_not_overlap(void **state)
{
    (void)state;
    enum { SIZES_MAX = 500, ROUNDS = 3 }; /* the longest are malloc's */
    static unsigned char *block[SIZES_MAX];
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t n = 0; n < SIZES_MAX; n++) {
            block[n] = json_memory_take(n);
            assert_int_equal((uintptr_t)block[n] % 16, 0);
            memset(block[n], (int)(n % 251), n);
        }
        for (size_t n = 0; n < SIZES_MAX; n++)
            for (size_t i = 0; i < n; i++)
                assert_int_equal(block[n][i], n % 251);
        for (size_t n = 0; n < SIZES_MAX; n += 2) /* in another order than taken */
            json_memory_free(block[n]);
        for (size_t n = 1; n < SIZES_MAX; n += 2)
            json_memory_free(block[n]);
    }
}

static void a_block_is_used_again(void **state)
{
    (void)state;
    char *first = json_memory_take(64), *second = json_memory_take(50);
    assert_ptr_not_equal(first, second);
    json_memory_free(second);
    assert_ptr_equal(json_memory_take(64), second);
    json_memory_free(first);
    json_memory_free(NULL);
    assert_ptr_equal(json_memory_take(60), first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_do_not_overlap),
        cmocka_unit_test(a_block_is_used_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
