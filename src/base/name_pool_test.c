#include "base/name_pool.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Thousands of texts, some longer than a piece of the heap: each once, and what was
 * said of the first stays true when the last has come. */
static void check_many(void (*open)(struct name_pool *))
{
    enum { TEXTS = 5000, LONG = 3 * CHUNK_BYTES };
    struct name_pool p;
    static char text[LONG];
    open(&p);
    memset(text, 'x', sizeof text);
    const char *first = NULL;
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < TEXTS; i++) {
            memset(text, 'x', 16);
            int n = snprintf(text, 16, "%d", i);
            text[n] = 'x';
            struct str s = {text, i % 1000 == 7 ? LONG : n};
            assert_int_equal(pool_add(&p, s), i);
            assert_true(str_eq(pool_text(&p, i), s));
            first = first ? first : pool_text(&p, 0).p;
        }
    assert_int_equal(p.n, TEXTS);
    assert_ptr_equal(pool_text(&p, 0).p, first);
    assert_int_equal(pool_find(&p, S("4999")), 4999);
    assert_int_equal(pool_find(&p, S("none")), -1);
    pool_close(&p);
}

static void test_small(void **state)
{
    (void)state;
    check_many(pool_open);
}

static void test_large(void **state)
{
    (void)state;
    check_many(pool_open_large);
}

static void test_odd_texts(void **state)
{
    (void)state;
    struct name_pool p;
    pool_open(&p);
    assert_int_equal(pool_find(&p, S("")), -1);
    assert_int_equal(pool_add(&p, S("")), 0);
    assert_int_equal(pool_add(&p, S("a\0b")), 1);
    assert_int_equal(pool_add(&p, S("a\0c")), 2);
    assert_int_equal(pool_add(&p, S("")), 0);
    assert_int_equal(pool_text(&p, -1).n, 0);
    pool_close(&p);
    pool_open(&p); /* and again, with nothing in it */
    assert_int_equal(pool_find(&p, S("")), -1);
    pool_close(&p);
}

/* Ids are those of pool_add, whatever has the same place in the list of recent texts.
 */
static void texts_that_last_have_the_same_ids(void **state)
{
    (void)state;
    enum { TEXTS = 1000 };
    struct name_pool p;
    static char text[TEXTS][8];
    pool_open(&p);
    for (int round = 0; round < 3; round++)
        for (int i = 0; i < TEXTS; i++) {
            int n = snprintf(text[i], sizeof text[i], "%d", i / 2);
            struct str s = {text[i], n};
            assert_int_equal(round == 1 ? pool_add(&p, s) : pool_add_lasting(&p, s),
                             i / 2);
            assert_int_equal(pool_add_lasting(&p, s), i / 2);
        }
    assert_int_equal(pool_add_lasting(&p, str_head((struct str){text[22], 2}, 1)), 1);
    assert_int_equal(pool_add_lasting(&p, (struct str){text[22], 2}), 11);
    assert_int_equal(pool_add_lasting(&p, (struct str){text[22], 0}), TEXTS / 2);
    assert_int_equal(pool_add_lasting(&p, S("")), TEXTS / 2);
    pool_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small), cmocka_unit_test(test_large),
        cmocka_unit_test(test_odd_texts),
        cmocka_unit_test(texts_that_last_have_the_same_ids)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
