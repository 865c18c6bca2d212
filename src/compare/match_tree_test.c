/* The ladder on small call trees made by hand. */
#include "compare/match.h"

#include "base/arena_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { MAX = 16 };

struct tree {
    struct capture c;
    struct capture_node nodes[MAX];
    struct capture_row rows[MAX];
    struct row_figures figures[MAX];
};

static struct tree trees[2];

static void begin(bool stacks)
{
    for (int side = 0; side < 2; side++) {
        struct tree *t = &trees[side];
        *t = (struct tree){0};
        t->c = (struct capture){
            .nodes = t->nodes, .rows = t->rows, .n_nodes = 1, .has_stacks = stacks};
        t->nodes[0].parent = -1;
    }
}

static int node(int side, int parent, const char *name)
{
    struct tree *t = &trees[side];
    t->nodes[t->c.n_nodes] =
        (struct capture_node){parent, t->nodes[parent].depth + 1, str_of(name),
                              str_starts(str_of(name), S("nn.Module: "))};
    return t->c.n_nodes++;
}

static void work(int side, int at, const char *name, const char *dims, int n,
                 int64_t ns)
{
    struct tree *t = &trees[side];
    t->rows[t->c.n_rows] = (struct capture_row){
        .name = str_of(name), .dims = str_of(dims), .node = at, .category = WORK_OTHER};
    t->figures[t->c.n_rows++] = (struct row_figures){n, n, n * ns};
}

static struct match_list matched(void)
{
    struct arena scratch = arena_reserve(1 << 20);
    struct match_side sides[2];
    struct match_options o = {MATCH_CATEGORY,
                              S("attention\tsdpa::flash\tsdpa::efficient\n"), false};
    for (int side = 0; side < 2; side++)
        sides[side] = (struct match_side){&trees[side].c, trees[side].figures, NULL, 0};
    struct match_list l = match_rows(&a, scratch, sides, &o);
    arena_release(scratch.at, &scratch);
    int64_t ns[2] = {0, 0}, want[2] = {0, 0};
    for (int side = 0; side < 2; side++) {
        for (int32_t i = 0; i < l.n; i++)
            ns[side] += l.rows[i].ns[side];
        for (int32_t i = 0; i < trees[side].c.n_rows; i++)
            want[side] += trees[side].figures[i].ns;
        assert_int_equal(ns[side], want[side]);
    }
    return l;
}

static int at_level(const struct match_list *l, enum match_level level)
{
    int n = 0;
    for (int32_t i = 0; i < l->n; i++)
        n += l->rows[i].level == level;
    return n;
}

/* Equal calls in two modules are two rows; elsewhere they are summed at L1. */
static void test_paths(void **state)
{
    (void)state;
    for (int stacks = 0; stacks < 2; stacks++) {
        begin(stacks);
        for (int side = 0; side < 2; side++) {
            int model = node(side, 0, "nn.Module: Model");
            work(side, node(side, model, "nn.Module: Attention"), "aten::mm", "((8),)",
                 12 + side, 100);
            work(side, node(side, model, "nn.Module: Mlp"), "aten::mm", "((8),)", 12,
                 200);
        }
        struct match_list l = matched();
        assert_int_equal(at_level(&l, MATCH_PATH), stacks ? 2 : 0);
        assert_int_equal(at_level(&l, MATCH_CALL), stacks ? 0 : 1);
        assert_int_equal(l.rows[0].n[1] - l.rows[0].n[0], 1); /* one more layer */
    }
}

/* Three kernels become one in the same module; a module around it changes nothing. */
static void test_fused(void **state)
{
    (void)state;
    for (int wrapped = 0; wrapped < 2; wrapped++) {
        begin(true);
        for (int side = 0; side < 2; side++) {
            int model = node(side, 0, "nn.Module: Model");
            int inner =
                side && wrapped ? node(side, model, "nn.Module: Wrapper") : model;
            int attention = node(side, inner, "nn.Module: Attention");
            work(side, model, "aten::embedding", "", 1, 5000);
            if (side) {
                work(side, attention, "flash", "", 4, 300);
                continue;
            }
            work(side, node(side, attention, "aten::matmul"), "aten::bmm", "", 8, 100);
            work(side, attention, "aten::softmax", "", 4, 70);
        }
        struct match_list l = matched();
        assert_int_equal(l.n, 2);
        assert_int_equal(at_level(&l, MATCH_TREE), 1);
        assert_text(l.rows[1].name[0], "Attention");
        assert_int_equal(l.rows[1].n_events[0], 12);
        assert_int_equal(l.rows[1].n_events[1], 4);
    }
}

/* Modules of one class are a pair; work is by name if its shapes changed, one-sided if
 * nothing near it is left on the other side. */
static void test_changes(void **state)
{
    (void)state;
    begin(true);
    for (int side = 0; side < 2; side++) {
        int model = node(side, 0, "nn.Module: Model");
        int sdpa = node(side, model, side ? "sdpa::flash" : "sdpa::efficient");
        int mlp = node(side, model, "nn.Module: Mlp");
        int norm = node(side, model, "nn.Module: Norm");
        work(side, model, "aten::embedding", "", 1, 9000);
        work(side, sdpa, side ? "flash" : "efficient", "", 4, 50);
        work(side, mlp, "aten::mm", side ? "((16),)" : "((8),)", 4, 100);
        work(side, norm, "aten::norm", "", 4, 20);
        if (side)
            work(side, norm, "aten::clone", "", 4, 1);
    }
    struct match_list l = matched();
    assert_int_equal(at_level(&l, MATCH_PATH), 2);
    assert_int_equal(at_level(&l, MATCH_TREE), 1);
    assert_int_equal(at_level(&l, MATCH_NAME), 1);
    assert_int_equal(at_level(&l, MATCH_ONLY_CANDIDATE), 1);
    assert_int_equal(l.n, 5);
}

/* What is left on one side of a module and on the other of the next belongs to what is
 * around both, but never to the whole model. */
static void test_outwards(void **state)
{
    (void)state;
    for (int most = 0; most < 2; most++) {
        begin(true);
        for (int side = 0; side < 2; side++) {
            int model = node(side, 0, "nn.Module: Model");
            int block = node(side, model, "nn.Module: Block");
            int q = node(side, block, "nn.Module: Q"),
                k = node(side, block, "nn.Module: K");
            work(side, model, "aten::embedding", "", 1, most ? 10 : 9000);
            work(side, q, "aten::mm", "", 1, 100);
            work(side, k, "aten::mm", "", 1, 100);
            work(side, side ? q : k, side ? "aten::gelu" : "aten::relu", "", 1, 3);
        }
        struct match_list l = matched();
        assert_int_equal(at_level(&l, MATCH_TREE), !most);
        assert_int_equal(at_level(&l, MATCH_CATEGORY), most);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_fused),
        cmocka_unit_test(test_changes),
        cmocka_unit_test(test_outwards),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
