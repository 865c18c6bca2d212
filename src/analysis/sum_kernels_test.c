/* All kernels of sums that deterministic algorithms sort. */
#include "analysis/findings_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Without shapes: a sum of 0.3 ms scaled, 2 ms added row by row, and gathers of 0.4 ms,
 * beside 5 ms; the sum's own kernels only, or all of them. */
static void a_sum_is_all_its_kernels(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    for (int k = 0; k < 2; k++) {
        case_event(&c, "cpu_op", "aten::index_select", 1, 100 * k, 8, "\"k\":1");
        case_launch(&c, "indexSelectLargeIndex", 100 * k + 1, 1000 + 500 * k, 400,
                    1 + k);
    }
    case_event(&c, "cpu_op", "aten::index_add", 1, 300, 60, "\"k\":1");
    case_event(&c, "cpu_op", "aten::mul", 1, 310, 8, "\"k\":1");
    case_launch(&c, "vectorized_elementwise_kernel", 311, 3000, 300, 3);
    case_event(&c, "cpu_op", "aten::_index_put_impl_", 1, 320, 30, "\"k\":1");
    case_launch(&c, "DeviceRadixSortOnesweepKernel", 321, 3400, 100, 4);
    case_launch(&c, "indexing_backward_kernel", 331, 3500, 1900, 5);
    case_event(&c, "cpu_op", "aten::mm", 1, 400, 8, "\"k\":1");
    case_launch(&c, "gemm", 401, 6000, 5000, 6);
    struct analysis a = analyse_with(&c, library);
    assert_int_equal(a.n_warnings, 0);
    const struct finding *f = of_pattern(&a, "deterministic_sums");
    assert_non_null(f);
    assert_int_equal(f->n_gpu, 3);
    assert_near(f->time_ms, 2.3, 1e-6);
    assert_true(str_has(f->issue, S("With all that belongs to it, this is 2.30 ms")));
    assert_near(f->impact.high_ms, 2.3 - 0.4, 0.01);
    assert_near(f->impact.low_ms, 2.3 - 0.8, 0.01);
    case_close(&c);
}

static int node(struct trace_case *c, const char *name, int sequence, int at,
                const char *kernel, int us, int n)
{
    char args[60];
    snprintf(args, sizeof args, "\"Sequence number\":%d,\"Fwd thread id\":1", sequence);
    case_event(c, "cpu_op", name, 2, at, 16, args);
    case_event(c, "cpu_op",
               strstr(name, "Index") ? "aten::_index_put_impl_" : "aten::mul", 2,
               at + 1, 14, "\"k\":1");
    snprintf(args, sizeof args, "\"correlation\":%d", n + 1);
    case_event(c, "cuda_runtime", "hipLaunchKernel", 2, at + 2, 1, args);
    case_kernel(c, kernel, 7, 2000 + 3000 * n, us, n + 1);
    return n + 1;
}

/* A gather, a product and a copy of the gradient's, in a frame of PyTorch's
 * decompositions or outside: then the product is one like any other. */
static void an_interpolation_is_all_its_operators(void **state)
{
    (void)state;
    for (int framed = 0; framed < 2; framed++) {
        struct trace_case c;
        int n = 0;
        case_begin(&c);
        case_frame(&c,
                   framed ? "torch/_decomp/decompositions.py(3799): _upsample_linear"
                          : "model.py(7): forward",
                   10, 80);
        case_frame(&c,
                   framed ? "torch/_decomp/decompositions.py(3700): get_values"
                          : "model.py(3): values",
                   11, 30);
        case_event(&c, "cpu_op", "aten::_unsafe_index", 1, 20, 8,
                   "\"Sequence number\":1");
        case_launch(&c, "index_elementwise_kernel", 21, 2000 + 3000 * n, 500, n + 1);
        n++;
        case_event(&c, "cpu_op", "aten::mul", 1, 50, 8, "\"Sequence number\":2");
        case_launch(&c, "vectorized_elementwise_kernel", 51, 2000 + 3000 * n, 700,
                    n + 1);
        n++;
        n = node(&c, "autograd::engine::evaluate_function: MulBackward0", 2, 200,
                 "vectorized_elementwise_kernel", 600, n);
        n = node(&c, "autograd::engine::evaluate_function: UnsafeIndexBackward0", 1,
                 300, "indexing_backward_kernel", 2000, n);
        case_event(&c, "cpu_op", "aten::mm", 1, 400, 8, "\"k\":1");
        case_launch(&c, "gemm", 401, 2000 + 3000 * n, 3000, n + 1);
        struct analysis a = analyse_with(&c, library);
        assert_int_equal(a.n_warnings, 0);
        const struct finding *f = of_pattern(&a, "deterministic_sums");
        assert_non_null(f);
        assert_near(f->time_ms, framed ? 3.8 : 2.5, 1e-6);
        assert_near(f->impact.high_ms, f->time_ms - 0.3 * 2, 0.02);
        case_close(&c);
    }
}

