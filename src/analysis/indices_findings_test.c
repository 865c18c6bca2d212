/* Sums into the places that indices name. */
#include "analysis/findings_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { EDGES = 1000000, NODES = 100000, WIDTH = 64 };

/* A gather of 1 ms and a sum of `us`, of EDGES rows into NODES, besides 10 ms. */
static void sum_edges(struct trace_case *c, const char *op_name, const char *kernel,
                      double us)
{
    char args[400];
    case_begin(c);
    snprintf(args, sizeof args,
             "\"Input Dims\":[[%d,%d],[],[%d]],\"Input type\":[\"float\",\"Scalar\","
             "\"long int\"],\"Concrete Inputs\":[\"\",\"0\",\"\"]",
             NODES, WIDTH, EDGES);
    case_event(c, "cpu_op", "aten::index_select", 1, 0, 8, args);
    case_launch(c, "indexSelectLargeIndex", 1, 1000, 1000, 1);
    snprintf(args, sizeof args,
             "\"Input Dims\":[[%d,%d],[],[%d],[%d,%d]],\"Input type\":[\"float\","
             "\"Scalar\",\"long int\",\"float\"],\"Concrete Inputs\":[\"\",\"0\",\"\","
             "\"\"]",
             NODES, WIDTH, EDGES, EDGES, WIDTH);
    case_event(c, "cpu_op", op_name, 1, 20, 8, args);
    case_launch(c, kernel, 21, 2000, us, 2);
    op(c, "aten::mm", "[64,64],[64,64]", 40, "gemm", 50000, 10000, 3);
}

/* Sorted, a call reads 256 MB and writes 25.6 MB, which takes 0.053 ms at the peak.
 * Sums of sorted runs, those at the speed of their bytes, copies and small ones are
 * left. */
static void colliding_sums_are_to_be_sorted(void **state)
{
    (void)state;
    static const struct {
        const char *op, *kernel;
        double us;
        bool told;
    } cases[] = {{"aten::index_add_", "indexFuncLargeIndex", 5000, true},
                 {"aten::index_add_", "indexing_backward_kernel", 5000, false},
                 {"aten::index_copy_", "indexFuncLargeIndex", 5000, false},
                 {"aten::index_add_", "indexFuncLargeIndex", 200, false},
                 {"aten::index_add_", "indexFuncLargeIndex<ReduceAdd>", 5000, true},
                 {"mylib::pool", "pool_atomic_add", 5000, true},
                 {"mylib::pool", "pool", 5000, false}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct trace_case c;
        sum_edges(&c, cases[k].op, cases[k].kernel, cases[k].us);
        struct analysis a = analyse_with(&c, library);
        assert_int_equal(a.n_warnings, 0);
        const struct finding *f = of_pattern(&a, "scatter_atomics");
        if ((f != NULL) != cases[k].told)
            fail_msg("%s, %s: %d", cases[k].op, cases[k].kernel, f != NULL);
        if (k == 0) {
            double least_ms = 281.6e6 / 5300e9 * 1e3;
            assert_near(f->impact.low_ms, 5 - 2 * least_ms, 0.01);
            assert_near(f->impact.high_ms, 6 - least_ms / 0.9, 0.01);
            assert_true(str_has(f->algorithmic, S("takes the gather along (1.00 ms)")));
        }
        case_close(&c);
    }
}

/* From no faster than the atomics to 90% of their time. */
static void without_peaks_the_range_is_wide(void **state)
{
    (void)state;
    struct trace_case c;
    sum_edges(&c, "aten::index_add_", "indexFuncLargeIndex", 5000);
    struct analysis a = analyse_on(&c, library, NULL);
    const struct finding *f = of_pattern(&a, "scatter_atomics");
    assert_non_null(f);
    assert_near(f->impact.low_ms, 5 * (1 - 281.6 / 776), 0.01);
    assert_near(f->impact.high_ms, 0.9 * 6, 0.01);
    case_close(&c);
}

/* Sums by atomics without shapes, besides twice as much: by the operator's kernel. */
static void sparse_tensors_are_sorted(void **state)
{
    (void)state;
    static const char *const ops[] = {"mylib::pool", "aten::add_", "aten::add"};
    for (size_t k = 0; k < sizeof ops / sizeof *ops; k++) {
        struct trace_case c;
        case_begin(&c);
        case_event(&c, "cpu_op", ops[k], 1, 0, 8, "\"k\":1");
        case_launch(&c, "indexFuncLargeIndex<float, ReduceAdd>", 1, 1000, 5000, 1);
        case_event(&c, "cpu_op", "aten::mm", 1, 20, 8, "\"k\":1");
        case_launch(&c, "gemm", 21, 6000, 10000, 2);
        struct analysis a = analyse_with(&c, library);
        assert_int_equal(of_pattern(&a, "scatter_atomics") != NULL, k == 0);
        case_close(&c);
    }
}

