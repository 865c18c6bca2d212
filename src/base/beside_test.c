#include "base/beside.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct note {
    pthread_t by;
    int times;
};

static void take_note(void *context)
{
    struct note *n = context;
    n->by = pthread_self();
    n->times++;
}

static void test_on_another_thread(void **state)
{
    (void)state;
    struct beside b;
    struct note n = {0};
    beside_start(&b, true, take_note, &n);
    beside_join(&b);
    assert_int_equal(n.times, 1);
    assert_false(pthread_equal(n.by, pthread_self()));
    beside_join(&b); /* once more, and nothing happens */
    assert_int_equal(n.times, 1);
}

static void test_at_once(void **state)
{
    (void)state;
    struct beside b;
    struct note n = {0};
    beside_start(&b, false, take_note, &n);
    assert_int_equal(n.times, 1);
    assert_true(pthread_equal(n.by, pthread_self()));
    beside_join(&b);
    assert_int_equal(n.times, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_on_another_thread),
                                       cmocka_unit_test(test_at_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
