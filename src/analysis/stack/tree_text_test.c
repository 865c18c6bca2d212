#include "tree_text.c"

#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void net(struct trace_case *c)
{
    case_begin(c);
    case_frame(c, "train.py(3): main", 0, 100);
    case_frame(c, "nn.Module: Net_0", 1, 98);
    case_op(c, "aten::linear", 10, 24);
    case_op(c, "aten::addmm", 11, 22);
    case_launch(c, "gemm", 12, 200, 30, 1);
    case_launch(c, "post", 14, 230, 2.5, 2);
    case_op(c, "aten::relu", 50, 10);
    case_launch(c, "relu\\n\\u0001<b>", 51, 240, 5, 3);
    case_open(c, NULL);
}

static void stacks_are_indented(void **state)
{
    (void)state;
    struct trace_case c;
    net(&c);
    struct tree_index t = tree_index_build(&c.perm, c.tmp, &c.view);
    struct out o;
    out_memory(&o);
    tree_write_stack(&o, c.tmp, &t, case_find(&c, "aten::addmm", 0), 10, 80);
    assert_text(out_view(&o), "train.py(3): main\n"
                              "  nn.Module: Net_0\n"
                              "    aten::linear\n"
                              "      aten::addmm\n");
    out_free(&o);
    /* Four lines for five events and a line that says how many are missing: 5 - 3. */
    out_memory(&o);
    tree_write_stack(&o, c.tmp, &t, case_find(&c, "gemm", 0), 4, 12);
    assert_text(out_view(&o), "train.py(...\n"
                              "  ... 3 calls ...\n"
                              "    hipLaunch...\n"
                              "      gemm\n");
    out_free(&o);
    case_close(&c);
}

static void subtrees_are_drawn(void **state)
{
    (void)state;
    struct trace_case c;
    net(&c);
    struct tree_index t = tree_index_build(&c.perm, c.tmp, &c.view);
    struct out o;
    out_memory(&o);
    event_id root = case_find(&c, "nn.Module: Net_0", 0);
    tree_write_subtree(&o, c.tmp, &t, root, 20, 80);
    assert_text(out_view(&o), "nn.Module: Net_0  37.50 µs\n"
                              "├── aten::linear  32.50 µs\n"
                              "│   └── aten::addmm  32.50 µs\n"
                              "│       ├── gemm  30.00 µs, stream 7\n"
                              "│       └── post  2.50 µs, stream 7\n"
                              "└── aten::relu  5.00 µs\n"
                              "    └── relu  <b>  5.00 µs, stream 7\n");
    out_free(&o);
    out_memory(&o);
    tree_write_subtree(&o, c.tmp, &t, root, 2, 80);
    assert_text(out_view(&o), "nn.Module: Net_0  37.50 µs\n"
                              "└── aten::linear  32.50 µs\n"
                              "... more below\n");
    out_free(&o);
    case_close(&c);
}

static void names_are_cut_on_a_character(void **state)
{
    (void)state;
    struct out o;
    out_memory(&o);
    put_name(&o, S("\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"), 8); /* fits */
    put_name(&o, S("|\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"), 8);
    put_name(&o, S("|a\xff"), 8);
    assert_text(out_view(&o),
                "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9|\xc3\xa9\xc3\xa9...|a\xef\xbf\xbd");
    out_free(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stacks_are_indented),
        cmocka_unit_test(subtrees_are_drawn),
        cmocka_unit_test(names_are_cut_on_a_character),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
