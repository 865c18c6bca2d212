#include "perf/own/own_move.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "perf/own/own_case.h"

#define CAT(kernel)                                                                    \
    "{\"op\": \"aten::cat\", \"dims\": [[[2, 3], [2, 5]], []], \"types\": "            \
    "[\"TensorList\", \"Scalar\"], \"kernels\": [\"" kernel "\"]}"

/* 16 elements of the width that the kernel is compiled for, read and written. */
static void cat_takes_the_type_from_the_kernel(void **state)
{
    (void)state;
    expect_own(
        CAT("void CatArrayBatchedCopy<at::native::OpaqueType<2u>, unsigned int>"), 0,
        64, "");
    expect_own(CAT("void CatArrayBatchedCopy<double, unsigned int, 2>"), 0, 256, "");
    expect_own_failure(CAT("some_kernel"));
}

static void cat_without_recorded_tensors_fails(void **state)
{
    (void)state;
    expect_own_failure("{\"op\": \"aten::cat\", \"dims\": [[], []], \"types\": "
                       "[\"TensorList\", \"Scalar\"], \"kernels\": [\"f<float>\"]}");
}

/* 3 rows of 4 halves read and written, 3 indices of 8 bytes. */
static void gathering(void **state)
{
    (void)state;
    expect_own("{\"op\": \"aten::index_select\", \"dims\": [[100, 4], [], [3]], "
               "\"types\": [\"c10::Half\", \"Scalar\", \"long int\"], \"concrete\": "
               "[\"\", \"0\", \"\"]}",
               0, 72, "vector_fp16");
    expect_own("{\"op\": \"aten::embedding\", \"dims\": [[100, 4], [3], [], [], []], "
               "\"types\": [\"c10::Half\", \"long int\", \"Scalar\", \"Scalar\", "
               "\"Scalar\"]}",
               0, 72, "vector_fp16");
    expect_own("{\"op\": \"aten::gather\", \"dims\": [[8, 8], [], [8, 2]], \"types\": "
               "[\"float\", \"Scalar\", \"long int\"]}",
               0, 256, "vector_fp32");
}

/* 8 rows of 2 by one index each, which expand() shows twice; a dimension of one has any
 * stride. */
static void an_expanded_index_is_read_once(void **state)
{
    (void)state;
#define GATHER(strides)                                                                \
    "{\"op\": \"aten::gather\", \"dims\": [[8, 2], [], [8, 2]], \"types\": "           \
    "[\"float\", "                                                                     \
    "\"Scalar\", \"long int\"], \"strides\": [[2, 1], [], " strides "]}"
    expect_own(GATHER("[1, 0]"), 0, 2 * 16 * 4 + 8 * 8, "vector_fp32");
    expect_own(GATHER("[2, 1]"), 0, 2 * 16 * 4 + 16 * 8, "vector_fp32");
    expect_own(GATHER("null"), 0, 2 * 16 * 4 + 16 * 8, "vector_fp32");
#undef GATHER
}

/* x[i, j] of [10, 10, 3] with [5, 1] and [1, 7]: 5 places at least, 7 here. */
static void indexing_by_a_list(void **state)
{
    (void)state;
    expect_own("{\"op\": \"aten::index\", \"dims\": [[10, 10, 3], [[7], [7]]], "
               "\"types\": [\"float\", \"TensorList\"]}",
               0, 168, "vector_fp32");
    expect_own_failure("{\"op\": \"aten::index\", \"dims\": [[10, 10], []], \"types\": "
                       "[\"float\", \"\"]}");
}

/* 6 sources and 6 indices read, the 6 places read, added to and written. */
static void scattering(void **state)
{
    (void)state;
    expect_own("{\"op\": \"aten::scatter_add_\", \"dims\": [[100], [], [6], [6]], "
               "\"types\": [\"float\", \"Scalar\", \"long int\", \"float\"]}",
               6, 120, "vector_fp32");
    expect_own(
        "{\"op\": \"aten::_index_put_impl_\", \"dims\": [[100], [], [6], [], []], "
        "\"types\": [\"int\", \"\", \"int\", \"Scalar\", \"Scalar\"], "
        "\"concrete\": [\"\", \"\", \"\", \"False\", \"False\"]}",
        0, 48, "");
}

/* 6 rows of 4 floats, 6 indices of 8 bytes; 100 rows written. */
static void embedding_backward(void **state)
{
    (void)state;
    expect_own(
        "{\"op\": \"aten::embedding_dense_backward\", \"dims\": [[6, 4], [6], [], "
        "[], []], \"types\": [\"float\", \"long int\", \"Scalar\", \"Scalar\", "
        "\"Scalar\"], \"concrete\": [\"\", \"\", \"100\", \"-1\", \"False\"]}",
        24, 1744, "vector_fp32");
}

