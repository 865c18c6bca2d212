#include "op_lines.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Of two lines of an operator, one in a chain, the longer; kernels of its name count
 * not.
 */
static void an_operator_leads_to_its_longest_line(void **state)
{
    (void)state;
    struct arena a = arena_reserve(1 << 20);
    struct str passed[] = {S("aten::matmul")};
    struct path_node lines[] = {{.parent = -1, .after = 4},
                                {.id = S("n-1"),
                                 .name = S("aten::matmul"),
                                 .kind = NODE_OPERATOR,
                                 .time_ns = 5,
                                 .after = 2},
                                {.id = S("n-2"),
                                 .name = S("aten::mm"),
                                 .kind = NODE_OPERATOR,
                                 .through = passed,
                                 .n_through = 1,
                                 .time_ns = 9,
                                 .after = 3},
                                {.id = S("n-3"),
                                 .name = S("aten::bmm"),
                                 .kind = NODE_DEVICE,
                                 .time_ns = 20,
                                 .after = 4}};
    struct path_tree tree = {.n_views = 2};
    tree.views[0] = (struct path_view){.kind = VIEW_MODULES};
    tree.views[1] =
        (struct path_view){.kind = VIEW_CALLS, .nodes = lines, .n_nodes = 4};
    struct report r = {.tree = &tree};
    struct op_lines l = op_lines_of(&a, &r);
    assert_true(
        str_eq(op_line_href(&a, &l, S("aten::matmul")), S("tree-calls.html#n-2")));
    assert_int_equal(op_line_href(&a, &l, S("aten::bmm")).n, 0);
    struct op_lines none = op_lines_of(&a, &(struct report){0});
    assert_int_equal(op_line_href(&a, &none, S("aten::mm")).n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_operator_leads_to_its_longest_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
