#include "perf/cost_reduce.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perf/perf_case.h"

/* Dims are recorded as text and not read: 12 in, 1 out, 4 bytes each. */
static void whole_tensor_to_one(void **state)
{
    (void)state;
    expect_cost("{\"op\": \"aten::sum\", \"dims\": [[3, 4], [], []], \"types\": "
                "[\"float\"], \"concrete\": [\"\", \"[1]\", \"False\"]}",
                PERF_FORWARD, 12, 52, "vector_fp32");
}

static void scan_keeps_all(void **state)
{
    (void)state;
    expect_cost("{\"op\": \"aten::cumsum\", \"dims\": [[3, 4], []], \"types\": "
                "[\"float\"], \"concrete\": [\"\", \"1\"]}",
                PERF_FORWARD, 12, 96, "vector_fp32");
}

/* [3, 4] over the last: 3 results. */
static void dims_as_values(void **state)
{
    (void)state;
    expect_cost("{\"op\": \"aten::mean\", \"dims\": [[3, 4], []], \"types\": "
                "[\"float\"], \"concrete\": [\"\", [-1], true]}",
                PERF_FORWARD, 12, 60, "vector_fp32");
    /* over the first 4, over both 1; one number is the last one; a list wins */
    expect_cost("{\"op\": \"aten::mean\", \"dims\": [[3, 4], []], \"types\": "
                "[\"float\"], \"concrete\": [\"\", [0]]}",
                PERF_FORWARD, 12, 48 + 16, "vector_fp32");
    expect_cost("{\"op\": \"aten::mean\", \"dims\": [[3, 4], []], \"types\": "
                "[\"float\"], \"concrete\": [\"\", [0, 1]]}",
                PERF_FORWARD, 12, 48 + 4, "vector_fp32");
    expect_cost("{\"op\": \"aten::mean\", \"dims\": [[3, 4], []], \"types\": "
                "[\"float\"], \"concrete\": [\"\", 1]}",
                PERF_FORWARD, 12, 48 + 12, "vector_fp32");
    expect_cost("{\"op\": \"aten::mean\", \"dims\": [[3, 4], []], \"types\": "
                "[\"float\"], \"concrete\": [\"\", [0], 1]}",
                PERF_FORWARD, 12, 48 + 16, "vector_fp32");
}

static void kinds_are_named(void **state)
{
    (void)state;
    expect_params("{\"op\": \"aten::sum\", \"dims\": [[3]], \"types\": [\"float\"]}",
                  "num_input_elems=3 num_output_elems=1 dtype_in_out=('float', None) "
                  "reduce_type=sum");
    expect_params("{\"op\": \"aten::mean\", \"dims\": [[3]], \"types\": [\"float\"]}",
                  "num_input_elems=3 num_output_elems=1 dtype_in_out=('float', None) "
                  "reduce_type=mean");
    expect_params("{\"op\": \"aten::amax\", \"dims\": [[3]], \"types\": [\"float\"]}",
                  "num_input_elems=3 num_output_elems=1 dtype_in_out=('float', None) "
                  "reduce_type=max");
    expect_params("{\"op\": \"aten::amin\", \"dims\": [[3]], \"types\": [\"float\"]}",
                  "num_input_elems=3 num_output_elems=1 dtype_in_out=('float', None) "
                  "reduce_type=min");
}

static void recorded_output_type(void **state)
{
    (void)state;
    expect_cost("{\"op\": \"aten::max\", \"dims\": [[3, 4]], \"types\": [\"float\"], "
                "\"extra\": {\"Output type\": [\"c10::Half\"]}}",
                PERF_FORWARD, 12, 50, "vector_fp32");
}

static void nothing_recorded(void **state)
{
    (void)state;
    expect_params("{\"op\": \"aten::norm\"}",
                  "num_input_elems=0 num_output_elems=0 dtype_in_out=(None, None)");
    expect_params(
        "{\"op\": \"aten::linalg_norm\", \"dims\": [[3]], \"types\": [\"float\"]}",
        "num_input_elems=3 num_output_elems=1 dtype_in_out=('float', "
        "None) reduce_type=norm");
}

static void same_cost_backward(void **state)
{
    (void)state;
    expect_cost("{\"op\": \"aten::sum\", \"dims\": [[3, 4]], \"types\": [\"float\"]}",
                PERF_BACKWARD, 12, 52, "vector_fp32");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_tensor_to_one), cmocka_unit_test(scan_keeps_all),
        cmocka_unit_test(dims_as_values),      cmocka_unit_test(recorded_output_type),
        cmocka_unit_test(kinds_are_named),     cmocka_unit_test(nothing_recorded),
        cmocka_unit_test(same_cost_backward),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