/* 4 targets of 10 classes: 16 + 32 bytes in, one loss out; back: 32 in, 160 out. */
static void loss_of_targets(void **state)
{
    (void)state;
    expect_own("{\"op\": \"aten::nll_loss_forward\", \"dims\": [[4, 10], [4], [], [], "
               "[]], \"types\": [\"float\", \"long int\", \"\", \"Scalar\", "
               "\"Scalar\"]}",
               4, 52, "vector_fp32");
    expect_own("{\"op\": \"aten::nll_loss_backward\", \"dims\": [[], [4, 10], [4]], "
               "\"types\": [\"float\", \"float\", \"long int\"]}",
               0, 192, "vector_fp32");
}

/* Parameters, gradients and two states of 10 floats: four read, three written. */
static void fused_adam(void **state)
{
    (void)state;
    expect_own("{\"op\": \"aten::_fused_adamw_\", \"dims\": [[[4], [6]], [[4], [6]], "
               "[[4], [6]], [[4], [6]], [], [[], []], []], \"types\": [\"TensorList\", "
               "\"TensorList\", \"TensorList\", \"TensorList\", \"TensorList\", "
               "\"TensorList\", \"Scalar\"], \"kernels\": "
               "[\"multi_tensor_apply_kernel<FusedOptimizerTensorListMetadata<4>, "
               "FusedAdamMathFunctor<float, 4> >\"]}",
               150, 280, "vector_fp32");
}

/* x += y: two lists read, one written. A copy only reads the second. */
static void foreach (void **state)
{
    (void)state;
    expect_own(
        "{\"op\": \"aten::_foreach_add_\", \"dims\": [[[4], [6]], [[4], [6]], "
        "[]], \"types\": [\"TensorList\", \"TensorList\", \"Scalar\"], "
        "\"kernels\": [\"m<TensorListMetadata<2>, "
        "BinaryOpListAlphaFunctor<c10::BFloat16, 2, 2, 0>, std::plus<float> >\"]}",
        10, 60, "vector_fp32");
    expect_own("{\"op\": \"aten::_foreach_copy_\", \"dims\": [[[4]], [[4]], []], "
               "\"types\": [\"TensorList\", \"TensorList\", \"Scalar\"], \"kernels\": "
               "[\"f<UnaryOpFunctor<long, 2> >\"]}",
               4, 64, "vector_fp32");
}

/* 5 of 8 tokens have a slot: 5 * (12 + 12) bf16 read, fp8 written, 8 bytes a slot. */
static void cache_store(void **state)
{
    (void)state;
    expect_own("{\"op\": \"_C_cache_ops::reshape_and_cache_flash\", \"dims\": [[8, 3, "
               "4], [8, 3, 4], [10, 16, 3, 4], [10, 16, 3, 4], [5]], \"types\": "
               "[\"c10::BFloat16\", \"c10::BFloat16\", \"unsigned char\", \"unsigned "
               "char\", \"long int\"]}",
               0, 400, "vector_bf16");
}

static void expect_own_params(const char *json, const char *want)
{
    struct perf_case k, caller;
    char got[300] = "";
    own_case_evaluate(&k, &caller, json);
    if (k.cost.status != PERF_OK)
        fail_msg("no cost: %s", json);
    for (int i = 0; i < k.cost.n_params; i++) {
        const struct perf_param *p = &k.cost.params[i];
        if (strcmp(p->key, "dtype") != 0)
            snprintf(got + strlen(got), sizeof got - strlen(got), "%s=%.*s ", p->key,
                     STRF(perf_param_str(p)));
    }
    assert_string_equal(got, want);
    case_free(&k);
}

/* What is read and what is written, which have one sum, and what is counted: a float is
 * 4 bytes, a half 2, an index 8; a scatter that is not in place copies all 100 first.
 */
