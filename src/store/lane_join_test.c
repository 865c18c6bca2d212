#include "store/lane_join.c"

#include "store/store_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define PROCESS(pid, name)                                                             \
    "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":" #pid                            \
    ",\"tid\":0,\"args\":{\"name\":\"" name "\"}},"
#define CALL(cat, name, pid, tid, ts)                                                  \
    "{\"ph\":\"X\",\"cat\":\"" cat "\",\"name\":\"" name "\",\"pid\":" #pid            \
    ",\"tid\":" #tid ",\"ts\":" #ts ",\"dur\":5},"
#define ARROW(ph, pid, tid, ts)                                                        \
    "{\"ph\":\"" ph                                                                    \
    "\",\"cat\":\"HostToDevice\",\"name\":\"a\",\"id\":1,\"pid\":" #pid                \
    ",\"tid\":" #tid ",\"ts\":" #ts "},"

static int32_t lane_of(const struct event_store *s, struct str name)
{
    for (event_id i = 0; i < s->n; i++)
        if (str_eq(store_name(s, i), name))
            return s->lane[i];
    return -1;
}

/* Calls of CANN belong to the thread of that number, and so do arrows that begin in
 * them; a thread that only CANN knows stays its own. */
static void calls_and_arrows_go_to_their_thread(void **state)
{
    (void)state;
    struct err e = {0};
    struct event_store s;
    assert_true(case_store(
        &s,
        "[" PROCESS(9, "Python") PROCESS(99, "CANN") CALL("kernel", "k", 800, 3, 9)
            CALL("", "AscendCL@other", 99, 6, 1) CALL("", "AscendCL@launch", 99, 5, 2)
                CALL("cpu_op", "op", 9, 5, 0) ARROW("s", 99, 5, 3)
                    ARROW("f", 800, 3, 9) "{\"ph\":\"i\",\"name\":\"end\",\"ts\":1}]",
        0, &e));
    int32_t kernel = lane_of(&s, S("k")), op = lane_of(&s, S("op"));
    int32_t other = lane_of(&s, S("other"));
    assert_int_not_equal(lane_of(&s, S("launch")), op);
    assert_int_equal(s.n_arrows, 2);
    assert_int_equal(s.arrows[0].lane, lane_of(&s, S("launch")));
    lanes_join(&s);
    assert_int_equal(lane_of(&s, S("launch")), op);
    assert_int_equal(s.arrows[0].lane, op);
    assert_int_equal(lane_of(&s, S("other")), other);
    assert_int_equal(lane_of(&s, S("op")), op);
    assert_int_equal(lane_of(&s, S("k")), kernel);
    assert_int_equal(s.arrows[1].lane, kernel);
    store_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_and_arrows_go_to_their_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
