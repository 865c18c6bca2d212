#include "path_tree.c"

#include "analysis/stack/memory_peak.h"
#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct tree_case {
    struct trace_case c;
    struct tree_index index;
    const struct path_tree *r;
    const struct memory_peak *memory;
};

static void build(struct tree_case *k)
{
    case_open(&k->c, NULL);
    k->index = tree_index_build(&k->c.perm, k->c.tmp, &k->c.view);
    k->r = path_tree_build(&k->c.perm, k->c.tmp, &k->index, k->memory);
}

static const struct path_view *view_of(const struct tree_case *k,
                                       enum path_view_kind kind)
{
    for (int i = 0; i < k->r->n_views; i++)
        if (k->r->views[i].kind == kind)
            return &k->r->views[i];
    return NULL;
}

static const struct path_node *find(const struct path_view *v, const char *name)
{
    for (int32_t i = 0; i < v->n_nodes; i++)
        if (str_eq(v->nodes[i].name, str_of(name)))
            return &v->nodes[i];
    return NULL;
}

/* Times and launches of children add up to their parent, in whole nanoseconds; siblings
 * are in order, the rest last; ranges nest. */
static void check_sums(const struct path_view *v)
{
    assert_true(v->n_nodes > 0);
    assert_int_equal(v->nodes[0].after, v->n_nodes);
    for (int32_t i = 0; i < v->n_nodes; i++) {
        const struct path_node *n = &v->nodes[i];
        int64_t ns = 0, launches = 0, before = INT64_MAX;
        for (int32_t c = i + 1; c < n->after; c = v->nodes[c].after) {
            assert_int_equal(v->nodes[c].parent, i);
            assert_int_equal(v->nodes[c].depth, n->depth + 1);
            assert_true(v->nodes[c].time_ns <= before || v->nodes[c].kind == NODE_REST);
            assert_true(v->nodes[c].kind != NODE_REST || v->nodes[c].after == n->after);
            before = v->nodes[c].time_ns;
            ns += v->nodes[c].time_ns;
            launches += v->nodes[c].launches;
        }
        if (n->after > i + 1) {
            assert_int_equal(ns, n->time_ns);
            assert_int_equal(launches, n->launches);
        }
    }
}

/* Two layers of one class with a GEMM each (10 and 20 us), a loss after them (70 us):
 * the class holds 30 us in two instances, the operators inside it are one path. */
static void test_modules_and_calls(void **state)
{
    (void)state;
    struct tree_case k = {0};
    case_begin(&k.c);
    case_frame(&k.c, "train.py(1): main", 0, 1000);
    case_frame(&k.c, "nn.Module: Layer_0", 10, 100);
    case_op(&k.c, "aten::linear", 20, 50);
    case_op(&k.c, "aten::mm", 25, 40);
    case_launch(&k.c, "gemm", 30, 200, 10, 1);
    case_frame(&k.c, "nn.Module: Layer_1", 200, 100);
    case_op(&k.c, "aten::linear", 210, 50);
    case_op(&k.c, "aten::mm", 215, 40);
    case_launch(&k.c, "gemm", 220, 300, 20, 2);
    case_op(&k.c, "aten::loss", 400, 50);
    case_launch(&k.c, "loss", 410, 420, 70, 3);
    build(&k);
    assert_int_equal(k.r->n_views, 3);
    for (int i = 0; i < 3; i++) {
        check_sums(&k.r->views[i]);
        assert_int_equal(k.r->views[i].total_ns, 100000);
        assert_int_equal(k.r->views[i].launches, 3);
    }

    /* Layer › aten::linear › gemm: one line. Module view: the outermost operator. */
    const struct path_node *n = find(view_of(&k, VIEW_MODULES), "gemm");
    assert_non_null(n);
    assert_int_equal(n->time_ns, 30000);
    assert_int_equal(n->n_through, 2);
    assert_true(str_eq(n->through[0], S("Layer")));
    assert_true(str_eq(n->through[1], S("aten::linear")));

    /* The call view has the frame above both and aten::mm inside. */
    n = find(view_of(&k, VIEW_CALLS), "gemm");
    assert_int_equal(n->n_through, 3);
    assert_true(str_eq(n->through[2], S("aten::mm")));
    n = find(view_of(&k, VIEW_CALLS), "train.py(1): main");
    assert_int_equal(n->time_ns, 100000);

    /* Longest first: the loss. */
    const struct path_view *v = view_of(&k, VIEW_OPERATIONS);
    assert_true(str_eq(v->nodes[1].name, S("loss")));
    assert_int_equal(v->nodes[1].launches, 1);

    /* main has all of it, so what divides is below: the loss with 70 %. */
    const struct path_node *main = path_tree_main(view_of(&k, VIEW_CALLS));
    assert_true(str_eq(main->name, S("loss")));
    case_close(&k.c);
}

