#include "first_calls.c"

#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* `n` products 20 ms apart; in those of `stalls` the library makes this call. */
static void products_with(struct trace_case *c, const char *call, int n,
                          unsigned stalls, double stall_us)
{
    case_begin(c);
    for (int k = 0; k < n; k++) {
        double at = 20000.0 * k;
        case_op(c, "aten::linear", at, 15000);
        case_op(c, "aten::addmm", at + 1, 14000);
        if (stalls >> k & 1)
            case_call(c, call, at + 10, k ? stall_us : 2000, 900 + k);
        case_launch(c, "gemm", at + 13000, at + 13100, 500, k + 1);
    }
}

/* It gives memory back. */
static void products(struct trace_case *c, int n, unsigned stalls, double stall_us)
{
    products_with(c, "cudaFree", n, stalls, stall_us);
}

static struct first_calls of(struct trace_case *c)
{
    case_open(c, NULL);
    struct tree_index t = tree_index_build(&c->perm, c->tmp, &c->view);
    return first_calls_find(&c->perm, c->tmp, &t);
}

static void what_only_the_first_call_does_sets_something_up(void **state)
{
    (void)state;
    struct trace_case c;
    products(&c, 3, 1, 0);
    struct first_calls f = of(&c);
    assert_int_equal(f.n, 1);
    assert_text(store_name(c.view.s, f.at[0]), "cudaFree");
    assert_int_equal(f.given_back, 0);
    case_close(&c);
}

static void what_recurs_does_not(void **state)
{
    (void)state;
    struct trace_case c;
    products(&c, 3, 5, 600); /* in the first and in the third */
    struct first_calls f = of(&c);
    assert_int_equal(f.n, 0);
    assert_int_equal(f.given_back, 2);
    case_close(&c);
}

/* Memory taken and given back is counted apart, without what sets something up; what
 * launches or waits sets nothing up. */
static void calls_that_set_up_are_of_some_kinds(void **state)
{
    (void)state;
    static const struct {
        const char *call;
        unsigned stalls;
        int n, taken, given_back;
    } cases[] = {
        {"cudaMalloc", 1, 1, 0, 0},       {"cudaMalloc", 5, 0, 2, 0},
        {"cudaFree", 5, 0, 0, 2},         {"cudaFuncSetAttribute", 1, 1, 0, 0},
        {"cudaLaunchKernel", 1, 0, 0, 0}, {"cudaStreamSynchronize", 1, 0, 0, 0}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct trace_case c;
        products_with(&c, cases[k].call, 3, cases[k].stalls, 600);
        struct first_calls f = of(&c);
        assert_int_equal(f.n, cases[k].n);
        assert_int_equal(f.taken, cases[k].taken);
        assert_int_equal(f.given_back, cases[k].given_back);
        case_close(&c);
    }
}

static void a_trace_of_little_that_recurs_still_says_so(void **state)
{
    (void)state;
    struct trace_case c;
    products(&c, 3, 5, 499); /* less than a quarter */
    assert_int_equal(of(&c).n, 1);
    case_close(&c);
}

static void nobody_knows_of_an_operator_that_is_called_once(void **state)
{
    (void)state;
    struct trace_case c;
    products(&c, 1, 1, 0);
    assert_int_equal(of(&c).n, 0);
    case_close(&c);
}

static void a_stall_in_a_later_call_is_no_set_up(void **state)
{
    (void)state;
    struct trace_case c;
    products(&c, 3, 2, 2000);
    assert_int_equal(of(&c).n, 0);
    case_close(&c);
}

static void first_calls_of_operators(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    case_op(&c, "aten::addmm", 0, 4000);
    case_op(&c, "aten::addmm", 5000, 1000);
    case_op(&c, "aten::relu", 7000, 4000);
    case_op(&c, "aten::relu", 12000, 1001); /* more than a quarter */
    case_op(&c, "aten::cat", 15000, 4000);
    case_launch(&c, "k", 20000, 20010, 10, 1);
    case_open(&c, NULL);
    assert_true(first_call_alone(c.view.s, 0));
    assert_false(first_call_alone(c.view.s, 1));
    assert_false(first_call_alone(c.view.s, 2));
    assert_false(first_call_alone(c.view.s, 4));
    case_close(&c);
}

/* Of two threads in the same call, each has its own, unless a third takes as long for
 * it later. */
static void first_calls_of_threads(void **state)
{
    (void)state;
    for (int again = 0; again < 2; again++) {
        struct trace_case c;
        case_begin(&c);
        for (int tid = 1; tid <= 2; tid++) {
            case_event(&c, "cpu_op", "Build", tid, 100 * tid, 4000, "");
            case_event(&c, "cpu_op", "Build", tid, 9000 + 100 * tid, 10, "");
        }
        case_event(&c, "cpu_op", "Build", 3, 20000, again ? 4000 : 10, "");
        case_launch(&c, "k", 30000, 30010, 10, 1);
        case_open(&c, NULL);
        assert_int_equal(first_call_alone(c.view.s, 0), !again);
        assert_int_equal(first_call_alone(c.view.s, 2), !again);
        assert_false(first_call_alone(c.view.s, 1));
        assert_false(first_call_alone(c.view.s, 4));
        case_close(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_only_the_first_call_does_sets_something_up),
        cmocka_unit_test(what_recurs_does_not),
        cmocka_unit_test(calls_that_set_up_are_of_some_kinds),
        cmocka_unit_test(a_trace_of_little_that_recurs_still_says_so),
        cmocka_unit_test(nobody_knows_of_an_operator_that_is_called_once),
        cmocka_unit_test(a_stall_in_a_later_call_is_no_set_up),
        cmocka_unit_test(first_calls_of_operators),
        cmocka_unit_test(first_calls_of_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
