#include "store/bit_rows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 200 };

static bool chosen(int32_t i, int kind)
{
    return kind == 0 ? i % 41 == 0 : kind == 1 ? i / 32 % 2 == 1 : kind == 2;
}

/* Counted one by one: every 41st, whole words, all, none; set at once or row by row.
 */
static void test_places(void **state)
{
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        struct bit_rows at_once[BIT_WORDS(ROWS)] = {{0, 0}},
                        one_by_one[BIT_WORDS(ROWS)];
        memset(one_by_one, 0xff, sizeof one_by_one); /* not cleared by anybody */
        for (int32_t i = 0; i < ROWS; i++) {
            if (chosen(i, kind))
                bit_set(at_once, i);
            bit_append(one_by_one, i, chosen(i, kind));
        }
        bit_finish(at_once, ROWS);
        int32_t before = 0;
        for (int32_t i = 0; i < ROWS; i++) {
            int32_t want = chosen(i, kind) ? before : -1;
            assert_int_equal(bit_row(at_once, i), want);
            assert_int_equal(bit_row(one_by_one, i), want);
            assert_int_equal(bit_before(at_once, i), before);
            before += chosen(i, kind);
        }
        assert_int_equal(bit_before(at_once, ROWS), before);
        for (int32_t from = 0; from <= ROWS; from++)
            for (int32_t to = from; to <= ROWS; to++)
                assert_int_equal(bit_any(at_once, from, to),
                                 bit_before(at_once, to) > bit_before(at_once, from));
    }
}

/* A length that fills its words: the place behind the last row is a place too. */
static void test_end_of_a_word(void **state)
{
    (void)state;
    struct bit_rows b[BIT_WORDS(64)] = {{0, 0}};
    bit_set(b, 0);
    bit_set(b, 63);
    bit_finish(b, 64);
    assert_int_equal(bit_before(b, 64), 2);
    assert_int_equal(bit_row(b, 63), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_places),
                                       cmocka_unit_test(test_end_of_a_word)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
