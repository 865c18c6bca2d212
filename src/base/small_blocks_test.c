#include "small_blocks.c"

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
            block[n] = small_take(n);
            assert_int_equal((uintptr_t)block[n] % 16, 0);
            memset(block[n], (int)(n % 251), n);
        }
        for (size_t n = 0; n < SIZES_MAX; n++)
            for (size_t i = 0; i < n; i++)
                assert_int_equal(block[n][i], n % 251);
        for (size_t n = 0; n < SIZES_MAX; n += 2) /* in another order than taken */
            small_free(block[n]);
        for (size_t n = 1; n < SIZES_MAX; n += 2)
            small_free(block[n]);
    }
}

static void a_block_is_used_again(void **state)
{
    (void)state;
    char *first = small_take(64), *second = small_take(50);
    assert_ptr_not_equal(first, second);
    small_free(second);
    assert_ptr_equal(small_take(64), second);
    small_free(first);
    small_free(NULL);
    assert_ptr_equal(small_take(60), first);
}

/* Longer, shorter, among malloc's and back. */
static void a_block_changes_its_size(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 40, 1000, 100000, 500, 384, 30, 7};
    char *p = NULL;
    for (size_t had = 0, k = 0; k < sizeof sizes / sizeof *sizes; had = sizes[k++]) {
        p = small_resize(p, had, sizes[k]);
        for (size_t i = 0; i < sizes[k]; i++)
            if (i < had)
                assert_int_equal(p[i], i % 100);
            else
                p[i] = (char)(i % 100);
    }
    assert_null(small_resize(p, 7, 0));
    assert_null(small_resize(NULL, 0, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_do_not_overlap),
        cmocka_unit_test(a_block_is_used_again),
        cmocka_unit_test(a_block_changes_its_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