static void each_side_has_its_bytes(void **state)
{
    static const struct {
        const char *json, *params;
    } cases[] = {
        {CAT("f<c10::Half>"),
         "num_tensors=2 num_elems=16 read_bytes=32 written_bytes=32 "},
        {"{\"op\": \"aten::embedding\", \"dims\": [[100, 4], [3], [], [], []], "
         "\"types\": [\"c10::Half\", \"long int\", \"Scalar\", \"Scalar\", "
         "\"Scalar\"]}",
         "num_output_elems=12 read_bytes=48 written_bytes=24 "},
        {"{\"op\": \"aten::index_select\", \"dims\": [[9], [], [3]], \"types\": "
         "[\"float\", \"Scalar\", \"long int\"], \"concrete\": [\"\", \"0\", \"\"]}",
         "num_output_elems=3 read_bytes=36 written_bytes=12 "},
        {"{\"op\": \"aten::scatter_add\", \"dims\": [[100], [], [6], [6]], "
         "\"types\": [\"float\", \"Scalar\", \"long int\", \"float\"]}",
         "num_source_elems=6 read_bytes=496 written_bytes=424 "},
        {"{\"op\": \"aten::scatter_\", \"dims\": [[100], [], [6], []], "
         "\"types\": [\"float\", \"Scalar\", \"long int\", \"Scalar\"]}",
         "num_source_elems=6 read_bytes=72 written_bytes=24 "},
        {"{\"op\": \"aten::index_put_\", \"dims\": [[100], [[6]], [6], []], "
         "\"types\": [\"float\", \"\", \"float\", \"Scalar\"], "
         "\"concrete\": [\"\", \"\", \"\", \"True\"]}",
         "num_source_elems=6 read_bytes=48 written_bytes=24 "},
        {"{\"op\": \"aten::_embedding_bag\", \"dims\": [[100, 4], [6], [2]], "
         "\"types\": [\"float\", \"long int\", \"long int\"]}",
         "num_indices=6 num_bags=2 width=4 read_bytes=160 written_bytes=32 "},
        {"{\"op\": \"aten::embedding_dense_backward\", \"dims\": [[6, 4], [6], [], "
         "[], []], \"types\": [\"float\", \"long int\", \"Scalar\", \"Scalar\", "
         "\"Scalar\"], \"concrete\": [\"\", \"\", \"100\", \"-1\", \"False\"]}",
         "num_weights=100 width=4 read_bytes=144 written_bytes=1600 "},
        {"{\"op\": \"aten::nll_loss_forward\", \"dims\": [[4, 10], [4], [], [], []], "
         "\"types\": [\"float\", \"long int\", \"\", \"Scalar\", \"Scalar\"]}",
         "num_targets=4 read_bytes=48 written_bytes=4 "},
        {"{\"op\": \"aten::nll_loss_backward\", \"dims\": [[], [4, 10], [4]], "
         "\"types\": [\"float\", \"float\", \"long int\"]}",
         "read_bytes=32 written_bytes=160 "},
        {"{\"op\": \"_C_cache_ops::reshape_and_cache_flash\", \"dims\": [[8, 3, 4], "
         "[8, 3, 4], [10, 16, 3, 4], [10, 16, 3, 4], [5]], \"types\": "
         "[\"c10::BFloat16\", \"c10::BFloat16\", \"unsigned char\", "
         "\"unsigned char\", \"long int\"]}",
         "num_tokens=5 num_elems=120 read_bytes=280 written_bytes=120 "},
        {"{\"op\": \"aten::_fused_sgd_\", \"dims\": [[[4], [6]], [[4], [6]], "
         "[[4], [6]]], \"types\": [\"TensorList\", \"TensorList\", \"TensorList\"], "
         "\"kernels\": [\"f<float>\"]}",
         "num_elems=10 elem_bytes=4 read_bytes=120 written_bytes=80 "},
        {"{\"op\": \"aten::_foreach_norm\", \"dims\": [[[4], [6]], []], "
         "\"types\": [\"TensorList\", \"Scalar\"], \"kernels\": [\"f<float>\"]}",
         "num_elems=10 elem_bytes=4 read_bytes=40 written_bytes=0 "},
        {"{\"op\": \"aten::_foreach_zero_\", \"dims\": [[[4], [6]]], "
         "\"types\": [\"TensorList\"], \"kernels\": [\"f<float>\"]}",
         "num_elems=10 elem_bytes=4 read_bytes=0 written_bytes=40 "}};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        expect_own_params(cases[k].json, cases[k].params);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cat_takes_the_type_from_the_kernel),
        cmocka_unit_test(cat_without_recorded_tensors_fails),
        cmocka_unit_test(gathering),
        cmocka_unit_test(an_expanded_index_is_read_once),
        cmocka_unit_test(indexing_by_a_list),
        cmocka_unit_test(scattering),
        cmocka_unit_test(embedding_backward),
        cmocka_unit_test(loss_of_targets),
        cmocka_unit_test(fused_adam),
        cmocka_unit_test(foreach),
        cmocka_unit_test(cache_store),
        cmocka_unit_test(each_side_has_its_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
