#include "tree/place_link.c"

#include "store/store_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define CALL(cat, name, ts, dur)                                                       \
    "{\"ph\":\"X\",\"cat\":\"" cat "\",\"name\":\"" name                               \
    "\",\"pid\":1,\"tid\":2,\"ts\":" #ts ",\"dur\":" #dur "},"
#define TASK(stream, ts)                                                               \
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":" #stream       \
    ",\"ts\":" #ts ",\"dur\":5},"
#define ARROW(cat, ph, id, pid, tid, ts)                                               \
    "{\"ph\":\"" ph "\",\"cat\":\"" cat "\",\"name\":\"a\",\"id\":" #id                \
    ",\"pid\":" #pid ",\"tid\":" #tid ",\"ts\":" #ts "},"
#define END "{\"ph\":\"i\",\"name\":\"end\",\"ts\":1}]"

static int32_t n_linked;

/* Of the device events of a trace, in its order, the calls that started them. */
static void calls_of(const char *json, event_id *call, int32_t n)
{
    struct err e = {0};
    struct event_store s;
    struct arena perm = arena_reserve((ptrdiff_t)1 << 26),
                 tmp = arena_reserve((ptrdiff_t)1 << 26);
    char *perm_start = perm.at, *tmp_start = tmp.at;
    assert_true(case_store(&s, json, 0, &e));
    struct call_tree t = tree_build(&perm, tmp, &s, TREE_OPS);
    event_id all[8];
    int32_t k = 0;
    for (event_id i = 0; i < s.n; i++)
        if (cat_is_gpu(s.cat[i]))
            all[k++] = i;
    assert_int_equal(k, n);
    for (k = 0; k < n; k++)
        call[k] = -1;
    n_linked = place_link(tmp, &s, &t, all, n, call);
    store_close(&s);
    arena_release(perm_start, &perm);
    arena_release(tmp_start, &tmp);
}

/* One call starts two tasks, from the middle and from the end of it; a third begins
 * when no arrow ends, a fourth on another stream at the time of one. */
static void test_arrows_begin_within_calls(void **state)
{
    (void)state;
    event_id call[4];
    calls_of("[" CALL("cpu_op", "op", 0, 90) CALL("cuda_runtime", "launch", 10, 50)
                 TASK(3, 40) TASK(3, 60) TASK(3, 80) TASK(4, 60)
                     ARROW("HostToDevice", "s", 1, 1, 2, 20)
                         ARROW("HostToDevice", "f", 1, 0, 3, 40)
                             ARROW("HostToDevice", "f", 2, 0, 3, 60)
                                 ARROW("HostToDevice", "s", 2, 1, 2, 60) END,
             call, 4);
    assert_int_equal(n_linked, 2);
    assert_int_equal(call[0], 1);
    assert_int_equal(call[1], 1);
    assert_int_equal(call[2], -1);
    assert_int_equal(call[3], -1);
}

/* Arrows of operators count only where there are no others; one that begins after all
 * calls have ended links nothing. */
static void test_arrows_of_operators(void **state)
{
    (void)state;
    event_id call[2];
    calls_of("[" CALL("cpu_op", "op", 0, 9) TASK(3, 40) TASK(3, 60)
                 ARROW("async_npu", "s", 1, 1, 2, 0)
                     ARROW("async_npu", "f", 1, 0, 3, 40)
                         ARROW("async_npu", "s", 2, 1, 2, 10)
                             ARROW("async_npu", "f", 2, 0, 3, 60) END,
             call, 2);
    assert_int_equal(n_linked, 1);
    assert_int_equal(call[0], 0);
    assert_int_equal(call[1], -1);
    calls_of("[" CALL("cpu_op", "op", 0, 9) TASK(3, 40)
                 ARROW("async_npu", "s", 1, 1, 2, 0)
                     ARROW("async_npu", "f", 1, 0, 3, 40)
                         ARROW("HostToDevice", "s", 7, 1, 2, 0) END,
             call, 1);
    assert_int_equal(n_linked, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arrows_begin_within_calls),
        cmocka_unit_test(test_arrows_of_operators),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
