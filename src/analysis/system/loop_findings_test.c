#include "analysis/system/loop_findings.h"

#include "analysis/findings_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void numbered(struct trace_case *c, const char *name, int tid, double at,
                     double us, int sequence)
{
    char more[64] = "";
    if (sequence)
        snprintf(more, sizeof more, "\"Sequence number\":%d", sequence);
    case_event(c, "cpu_op", name, tid, at, us, more);
}

static void launch_on(struct trace_case *c, int tid, const char *kernel, double call_us,
                      double start_us, double us, int correlation)
{
    char more[64];
    snprintf(more, sizeof more, "\"correlation\":%d", correlation);
    case_event(c, "cuda_runtime", "hipLaunchKernel", tid, call_us, 1, more);
    case_kernel(c, kernel, 7, start_us, us, correlation);
}

/* `n` steps of a cell, 50 us of the host each, with two matmuls of 10 us, which the
 * host launches too late; in training each has a node of 60 us that runs as many, and
 * adds up a gradient for 8 us. Behind them 1 ms of other work. */
static struct finding cells_of(const char *cell, int n, bool training, int gap_us)
{
    struct trace_case c;
    int k = 0;
    case_begin(&c);
    double at = 10;
    for (int i = 0; i < n; i++, at += 50 + gap_us) {
        numbered(&c, cell, 1, at, 40, i + 1);
        case_launch(&c, "gemm_x", at + 2, at + 10, 10, ++k);
        case_launch(&c, "gemm_h", at + 20, at + 28, 10, ++k);
    }
    for (int i = n; training && i > 0; i--, at += 60) {
        numbered(&c, "autograd::engine::evaluate_function: AddmmBackward0", 2, at, 55,
                 i);
        numbered(&c, "AddmmBackward0", 2, at + 1, 30, i);
        launch_on(&c, 2, "gemm_dx", at + 4, at + 12, 10, ++k);
        launch_on(&c, 2, "gemm_dh", at + 14, at + 24, 10, ++k);
        numbered(&c, "aten::add_", 2, at + 40, 10, 0);
        launch_on(&c, 2, "add", at + 41, at + 48, 8, ++k);
    }
    case_launch(&c, "other", at + 1, at + 10, 1000, ++k);
    struct analysis a = analyse_with(&c, library);
    const struct finding *f = of_pattern(&a, "host_bound_cells");
    struct finding found = f ? *f : (struct finding){0};
    case_close(&c);
    return found;
}

static void cells_become_one_call(void **state)
{
    (void)state;
    struct finding f = cells_of("aten::lstm_cell", 40, false, 0);
    assert_int_equal(f.count, 40);
    /* Of 2 ms all 80 matmuls are left, as no model knows them, and a tenth of the first
     * calls; or 40 of 5 us. */
    assert_near(f.impact.low_ms, 1.95 - 0.8 - 0.1, 0.05);
    assert_near(f.impact.high_ms, 1.95 - 0.2, 0.05);
    struct finding both = cells_of("aten::gru_cell", 40, true, 0);
    /* Of 2.4 ms of the backward pass the same, and a first node: autograd adds nothing
     * up any more. */
    assert_near(both.impact.high_ms - f.impact.high_ms, 2.4 - 0.2 - 0.06, 0.05);
}

/* 40 cells, each with two matmuls of 16 rows that read 8.4 MB of weights in 2.5 us, and
 * a gradient of 5 us that is added up where autograd keeps it. */
static struct impact_range cells_with_weights(const char *keeps)
{
    struct trace_case c;
    int k = 0;
    case_begin(&c);
    case_launch(&c, "other", 1, 5, 4000, ++k);
    for (int i = 0; i < 40; i++) {
        double at = 20 + 50 * i, work = 4010 + 10 * i;
        case_op(&c, "aten::lstm_cell", at, 40);
        for (int m = 0; m < 2; m++) {
            case_event(&c, "cpu_op", "aten::mm", 1, at + 2 + 10 * m, 8,
                       "\"Input Dims\":[[16,1024],[1024,4096]],\"Input type\":"
                       "[\"c10::BFloat16\",\"c10::BFloat16\"]");
            case_launch(&c, "gemm_x", at + 3 + 10 * m, work + 2.5 * m, 2.5, ++k);
        }
        case_op(&c, keeps, at + 24, 12);
        case_op(&c, "aten::add_", at + 26, 8);
        case_launch(&c, "add", at + 27, work + 5, 5, ++k);
    }
    struct analysis a = analyse_with(&c, library);
    const struct finding *f = of_pattern(&a, "host_bound_cells");
    struct impact_range saved = f ? f->impact : (struct impact_range){0};
    case_close(&c);
    return saved;
}