/* 100 kernels of one operator: one of 100 us, 99 of 50 ns each. 0.1 % of 104.95 us is
 * 105 ns: all 99 are folded into one line of 4.95 us. */
static void test_fold(void **state)
{
    (void)state;
    struct tree_case k = {0};
    case_begin(&k.c);
    case_op(&k.c, "op", 0, 1000);
    case_launch(&k.c, "large", 1, 2000, 100, 1);
    for (int i = 0; i < 99; i++) {
        char name[32];
        snprintf(name, sizeof name, "small%d", i);
        case_launch(&k.c, name, 5 + i, 3000 + i, 0.05, 2 + i);
    }
    build(&k);
    const struct path_view *v = view_of(&k, VIEW_OPERATIONS);
    check_sums(v);
    assert_int_equal(v->n_nodes, 4); /* all, op, large, rest */
    assert_int_equal(v->nodes[3].kind, NODE_REST);
    assert_int_equal(v->nodes[3].time_ns, 4950);
    assert_int_equal(v->nodes[3].instances, 99);
    case_close(&k.c);
}

/* Backward runs on a thread without frames: it belongs to the module of its forward. */
static void test_backward_module(void **state)
{
    (void)state;
    struct tree_case k = {0};
    case_begin(&k.c);
    case_frame(&k.c, "nn.Module: Net_0", 0, 100);
    case_event(&k.c, "cpu_op", "aten::mul", 1, 10, 20, "\"Sequence number\":7");
    case_launch(&k.c, "forward", 12, 50, 10, 1);
    case_event(&k.c, "cpu_op", "autograd::engine::evaluate_function: MulBackward0", 2,
               200, 50, "\"Sequence number\":7");
    case_event(&k.c, "cuda_runtime", "hipLaunchKernel", 2, 210, 1, "\"correlation\":2");
    case_kernel(&k.c, "backward", 7, 300, 30, 2);
    build(&k);
    const struct path_view *v = view_of(&k, VIEW_MODULES);
    check_sums(v);
    const struct path_node *net = find(v, "Net");
    assert_non_null(net);
    assert_int_equal(net->time_ns, 40000);
    case_close(&k.c);
}

/* Two blocks, each called twice, of which one holds 3 bytes in all; their Linear
 * another 5, in a call that launches nothing. */
static void test_calls_and_memory(void **state)
{
    (void)state;
    struct tree_case k = {0};
    case_begin(&k.c);
    case_frame(&k.c, "nn.Module: Net_0", 0, 1000);
    for (int i = 0; i < 4; i++) {
        case_frame(&k.c, i % 2 ? "nn.Module: Block_1" : "nn.Module: Block_0",
                   10 + 100 * i, 50);
        case_frame(&k.c, "nn.Module: Linear_0", 12 + 100 * i, 20);
        if (i < 3)
            case_launch(&k.c, "gemm", 15 + 100 * i, 2000 + 100 * i, 10, i + 1);
        case_launch(&k.c, "relu", 40 + 100 * i, 2050 + 100 * i, 10, 10 + i);
    }
    struct memory_module held[3];
    struct memory_peak peak = {.modules = held};
    case_open(&k.c, NULL);
    for (event_id i = 0; i < k.c.store.n; i++) {
        int64_t at = k.c.store.start_ns[i] - k.c.store.start_ns[0];
        int64_t bytes = at == 10000 ? 1 : at == 210000 ? 2 : at == 312000 ? 5 : 0;
        if (k.c.store.cat[i] == CAT_PYTHON && bytes)
            held[peak.n_modules++] = (struct memory_module){i, bytes};
    }
    assert_int_equal(peak.n_modules, 3);
    k.index = tree_index_build(&k.c.perm, k.c.tmp, &k.c.view);
    k.r = path_tree_build(&k.c.perm, k.c.tmp, &k.index, &peak);
    const struct path_view *v = view_of(&k, VIEW_MODULES);
    check_sums(v);
    const struct path_node *block = find(v, "Block"), *linear = find(v, "gemm");
    assert_non_null(block);
    assert_non_null(linear);
    assert_int_equal(v->nodes[0].bytes, 8);
    assert_int_equal(block->calls, 4);
    assert_int_equal(block->instances, 2);
    assert_int_equal(block->bytes, 8);
    assert_int_equal(linear->bytes, 5); /* its line passes the Linear */
    assert_int_equal(linear->calls, 4);
    assert_int_equal(linear->instances, 1);
    assert_int_equal(find(view_of(&k, VIEW_CALLS), "relu")->bytes, 0);
    case_close(&k.c);
}

