#include "compiled.c"

#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct compiled find(struct trace_case *c)
{
    case_open(c, NULL);
    struct tree_index t = tree_index_build(&c->perm, c->tmp, &c->view);
    return compiled_of(&c->perm, c->tmp, &t);
}

/*  region 0/2           0 .. 100   graph abc  10 ..  40   kernel 30 us
 *    region 1/0        60 ..  90   graph def  65 ..  85   kernel 10 us, 25 us later
 *  aten::add          200 .. 210                          kernel 10 us
 */
static void regions_graphs_and_what_is_between(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    case_op(&c, "Torch-Compiled Region: 0/2", 0, 100);
    case_event(&c, "user_annotation", "## Call CompiledFxGraph abc ##", 1, 10, 30, "");
    case_launch(&c, "triton_a", 20, 1000, 30, 1);
    case_op(&c, "Torch-Compiled Region: 1/0", 60, 30);
    case_event(&c, "user_annotation", "## Call CompiledFxGraph def ##", 1, 65, 20, "");
    case_launch(&c, "triton_b", 70, 1030, 10, 2);
    case_op(&c, "aten::add", 200, 10);
    case_launch(&c, "add", 201, 1040, 10, 3);
    struct compiled f = find(&c);
    assert_int_equal(f.n, 4);
    assert_int_equal(f.n_regions, 2);
    assert_int_equal(f.n_graphs, 2);
    assert_true(str_eq(f.rows[0].name, S("0/2")));
    assert_int_equal(f.rows[0].frame, 0);
    assert_int_equal(f.rows[0].version, 2);
    assert_int_equal(f.rows[0].device_ns, 40000);
    assert_int_equal(f.rows[0].kernels, 2);
    assert_true(str_eq(f.rows[2].name, S("abc")));
    assert_int_equal(f.rows[2].host_ns, 30000);
    assert_int_equal(f.rows[2].device_ns, 30000);
    assert_true(str_eq(f.rows[3].name, S("def")));
    assert_int_equal(f.breaks, 1);
    assert_int_equal(f.break_ns, 25000);
    assert_int_equal(f.rows[3].break_ns, 25000);
    assert_int_equal(f.recompiled, 1);
    assert_int_equal(f.versions_most, 3);
    assert_near(f.graphs_pct, 80, 1e-9);
    case_close(&c);
}

/* Where no graph is recorded, regions that hold no other are the calls. */
static void regions_alone(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    case_op(&c, "Torch-Compiled Region", 0, 50);
    case_op(&c, "Torch-Compiled Region", 10, 20);
    case_launch(&c, "a", 15, 1000, 10, 1);
    case_op(&c, "Torch-Compiled Region", 70, 20);
    case_launch(&c, "b", 75, 1010, 10, 2);
    struct compiled f = find(&c);
    assert_int_equal(f.n, 1);
    assert_int_equal(f.rows[0].calls, 3);
    assert_int_equal(f.rows[0].frame, -1);
    assert_int_equal(f.breaks, 1);
    assert_int_equal(f.break_ns, 40000); /* from 30 to 70 */
    assert_int_equal(f.recompiled, 0);
    case_close(&c);
}

/* The device is a step behind the host, so that its borders would join what the host
 * has in two steps: a graph each, and nothing between two of one step. */
static void steps_are_those_of_the_host(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    for (int k = 0; k < 5; k++) {
        char name[32];
        snprintf(name, sizeof name, "ProfilerStep#%d", k);
        case_event(&c, "user_annotation", name, 1, 100 * k, 100, "");
        case_event(&c, "user_annotation", "## Call CompiledFxGraph a ##", 1,
                   100 * k + 10, 30, "");
        case_launch(&c, "triton", 100 * k + 20, 150 + 150 * k, 150, k + 1);
    }
    struct compiled f = find(&c);
    assert_true(c.view.steps.by_device);
    assert_int_equal(f.rows[0].calls, 5);
    assert_int_equal(f.breaks, 0);
    case_close(&c);
}

static void of_other_code_there_is_none(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    case_op(&c, "aten::add", 0, 50);
    case_launch(&c, "a", 15, 1000, 10, 1);
    assert_int_equal(find(&c).n, 0);
    case_close(&c);
}

static void links_of_the_last_attempt(void **state)
{
    (void)state;
    struct compiled_row rows[] = {
        {.kind = COMPILED_REGION, .frame = 0, .version = 2},
        {.kind = COMPILED_REGION, .frame = 1, .version = 0},
        {.kind = COMPILED_REGION, .frame = -1, .version = -1}, /* not recorded */
        {.kind = COMPILED_GRAPH, .frame = 0, .version = 2}};
    struct compiled c = {.rows = rows, .n = 4};
    struct compiled_link links[] = {{0, 2, 1, S("0/2_1")},
                                    {7, 0, 0, S("7/0")},
                                    {0, 2, 0, S("0/2")},
                                    {0, 1, 0, S("0/1")}};
    int32_t n = compiled_links_settle(links, 4);
    assert_int_equal(n, 3);
    compiled_add_links(&c, links, n);
    assert_true(str_eq(rows[0].href, S("0/2_1")));
    for (int k = 1; k < 4; k++)
        assert_int_equal(rows[k].href.n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links_of_the_last_attempt),
        cmocka_unit_test(regions_graphs_and_what_is_between),
        cmocka_unit_test(regions_alone), cmocka_unit_test(steps_are_those_of_the_host),
        cmocka_unit_test(of_other_code_there_is_none)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
