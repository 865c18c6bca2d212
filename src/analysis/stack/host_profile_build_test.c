#include "host_profile_build.c"

#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define assert_str(s, lit)                                                             \
    do {                                                                               \
        struct str got_ = (s);                                                         \
        assert_int_equal(got_.n, (ptrdiff_t)sizeof(lit) - 1);                          \
        assert_memory_equal(got_.p, lit, sizeof(lit) - 1);                             \
    } while (0)

/*  nn.Module: Net_0               0 .. 100
 *    nn.Module: Linear_0         10 ..  40
 *      aten::linear              12 ..  38
 *        some frame              14 ..  36
 *          aten::addmm           16 ..  34   a frame between two operators
 *    nn.Module: Linear_1         50 ..  60
 *    aten::relu                  70 ..  75
 *  enumerate(DataLoader)        100 .. 120   an annotation */
static struct host_profile *net(struct trace_case *c)
{
    case_begin(c);
    case_frame(c, "nn.Module: Net_0", 0, 100);
    case_frame(c, "nn.Module: Linear_0", 10, 30);
    case_op(c, "aten::linear", 12, 26);
    case_frame(c, "net.py(7): f", 14, 22);
    case_op(c, "aten::addmm", 16, 18);
    case_frame(c, "nn.Module: Linear_1", 50, 10);
    case_op(c, "aten::relu", 70, 5);
    case_event(c, "user_annotation", "enumerate(DataLoader)#_Iter.__next__", 1, 100, 20,
               "");
    case_open(c, NULL);
    struct tree_index t = tree_index_build(&c->perm, c->tmp, &c->view);
    return host_profile_build(&c->perm, c->tmp, &t);
}

static void self_time_of_operators_skips_frames(void **state)
{
    (void)state;
    struct trace_case c;
    const struct host_profile *h = net(&c);
    assert_int_equal(h->n_operators, 3);
    assert_str(h->operators[0].name, "aten::addmm");  /* 18 */
    assert_str(h->operators[1].name, "aten::linear"); /* 26 - 18 */
    assert_int_equal(h->operators[1].self_ns, 8000);
    assert_int_equal(h->operators[1].total_ns, 26000);
    assert_str(h->operators[2].name, "aten::relu");
    case_close(&c);
}

static void modules_are_classes_without_modules_inside(void **state)
{
    (void)state;
    struct trace_case c;
    const struct host_profile *h = net(&c);
    assert_int_equal(h->n_modules, 2);
    assert_str(h->modules[0].name, "Net"); /* 100 - 30 - 10 */
    assert_int_equal(h->modules[0].self_ns, 60000);
    assert_str(h->modules[1].name, "Linear");
    assert_int_equal(h->modules[1].calls, 2);
    assert_int_equal(h->modules[1].self_ns, 40000);
    case_close(&c);
}

static void threads_and_loading(void **state)
{
    (void)state;
    struct trace_case c;
    const struct host_profile *h = net(&c);
    assert_int_equal(h->n_threads, 1);
    assert_int_equal(h->threads[0].busy_ns, 100000);
    assert_int_equal(h->threads[0].operator_ns, 31000); /* linear and relu */
    assert_int_equal(h->busy_ns, 100000);
    assert_int_equal(h->span_ns, 120000);
    assert_int_equal(h->loading.calls, 1);
    assert_int_equal(h->loading.total_ns, 20000);
    assert_int_equal(h->compilation.calls, 0);
    assert_int_equal(h->peak_bytes, -1);
    case_close(&c);
}

/* f inside f: both calls count, their time once. */
static void recursion_counts_once(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    case_op(&c, "f", 0, 10);
    case_op(&c, "f", 2, 6);
    case_op(&c, "f", 20, 5);
    case_open(&c, NULL);
    struct tree_index t = tree_index_build(&c.perm, c.tmp, &c.view);
    const struct host_profile *h = host_profile_build(&c.perm, c.tmp, &t);
    assert_int_equal(h->n_operators, 1);
    assert_int_equal(h->operators[0].calls, 3);
    assert_int_equal(h->operators[0].total_ns, 15000);
    assert_int_equal(h->operators[0].self_ns, 15000);
    assert_int_equal(h->operators[0].most_ns, 10000);
    case_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(self_time_of_operators_skips_frames),
        cmocka_unit_test(modules_are_classes_without_modules_inside),
        cmocka_unit_test(threads_and_loading),
        cmocka_unit_test(recursion_counts_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