/* A sort of 5 ms besides 10 ms: of logits, of rows shorter than a vocabulary, beside a
 * draw or not where no shapes are recorded. */
static void sampling_sorts_a_vocabulary(void **state)
{
    (void)state;
    static const struct {
        const char *args, *beside;
        bool told;
    } cases[] = {
        {"\"Input Dims\":[[256,151936]],\"Input type\":[\"float\"]", "aten::mul", true},
        {"\"Input Dims\":[[256,8192]],\"Input type\":[\"float\"]", "aten::mul", false},
        {"\"k\":1", "aten::exponential_", true},
        {"\"k\":1", "aten::mul", false}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct trace_case c;
        case_begin(&c);
        case_event(&c, "cpu_op", "aten::sort", 1, 0, 8, cases[k].args);
        case_launch(&c, "DeviceSegmentedRadixSortKernel", 1, 1000, 5000, 1);
        case_event(&c, "cpu_op", cases[k].beside, 1, 20, 8, "\"k\":1");
        case_launch(&c, "elementwise_kernel", 21, 6000, 100, 2);
        op(&c, "aten::mm", "[64,64],[64,64]", 40, "gemm", 7000, 10000, 3);
        struct analysis a = analyse_with(&c, library);
        assert_int_equal(a.n_warnings, 0);
        const struct finding *f = of_pattern(&a, "whole_sort");
        assert_non_null(f);
        assert_text(f->title, cases[k].told
                                  ? "Sample without sorting the vocabulary"
                                  : "Select the top values instead of sorting "
                                    "everything with sort");
        assert_in_range(f->impact.high_ms, 4, 5);
        case_close(&c);
    }
}

/* A sort whose kernel runs twice, behind an elementwise one, is called once; a mask of
 * as many values belongs to it where they are summed, and is 100 us. */
static void kernels_of_a_sort_are_one_finding(void **state)
{
    (void)state;
    for (int summed = 0; summed < 2; summed++) {
        static const char args[] =
            "\"Input Dims\":[[256,151936]],\"Input type\":[\"float\"]";
        struct trace_case c;
        case_begin(&c);
        case_event(&c, "cpu_op", "aten::sort", 1, 0, 18, args);
        case_event(&c, "cpu_op", "aten::copy_", 1, 1, 3, args);
        case_launch(&c, "direct_copy_kernel", 2, 900, 100, 10);
        case_launch(&c, "fill_reverse_indices_kernel", 6, 1000, 100, 1);
        case_launch(&c, "DeviceSegmentedRadixSortKernel<Main>", 9, 3000, 2000, 2);
        case_launch(&c, "DeviceSegmentedRadixSortKernel<Main>", 12, 5000, 2000, 3);
        case_event(&c, "cpu_op", summed ? "aten::cumsum" : "aten::tanh", 1, 20, 8,
                   args);
        case_launch(&c, "scan", 21, 8000, 100, 4);
        case_event(&c, "cpu_op", "aten::masked_fill_", 1, 30, 8, args);
        case_launch(&c, "masked_fill", 31, 9000, 100, 5);
        op(&c, "aten::mm", "[64,64],[64,64]", 40, "gemm", 10000, 10000, 6);
        struct analysis a = analyse_with(&c, library);
        int n = 0;
        for (int i = 0; i < a.n_findings; i++)
            n += str_eq(a.findings[i].pattern, S("whole_sort"));
        assert_int_equal(n, 1);
        const struct finding *f = of_pattern(&a, "whole_sort");
        assert_true(str_has(f->issue, S("one call sorts all of")));
        assert_int_equal(str_has(f->issue, S("takes another 0.100 ms")), summed);
        assert_near(f->time_ms, summed ? 4.1 : 4, 1e-6);
        case_close(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_of_a_sort_are_one_finding),
        cmocka_unit_test(sampling_sorts_a_vocabulary),
        cmocka_unit_test(colliding_sums_are_to_be_sorted),
        cmocka_unit_test(without_peaks_the_range_is_wide),
        cmocka_unit_test(sparse_tensors_are_sorted),
    };
    return cmocka_run_group_tests(tests, open_library, close_library);
}
