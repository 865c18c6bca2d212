#include "tree/backward_link.c"

#include "base/arena_case.h"
#include "store/store_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define OP(name, tid, ts, sequence)                                                    \
    "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"" name "\",\"pid\":1,\"tid\":" #tid   \
    ",\"ts\":" #ts ",\"dur\":5,\"args\":{\"Sequence number\":" #sequence "}},"
#define NODE(ts, sequence) OP("autograd::engine::evaluate_function: N", 2, ts, sequence)
#define FRAME                                                                          \
    "{\"ph\":\"X\",\"cat\":\"python_function\",\"name\":\"f\",\"pid\":1,\"tid\":1,"    \
    "\"ts\":0,\"dur\":90},"
#define END "{\"ph\":\"i\",\"name\":\"end\",\"ts\":1}]"

static struct event_store s;

static struct backward_link link_case(const char *json)
{
    struct err e = {0};
    assert_true(case_store(&s, json, 0, &e));
    struct arena tmp = arena_first_half(&a);
    return backward_link_build(&a, tmp, &s);
}

/* Number 7: of the two operators on the other thread the later one, 2, is the forward
 * of node 4; 5 has the number too, and is no more than a part of the node. Number 8 has
 * a node and no operator elsewhere, 9 an operator and no node: no links. */
static void test_a_number_joins_two_threads(void **state)
{
    (void)state;
    struct backward_link b =
        link_case("[" FRAME OP("aten::t", 1, 10, 7) OP("aten::mm", 1, 20, 7)
                      OP("aten::add", 1, 30, 9) NODE(40, 7) OP("MmBackward0", 2, 41, 7)
                          NODE(50, 8) END);
    assert_int_equal(b.n_links, 1);
    assert_int_equal(backward_forward(&b, 4), 2);
    assert_int_equal(backward_node(&b, 2), 4);
    static const event_id none[] = {0, 1, 2, 3, 5, 6};
    for (size_t k = 0; k < sizeof none / sizeof *none; k++) {
        assert_int_equal(backward_forward(&b, none[k]), -1);
        if (none[k] != 2)
            assert_int_equal(backward_node(&b, none[k]), -1);
    }
    store_close(&s);
}

static void test_nothing_to_join(void **state)
{
    (void)state;
    struct backward_link b =
        link_case("[" FRAME OP("aten::mm", 1, 20, 7) OP("aten::mm", 2, 30, 7) END);
    assert_int_equal(b.n_links, 0);
    for (event_id i = 0; i < s.n; i++) {
        assert_int_equal(backward_forward(&b, i), -1);
        assert_int_equal(backward_node(&b, i), -1);
    }
    store_close(&s);
    b = link_case("[" FRAME END);
    assert_int_equal(backward_forward(&b, 0), -1);
    store_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_number_joins_two_threads),
        cmocka_unit_test(test_nothing_to_join)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