/* A padding adds a few elements to each row, an interpolation several times as many. */
static void shapes_tell_padding_from_interpolation(void **state)
{
    (void)state;
    static const struct {
        const char *dims, *title;
    } cases[] = {
        {"[4,64,64,64],[],[4,64,66,66]",
         "Turn deterministic algorithms off: padding runs as single operations"},
        {"[4,64,32,32],[],[4,64,64,64]",
         "Turn deterministic algorithms off: interpolation runs as single operations"},
        {"",
         "Turn deterministic algorithms off: interpolation or padding runs as single "
         "operations"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct trace_case c;
        char args[200];
        case_begin(&c);
        snprintf(args, sizeof args,
                 "\"Input Dims\":[%s],\"Input type\":[\"float\",\"\",\"float\"]",
                 cases[k].dims);
        case_op(&c, "autograd::engine::evaluate_function: UnsafeIndexBackward0", 0, 60);
        case_event(&c, "cpu_op", "aten::_index_put_impl_", 1, 1, 50,
                   *cases[k].dims ? args : "\"k\":1");
        case_launch(&c, "indexing_backward_kernel", 3, 1000, 2000, 1);
        case_event(&c, "cpu_op", "aten::mm", 1, 100, 8, "\"k\":1");
        case_launch(&c, "gemm", 101, 4000, 3000, 2);
        struct analysis a = analyse_with(&c, library);
        const struct finding *f = of_pattern(&a, "deterministic_sums");
        assert_non_null(f);
        assert_text(f->title, cases[k].title);
        case_close(&c);
    }
}

/* Nothing else is told of copies inside such a sum: 4 ms of 5. */
static void copies_inside_go_with_it(void **state)
{
    (void)state;
    for (int inside = 0; inside < 2; inside++) {
        struct trace_case c;
        case_begin(&c);
        case_event(&c, "cpu_op", "aten::scatter_add", 1, 100, inside ? 60 : 20,
                   "\"k\":1");
        case_event(&c, "cpu_op", "aten::_index_put_impl_", 1, 101, 18, "\"k\":1");
        case_launch(&c, "indexing_backward_kernel", 111, 1000, 2000, 1);
        case_event(&c, "cpu_op", "aten::copy_", 1, 130, 8, "\"k\":1");
        case_call(&c, "hipMemcpyAsync", 131, 1, 2);
        case_copy(&c, "Memcpy DtoD (Device -> Device)", 3000, 4000, 2, 1 << 30);
        case_event(&c, "cpu_op", "aten::mm", 1, 400, 8, "\"k\":1");
        case_launch(&c, "gemm", 401, 8000, 3000, 3);
        struct analysis a = analyse_with(&c, library);
        assert_non_null(of_pattern(&a, "deterministic_sums"));
        int n = 0;
        for (int k = 0; k < a.n_findings; k++)
            n += a.findings[k].copies != 0;
        assert_int_equal(n > 0, !inside);
        case_close(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sum_is_all_its_kernels),
        cmocka_unit_test(an_interpolation_is_all_its_operators),
        cmocka_unit_test(copies_inside_go_with_it),
        cmocka_unit_test(shapes_tell_padding_from_interpolation),
    };
    return cmocka_run_group_tests(tests, open_library, close_library);
}
