#include "base/sort.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Ids of the same keys come in the same order as the rows. */
static void same_by_ids(struct arena a, const struct sort_row *rows, ptrdiff_t n,
                        int64_t modulus, int64_t step)
{
    int64_t *key = arena_new(&a, int64_t, n + 1);
    int32_t *ids = arena_new(&a, int32_t, n + 1);
    for (ptrdiff_t i = 0; i < n; i++) {
        key[i] = (int64_t)i * step % modulus;
        ids[i] = (int32_t)i;
    }
    sort_ids(a, ids, n, key);
    for (ptrdiff_t i = 0; i < n; i++)
        assert_int_equal(ids[i], rows[i].row);
}

static void sorted_and_stable(ptrdiff_t n, int64_t modulus, int64_t step)
{
    struct arena a = arena_reserve(1 << 24);
    char *start = a.at;
    struct sort_row *r = arena_new(&a, struct sort_row, n + 1);
    for (ptrdiff_t i = 0; i < n; i++)
        r[i] = (struct sort_row){(int64_t)i * step % modulus, (int32_t)i};
    sort_rows(a, r, n);
    for (ptrdiff_t i = 1; i < n; i++) {
        assert_true(r[i - 1].key <= r[i].key);
        if (r[i - 1].key == r[i].key)
            assert_true(r[i - 1].row < r[i].row);
    }
    int64_t sum = 0; /* nothing lost: rows 0..n-1 */
    for (ptrdiff_t i = 0; i < n; i++)
        sum += r[i].row;
    assert_int_equal(sum, (int64_t)n * (n - 1) / 2);
    same_by_ids(a, r, n, modulus, step);
    arena_release(start, &a);
}

static void test_sorts(void **state)
{
    (void)state;
    const ptrdiff_t lengths[] = {0, 1, 2, 15, 16, 17, 33, 1000, 4097};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        sorted_and_stable(lengths[i], 1 << 20, 1);       /* sorted already */
        sorted_and_stable(lengths[i], 1 << 20, -1);      /* falling */
        sorted_and_stable(lengths[i], 7, 5);             /* many equal keys */
        sorted_and_stable(lengths[i], 10007, 7919);      /* shuffled */
        sorted_and_stable(lengths[i], 400, 1);           /* rising runs that overlap */
        sorted_and_stable(lengths[i], 1 << 20, 1 << 19); /* two that take turns */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sorts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
