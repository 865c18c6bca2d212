#include "perf/perf_model.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perf/perf_case.h"

static void expect_category(struct str op, struct str kernel, const char *want)
{
    assert_true(str_eq(perf_category(op, kernel), str_of(want)));
}

/* The table first, then prefixes, then words in the first kernel, in that order. */
static void categories(void **state)
{
    (void)state;
    expect_category(S("aten::mm"), S(""), "GEMM");
    expect_category(S("aten::cudnn_convolution"), S(""), "CONV_fwd");
    expect_category(S("triton_x"), S(""), "triton");
    expect_category(S("record_param_comms"), S(""), "record_param_comms");
    expect_category(S("x"), S("void at::native::reduce_kernel<elementwise>"),
                    "elementwise");
    expect_category(S("x"), S("void at::native::reduce_kernel"), "reduce");
    expect_category(S("x"), S("void at::native::multi_tensor_apply_kernel"),
                    "multi_tensor_apply");
    expect_category(S("x"), S("void (anonymous namespace)::elementwise"), "other");
    expect_category(S("x"), S(""), "other");
}

/* Every row at its key, with a function, a sheet unless it is Triton's. */
static void table_is_whole(void **state)
{
    (void)state;
    for (int i = 0; i < PERF_MODELS; i++) {
        const struct perf_model *m = &perf_models[i];
        assert_true((int)m->key == i && m->cost && m->id && m->category);
        assert_int_equal(m->family < 0, i == MODEL_TRITON);
    }
    assert_string_equal(perf_family_name(0).p, "GEMM");
    assert_string_equal(perf_family_name(PERF_FAMILIES - 1).p, "Reduce");
    assert_int_equal(perf_family_name(PERF_FAMILIES).n, 0);
}

static void who_has_a_backward(void **state)
{
    (void)state;
    assert_true(perf_model_has_backward(perf_model_find(S("aten::convolution"))));
    assert_true(perf_model_has_backward(perf_model_find(S("MoEDispatch"))));
    assert_false(perf_model_has_backward(perf_model_find(S("aten::batch_norm"))));
    assert_false(perf_model_has_backward(perf_model_find(S("aten::sum"))));
    assert_false(perf_model_has_backward(perf_model_find(S("aten::mm"))));
}

static void triton_needs_sizes(void **state)
{
    (void)state;
    struct perf_case k;
    case_read(&k, "{\"op\": \"triton_poi_fused_add_0\", \"dims\": [[2]], "
                  "\"types\": [\"float\"], \"concrete\": [\"\"]}");
    assert_null(perf_model_find(k.call.name));
    assert_null(perf_model_of_call(&k.call));
    case_free(&k);
}

/* Products beyond what a double holds are left out. */
static void overflow_fails(void **state)
{
    (void)state;
    expect_status("{\"op\": \"aten::mm\", \"dims\": [[1e300, 1e300], [1e300, 1e300]], "
                  "\"types\": [\"float\", \"float\"]}",
                  PERF_FORWARD, PERF_FAIL);
}

/* No argument at all, and arguments of wrong kinds: every model must say so. */
static void hostile_arguments(void **state)
{
    (void)state;
    const char *const texts[] = {
        "{\"op\": \"x\"}",
        "{\"op\": \"x\", \"dims\": 1, \"types\": {}, "
        "\"strides\": \"\", \"concrete\": true, \"extra\": []}",
        "{\"op\": \"x\", \"dims\": [[0],[0],[0],[0],[0],[0],[0],[0],[0],[0],[0]], "
        "\"types\": [0, null, [], {}], \"strides\": [[[[[[[1]]]]]]], "
        "\"concrete\": [\"\", \"[\", \"[,]\", \"-\", \"'\", [], {}, null]}",
        "{\"op\": \"x\", \"dims\": [[0,0,0],[0,0,0],[0,0,0],[0,0],[0,0,0],[0,0],[0]], "
        "\"types\": [\"float\",\"float\",\"float\",\"float\",\"float\",\"float\"], "
        "\"strides\": [[],[],[],[],[],[],[]], \"annotation\": \"decode[sqsq=sqsk=]\", "
        "\"concrete\": [\"0\",\"0\",\"0\",\"0\",\"0\",\"0\",\"0\",\"0\",\"0\",\"0\"]}"};
    for (int t = 0; t < 4; t++)
        for (int i = 0; i < 2 * PERF_MODELS; i++) {
            struct perf_case k;
            case_read(&k, texts[t]);
            perf_cost_of(&k.arena, &perf_models[i / 2], &k.call,
                         i % 2 ? PERF_BACKWARD : PERF_FORWARD, &k.cost);
            assert_true(k.cost.status != PERF_OK || isfinite(k.cost.flop));
            case_free(&k);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(categories),         cmocka_unit_test(table_is_whole),
        cmocka_unit_test(who_has_a_backward), cmocka_unit_test(triton_needs_sizes),
        cmocka_unit_test(overflow_fails),     cmocka_unit_test(hostile_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