static void test_nothing(void **state)
{
    (void)state;
    struct tree_case k = {0};
    case_begin(&k.c);
    build(&k);
    assert_int_equal(k.r->n_views, 0);
    assert_false(k.r->has_frames);
    case_close(&k.c);
    case_begin(&k.c);
    case_op(&k.c, "aten::add", 0, 10);
    build(&k);
    assert_int_equal(k.r->n_views, 0);
    case_close(&k.c);
}

/* A kernel without duration is there, and takes nothing. */
static void test_zero_time(void **state)
{
    (void)state;
    struct tree_case k = {0};
    case_begin(&k.c);
    case_op(&k.c, "op", 0, 10);
    case_launch(&k.c, "none", 1, 20, 0, 1);
    build(&k);
    const struct path_view *v = view_of(&k, VIEW_OPERATIONS);
    check_sums(v);
    assert_int_equal(v->total_ns, 0);
    assert_int_equal(v->n_nodes, 2);
    assert_int_equal(v->nodes[1].kind, NODE_REST);
    case_close(&k.c);
}

/* A million frames, each in the one before, and at every thousandth a kernel: loops
 * alone, and a view no larger than its fold allows. */
static void test_deep(void **state)
{
    (void)state;
    enum { DEEP = 1000000 };
    struct tree_case k = {0};
    case_begin(&k.c);
    for (int i = 0; i < DEEP; i++) {
        case_frame(&k.c, "f.py(1): down", i * 0.001, 4000 - i * 0.002);
        if (i % 1000 == 999)
            case_launch(&k.c, "k", i * 0.001 + 0.0005, 5000 + i, 1, i);
    }
    build(&k);
    for (int i = 0; i < k.r->n_views; i++) {
        check_sums(&k.r->views[i]);
        assert_int_equal(k.r->views[i].total_ns, 1000000);
        assert_true(k.r->views[i].n_nodes <= 4000);
    }
    assert_true(view_of(&k, VIEW_CALLS)->deepest > 900000);
    case_close(&k.c);
}

/* Names that try to be more: kept as they are, here. Ids are made of a hash alone. */
static void test_hostile_names(void **state)
{
    (void)state;
    struct tree_case k = {0};
    case_begin(&k.c);
    case_frame(&k.c, "nn.Module: \\\"><script>alert(1)</script>_0", 0, 100);
    case_op(&k.c, "", 10, 50);
    case_launch(&k.c, "\\u0000\\u202e", 12, 50, 10, 1);
    build(&k);
    for (int i = 0; i < k.r->n_views; i++) {
        check_sums(&k.r->views[i]);
        for (int32_t n = 1; n < k.r->views[i].n_nodes; n++) {
            struct str id = k.r->views[i].nodes[n].id;
            assert_int_equal(id.n, 10);
            for (ptrdiff_t b = 0; b < id.n; b++)
                assert_true((id.p[b] >= 'a' && id.p[b] <= 'z') || id.p[b] == '-' ||
                            (id.p[b] >= '0' && id.p[b] <= '9'));
        }
    }
    case_close(&k.c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_modules_and_calls),
        cmocka_unit_test(test_fold),
        cmocka_unit_test(test_backward_module),
        cmocka_unit_test(test_calls_and_memory),
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_zero_time),
        cmocka_unit_test(test_deep),
        cmocka_unit_test(test_hostile_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