/* At least all but one matmul of each turn, of 200 us of them, and the additions; at
 * best half of that is left. */
static void one_call_reads_the_weights_once(void **state)
{
    (void)state;
    struct impact_range added = cells_with_weights("torch::autograd::AccumulateGrad"),
                        other = cells_with_weights("aten::relu_");
    assert_near(added.low_ms, 0.4 - 0.18, 0.03);
    assert_near(added.high_ms, 0.4 - 0.05, 0.02);
    assert_true(other.low_ms < added.low_ms - 0.03);
}

static void few_or_scattered_cells_are_no_loop(void **state)
{
    (void)state;
    assert_int_equal(cells_of("aten::lstm_cell", 7, false, 0).count, 0);
    assert_int_equal(cells_of("aten::lstm_cell", 8, false, 0).count, 8);
    assert_int_equal(cells_of("aten::lstm_cell", 40, false, 80).count, 0);
    assert_int_equal(cells_of("aten::lstm", 40, false, 0).count, 0);
}

/* 40 weights of 8.4 MB and more, scaled in 16 us and added to in 24; and 4 ms of other
 * work. */
static void averages_become_one_call(void **state)
{
    (void)state;
    struct trace_case c;
    int k = 0;
    case_begin(&c);
    case_launch(&c, "other", 1, 5, 4000, ++k);
    for (int i = 0; i < 40; i++) {
        char args[200];
        double at = 20 + 20 * i, work = 4010 + 40 * i;
        int columns = 1024 + 8 * (i % 3);
        snprintf(args, sizeof args,
                 "\"Input Dims\":[[2048,%d],[]],\"Input type\":[\"float\",\"double\"]",
                 columns);
        case_event(&c, "cpu_op", "aten::mul_", 1, at, 8, args);
        case_launch(&c, "vectorized_elementwise_kernel<mul>", at + 1, work, 16, ++k);
        snprintf(args, sizeof args,
                 "\"Input Dims\":[[2048,%d],[2048,%d],[]],\"Input type\":[\"float\","
                 "\"float\",\"Scalar\"],\"Concrete Inputs\":[\"\",\"\",\"0.001\"]",
                 columns, columns);
        case_event(&c, "cpu_op", "aten::add_", 1, at + 10, 8, args);
        case_launch(&c, "vectorized_elementwise_kernel<add>", at + 11, work + 16, 24,
                    ++k);
    }
    struct analysis a = analyse_with(&c, library);
    const struct finding *f = of_pattern(&a, "moving_average");
    assert_int_equal(a.n_warnings, 0);
    assert_non_null(f);
    assert_int_equal(f->count, 40);
    /* Of 1.6 ms 3 tensors of 5 are left, or 25 MB at 5.3 TB/s for each. */
    assert_near(f->impact.low_ms, 0.64, 0.05);
    assert_near(f->impact.high_ms, 1.6 - 0.19, 0.05);
    assert_null(of_pattern(&a, "elementwise_chain")); /* the same kernels */
    for (int i = 0; i < a.n_findings; i++)
        assert_int_not_equal(a.findings[i].tier, TIER_FUSION);
    case_close(&c);
}

/* 100 tensors of unknown size, in two kernels of 1 us and two of 4 us each, 3 passes
 * over both tensors; and 6 ms of other work. */
