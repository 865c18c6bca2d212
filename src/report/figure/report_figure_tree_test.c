#include "report_figure_tree.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct arena memory;

/* 100 ms: a product of 60, and a module of 40 with 25 of elementwise work, 14.9 of a
 * product, and 0.1 folded. */
static struct path_node nodes[] = {
    {.kind = NODE_ALL, .time_ns = 100000000, .parent = -1, .after = 6},
    {.name = S_INIT("gemm"),
     .kind = NODE_DEVICE,
     .time_ns = 60000000,
     .parent = 0,
     .after = 2,
     .depth = 1},
    {.name = S_INIT("Block"),
     .kind = NODE_MODULE,
     .time_ns = 40000000,
     .parent = 0,
     .after = 6,
     .depth = 1},
    {.name = S_INIT("add"),
     .kind = NODE_DEVICE,
     .time_ns = 25000000,
     .parent = 2,
     .after = 4,
     .depth = 2},
    {.name = S_INIT("gemm"),
     .kind = NODE_DEVICE,
     .time_ns = 14900000,
     .parent = 2,
     .after = 5,
     .depth = 2},
    {.kind = NODE_REST, .time_ns = 100000, .parent = 2, .after = 6, .depth = 2}};

static struct report report_of_nodes(void)
{
    static struct path_tree tree;
    static struct report_kernel kernels[] = {
        {.name = S_INIT("gemm"), .slot = SLOT_GEMM},
        {.name = S_INIT("add"), .slot = SLOT_ELEMENTWISE}};
    tree.n_views = 1;
    tree.views[0] = (struct path_view){
        .kind = VIEW_MODULES, .nodes = nodes, .n_nodes = 6, .total_ns = 100000000};
    return (struct report){.tree = &tree, .kernels = kernels, .n_kernels = 2};
}

/* A module has the colour of what most of its time is. */
static void test_cells(void **state)
{
    (void)state;
    static const enum figure_slot want[] = {SLOT_GEMM, SLOT_GEMM, SLOT_ELEMENTWISE,
                                            SLOT_ELEMENTWISE, SLOT_GEMM};
    struct report r = report_of_nodes();
    struct report_figure f = figure_tree(&memory, &r, 0);
    assert_int_equal(f.n_marks, 5); /* what is folded is too small to be seen */
    for (int k = 0; k < 5; k++) {
        assert_int_equal(f.marks[k].slot, want[k]);
        assert_int_equal(f.marks[k].node, k);
    }
    assert_true(f.marks[2].low == 60 && f.marks[2].high == 100);
    assert_true(f.marks[4].low == 85 && f.marks[4].x == 2);
}

/* As wide as the whole; shares stay those of all kernel time. */
static void test_part(void **state)
{
    (void)state;
    struct report r = report_of_nodes();
    struct report_figure f = figure_tree_part(&memory, &r, 0, 2);
    assert_true(f.whole == 40);
    assert_int_equal(f.n_marks, 4); /* here it is large enough */
    assert_int_equal(f.marks[0].node, 2);
    assert_true(f.marks[0].low == 0 && f.marks[0].high == 40 && f.marks[0].x == 0);
    assert_true(f.marks[1].low == 0 && f.marks[1].high == 25 && f.marks[1].x == 1);
    assert_true(str_eq(f.marks[1].value_text, S("25.00 ms, 25.0%")));
    assert_true(f.marks[3].folded);
}

/* Half and half: nothing is most of it. */
static void test_mixed(void **state)
{
    (void)state;
    struct report r = report_of_nodes();
    r.n_kernels = 0;
    assert_int_equal(figure_tree(&memory, &r, 0).marks[0].slot, SLOT_IDLE);
}

int main(void)
{
    memory = arena_reserve(1 << 24);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cells),
                                       cmocka_unit_test(test_part),
                                       cmocka_unit_test(test_mixed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
