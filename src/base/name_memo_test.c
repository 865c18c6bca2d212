#include "base/name_memo.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static _Thread_local int asked;

static uint64_t ask_length(struct str name)
{
    asked++;
    return (uint64_t)name.n;
}

static void test_asks_once(void **state)
{
    (void)state;
    static struct name_memo memo;
    asked = 0;
    assert_int_equal(name_memo_ask(&memo, S("gemm"), ask_length), 4);
    assert_int_equal(name_memo_ask(&memo, S("gemm"), ask_length), 4);
    assert_int_equal(asked, 1);
    assert_int_equal(name_memo_ask(&memo, S(""), ask_length), 0);
    assert_int_equal(asked, 2);
}

/* Four times as many names as it holds: every slot changes all the time. */
static void *ask_many(void *memo)
{
    char text[8000];
    intptr_t wrong = 0;
    memset(text, 'x', sizeof text);
    for (int k = 0; k < 20 * NAME_MEMO_SLOTS; k++) {
        struct str name = {text, k % (4 * NAME_MEMO_SLOTS)};
        wrong += name_memo_ask(memo, name, ask_length) != (uint64_t)name.n;
    }
    return (void *)wrong;
}

static void test_threads_share_it(void **state)
{
    (void)state;
    static struct name_memo memo;
    pthread_t other;
    void *wrong;
    assert_int_equal(pthread_create(&other, NULL, ask_many, &memo), 0);
    assert_null(ask_many(&memo));
    pthread_join(other, &wrong);
    assert_null(wrong);
    asked = 0; /* by this thread: what the other asked last is known */
    struct str last = {"", 0};
    (void)name_memo_ask(&memo, last, ask_length);
    (void)name_memo_ask(&memo, last, ask_length);
    assert_in_range(asked, 0, 1);
}

static void test_two_of_one_slot(void **state)
{
    (void)state;
    static struct name_memo memo;
    static char text[40 * NAME_MEMO_SLOTS];
    struct str first = {text, 0}, second = {text, 1};
    while (name_memo_slot(str_table_hash(second)) !=
           name_memo_slot(str_table_hash(first)))
        second.n++;
    assert_true(second.n < (ptrdiff_t)sizeof text);
    asked = 0;
    for (int k = 0; k < 10; k++) {
        assert_int_equal(name_memo_ask(&memo, first, ask_length), first.n);
        assert_int_equal(name_memo_ask(&memo, second, ask_length), second.n);
    }
    assert_int_equal(asked, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_asks_once),
                                       cmocka_unit_test(test_two_of_one_slot),
                                       cmocka_unit_test(test_threads_share_it)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
