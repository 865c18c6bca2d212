#include "group_kernels.c"

#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Three calls of an operator without shapes; `names`: what each launches, in 10, 20 and
 * 40 us. */
static const struct op_group *row_of(struct trace_case *c, const char *const names[3])
{
    case_begin(c);
    for (int k = 0; k < 3; k++) {
        case_op(c, "aten::mm", 300 * k, 50);
        case_launch(c, names[k], 300 * k + 10, 300 * k + 20, 10 << k, k + 1);
    }
    case_open(c, NULL);
    assert_int_equal(c->tables.judged.n, 1);
    return &groups_row(&c->perm, &c->tables.judged, 0)->group;
}

static void kernels_go_by_their_own_names(void **state)
{
    (void)state;
    struct trace_case c;
    const struct op_group *g =
        row_of(&c, (const char *const[]){"small", "large", "large"});
    assert_int_equal(g->n_placed, 1); /* as the reference has it */
    assert_text(g->placed[0].name, "small");
    assert_int_equal(g->placed[0].n, 3);
    assert_near(g->placed[0].total_us, 70, 1e-9);
    assert_int_equal(g->n_kernels, 2); /* shortest first */
    assert_text(g->kernels[0].name, "small");
    assert_int_equal(g->kernels[0].n, 1);
    assert_near(g->kernels[0].total_us, 10, 1e-9);
    assert_text(g->kernels[1].name, "large");
    assert_int_equal(g->kernels[1].n, 2);
    assert_near(g->kernels[1].mean_us, 30, 1e-9);
    assert_near(g->kernels[1].min_us, 20, 1e-9);
    assert_near(g->kernels[1].max_us, 40, 1e-9);
    assert_ptr_equal(group_longest_kernel(g), &g->kernels[1]);
    case_close(&c);
}

static void calls_that_launch_the_same_have_one_list(void **state)
{
    (void)state;
    struct trace_case c;
    const struct op_group *g =
        row_of(&c, (const char *const[]){"large", "large", "large"});
    assert_ptr_equal(g->kernels, g->placed);
    assert_int_equal(g->n_kernels, 1);
    assert_int_equal(g->kernels[0].n, 3);
    case_close(&c);
}

static void without_kernels_none_is_longest(void **state)
{
    (void)state;
    assert_null(group_longest_kernel(&(struct op_group){0}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_go_by_their_own_names),
        cmocka_unit_test(calls_that_launch_the_same_have_one_list),
        cmocka_unit_test(without_kernels_none_is_longest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