static void averages_without_shapes_save_two_passes_of_three(void **state)
{
    (void)state;
    static const char *const ops[] = {"aten::mul", "aten::mul", "aten::add",
                                      "aten::copy_"};
    struct trace_case c;
    int k = 0;
    case_begin(&c);
    double work = 6010;
    case_launch(&c, "other", 1, 5, 6000, ++k);
    case_frame(&c, "timm/utils/model_ema.py(130): update", 15, 4010);
    for (int i = 0; i < 400; i++) {
        double took = i % 4 < 2 ? 1 : 4;
        case_op(&c, ops[i % 4], 20 + 10 * i, 8);
        case_launch(&c, "vectorized_elementwise_kernel", 21 + 10 * i, work, took, ++k);
        work += took;
    }
    struct analysis a = analyse_with(&c, library);
    const struct finding *f = of_pattern(&a, "moving_average");
    assert_int_equal(a.n_warnings, 0);
    assert_non_null(f);
    assert_text(f->title, "Update the moving average of update (model_ema.py:130) in "
                          "one call, not tensor by tensor");
    assert_int_equal(f->count, 100);
    /* Of 1 ms a third is left, or that of the 0.8 ms in longer kernels. */
    assert_near(f->impact.low_ms, 1 - 1 / 3.0, 0.01);
    assert_near(f->impact.high_ms, 1 - 0.8 / 3, 0.01);
    case_close(&c);
}

/* `n` reads of 20 us, 30 us apart, each 10 us behind the start of an operator that
 * picks the value; `gap_us` more between them, and `busy_us` of other work behind. */
static struct finding reads_of(int n, int gap_us, int busy_us, double select_us)
{
    struct trace_case c;
    case_begin(&c);
    double at = 110;
    case_frame(&c, "search.py(217): process", 100, (30.0 + gap_us) * n + 30);
    for (int i = 0; i < n; i++, at += 30 + gap_us) {
        case_op(&c, "aten::select", at, select_us);
        case_op(&c, "aten::item", at + 10, 20);
        case_op(&c, "aten::_local_scalar_dense", at + 11, 18);
        case_call(&c, "cudaMemcpyAsync", at + 12, 4, i + 1);
        case_copy(&c, "Memcpy DtoH (Device -> Pinned)", at + 17, 2, i + 1, 8);
        case_call(&c, "cudaStreamSynchronize", at + 20, 6, 0);
    }
    case_launch(&c, "other", at + 40, at + 50, busy_us, 9999);
    struct analysis a = analyse_with(&c, library);
    const struct finding *f = of_pattern(&a, "read_one_by_one");
    struct finding found = f ? *f : (struct finding){0};
    if (f) {
        assert_null(of_pattern(&a, "high_d2h_memcpy"));
        assert_null(of_pattern(&a, "host_sync")); /* its waits are all in the loop */
        assert_text(f->title,
                    "Read the values of process (search.py:217) in one copy, not one "
                    "by one");
        assert_true(str_has(f->issue, S(" single values in a row, ")));
    }
    case_close(&c);
    return found;
}

static void values_read_one_by_one_become_one_copy(void **state)
{
    (void)state;
    struct finding f = reads_of(20, 0, 1000, 8);
    assert_int_equal(f.count, 20);
    /* Of 600 us the 28 of each turn but the first; at least 90% of them. */
    assert_near(f.impact.high_ms, 19 * 0.028, 0.03);
    assert_near(f.impact.low_ms, 0.9 * 19 * 0.028, 0.05);
    /* A clock that rounds lets one begin before the other ends: both go. */
    assert_int_equal(reads_of(20, 0, 1000, 10.001).n_gone, f.n_gone);
    assert_int_equal(reads_of(15, 0, 1000, 8).count, 0);
    assert_int_equal(reads_of(120, 0, 1000, 8).count,
                     120); /* and no finding of copies */
    assert_int_equal(reads_of(20, 100, 1000, 8).count, 0); /* something runs between */
    assert_int_equal(reads_of(20, 0, 20000, 8).count, 0);
}

/* Calls of one function, each with a read: of every fourth the turn goes on for 300 us
 * and suppresses boxes. `others`: reads in functions of two names, in turn. */
