#include "perf/cost_elementwise.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perf/perf_case.h"

/* 12 elements, 4 bytes in, 2 out. */
static void copy_to_other_type(void **state)
{
    (void)state;
    expect_cost("{\"op\": \"aten::copy_\", \"dims\": [[3, 4], [3, 4], []], \"types\": "
                "[\"float\", \"c10::Half\", \"\"], \"strides\": [[4, 1], [4, 1], []]}",
                PERF_FORWARD, 12, 72, "vector_fp32");
}

/* 12*2 in, 4 for the scalar, 12*2 out. */
static void scalar_counts_four_bytes(void **state)
{
    (void)state;
    expect_cost("{\"op\": \"aten::mul\", \"dims\": [[3, 4], []], \"types\": "
                "[\"c10::BFloat16\", \"Scalar\"], \"strides\": [[4, 1], []]}",
                PERF_FORWARD, 12, 52, "vector_bf16");
}

/* [3, 1] with [2, 1, 4]: 24 results of the wider type. */
static void broadcast_aligns_right(void **state)
{
    (void)state;
    expect_cost("{\"op\": \"aten::add\", \"dims\": [[3, 1], [2, 1, 4]], \"types\": "
                "[\"c10::BFloat16\", \"float\"], \"strides\": [[1, 1], [4, 4, 1]]}",
                PERF_FORWARD, 24, 134, "vector_bf16");
}

static void sizes_must_fit(void **state)
{
    (void)state;
    expect_status(
        "{\"op\": \"aten::add\", \"dims\": [[3], [4]], \"types\": [\"float\", "
        "\"float\"], \"strides\": [[1], [1]]}",
        PERF_FORWARD, PERF_FAIL);
    expect_status("{\"op\": \"aten::neg\", \"dims\": [[3]], \"types\": [\"float\"]}",
                  PERF_FORWARD, PERF_FAIL);
}

/* [1, 2, 3] padded by (1, 2) on the last: 2*6 results. */
static void padding_last_dimension_first(void **state)
{
    (void)state;
    expect_cost("{\"op\": \"aten::replication_pad1d\", \"dims\": [[1, 2, 3], []], "
                "\"types\": [\"float\", \"\"], \"strides\": [[6, 3, 1], []], "
                "\"concrete\": [\"\", \"[1, 2]\"]}",
                PERF_FORWARD, 12, 72, "vector_fp32");
}

static void upsample_by_scale_fails(void **state)
{
    (void)state;
    expect_status("{\"op\": \"aten::upsample_nearest1d\", \"dims\": [[1, 2, 3], []], "
                  "\"types\": [\"float\", \"\"], \"strides\": [[6, 3, 1], []], "
                  "\"concrete\": [\"\", \"\"]}",
                  PERF_FORWARD, PERF_FAIL);
    expect_cost("{\"op\": \"aten::upsample_nearest1d\", \"dims\": [[1, 2, 3], []], "
                "\"types\": [\"float\", \"\"], \"strides\": [[6, 3, 1], []], "
                "\"concrete\": [\"\", \"[6]\"]}",
                PERF_FORWARD, 12, 72, "vector_fp32");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copy_to_other_type),
        cmocka_unit_test(scalar_counts_four_bytes),
        cmocka_unit_test(broadcast_aligns_right),
        cmocka_unit_test(sizes_must_fit),
        cmocka_unit_test(padding_last_dimension_first),
        cmocka_unit_test(upsample_by_scale_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