static struct finding calls_of(int n, bool others)
{
    struct trace_case c;
    case_begin(&c);
    double at = 110;
    case_frame(&c, "detect.py(12): suppress", 100, 110.0 * n + 10);
    for (int i = 0; i < n; i++) {
        double us = i % 4 == 3 ? 330 : 35;
        case_frame(&c, others && i % 4 ? "detect.py(70): other" : "detect.py(47): one",
                   at, us - 2);
        case_op(&c, "aten::is_nonzero", at + 10, 20);
        case_op(&c, "aten::item", at + 11, 18);
        case_call(&c, "cudaMemcpyAsync", at + 12, 4, 3 * i + 1);
        case_copy(&c, "Memcpy DtoH (Device -> Pinned)", at + 17, 2, 3 * i + 1, 8);
        case_call(&c, "cudaStreamSynchronize", at + 20, 6, 0);
        if (us > 100) {
            case_op(&c, "torchvision::nms", at + 100, 200);
            case_launch(&c, "nms", at + 110, at + 120, 5, 3 * i + 2);
        }
        at += us;
    }
    case_launch(&c, "other", at + 40, at + 50, 1000, 9999);
    struct analysis a = analyse_with(&c, library);
    const struct finding *f = of_pattern(&a, "suppress_class_by_class");
    struct finding found = f ? *f : (struct finding){0};
    if (f) {
        assert_null(of_pattern(&a, "host_sync"));
        assert_null(of_pattern(&a, "host_bound"));
        assert_text(f->title, "Call batched_nms once for all classes in place of one "
                              "(detect.py:47)");
        assert_true(str_has(f->issue, S(", 40 of 40 in ")));
    }
    case_close(&c);
    return found;
}

static void calls_of_a_function_that_read_go_as_a_whole(void **state)
{
    (void)state;
    struct finding f = calls_of(40, false);
    assert_int_equal(f.count, 40);
    /* 29 more calls of 33 us and ten of 328 us. */
    assert_near(f.impact.high_ms, 29 * 0.033 + 10 * 0.328, 0.15);
    assert_int_equal(calls_of(40, true).count, 0);
}

/* `n` copies of 20 us to the device, 25 us apart, each of `bytes`; or of other sizes.
 */
static struct finding sends_of(int n, int64_t bytes, bool equal)
{
    struct trace_case c;
    case_begin(&c);
    double at = 110;
    case_frame(&c, "buffer.py(58): sample", 100, 25.0 * n + 20);
    for (int i = 0; i < n; i++, at += 25) {
        case_op(&c, "aten::to", at, 20);
        case_op(&c, "aten::copy_", at + 2, 17);
        case_call(&c, "cudaMemcpyAsync", at + 4, 6, i + 1);
        case_copy(&c, "Memcpy HtoD (Pageable -> Device)", at + 9, 2, i + 1,
                  bytes + (equal ? 0 : 64 * i));
        case_call(&c, "cudaStreamSynchronize", at + 11, 8, 0);
    }
    case_launch(&c, "other", at + 40, at + 50, 1000, 9999);
    struct analysis a = analyse_with(&c, library);
    const struct finding *f = of_pattern(&a, "send_part_by_part");
    struct finding found = f ? *f : (struct finding){0};
    if (f) {
        for (int i = 0; i < a.n_findings; i++)
            assert_int_equal(a.findings[i].copies, 0);
        assert_null(of_pattern(&a, "host_sync"));
        assert_null(of_pattern(&a, "host_bound"));
        assert_text(f->title, "Collate on the CPU in sample (buffer.py:58) and copy "
                              "once per field, not sample by sample");
    }
    case_close(&c);
    return found;
}

static void parts_of_a_batch_are_copied_at_once(void **state)
{
    (void)state;
    struct finding f = sends_of(200, 4000, true);
    assert_int_equal(f.count, 200);
    /* 20 us of each, but for 800 kB at 5 bytes a nanosecond, in whole copies. */
    assert_near(f.impact.high_ms, 200 * 0.020 - 0.18, 0.1);
    /* Ten times as much to join. */
    assert_near(sends_of(200, 40000, true).impact.high_ms, 200 * 0.020 - 1.6, 0.15);
    assert_int_equal(sends_of(200, 4000, false).count, 0); /* weights, one by one */
    assert_int_equal(sends_of(15, 4000, true).count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(averages_become_one_call),
        cmocka_unit_test(averages_without_shapes_save_two_passes_of_three),
        cmocka_unit_test(cells_become_one_call),
        cmocka_unit_test(one_call_reads_the_weights_once),
        cmocka_unit_test(few_or_scattered_cells_are_no_loop),
        cmocka_unit_test(values_read_one_by_one_become_one_copy),
        cmocka_unit_test(calls_of_a_function_that_read_go_as_a_whole),
        cmocka_unit_test(parts_of_a_batch_are_copied_at_once),
    };
    return cmocka_run_group_tests(tests, open_library, close_library);
}
