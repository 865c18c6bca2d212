#include "micro_batches.c"

#include "analysis/findings_case.h"
#include "analysis/system/system_parts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Of four forward passes some update the weights; each backward pass may reduce 64 MiB
 * of gradients, and 2 MiB of a norm's statistics. */
struct accumulation_case {
    const char *marks;   /* of updates, behind passes: "   u" is one behind the last */
    const char *reduces; /* 'g' gradients, 'p' a part of them, 's' statistics alone */
    const char *forward, *category;
    double spare; /* expected */
};

static const struct accumulation_case cases[] = {
    {"   u", "gggg", "DistributedDataParallel.forward", "user_annotation", 0.75},
    {"   u", "gpgg", "DistributedDataParallel.forward", "user_annotation", 0.75},
    {" u u", "gggg", "DistributedDataParallel.forward", "user_annotation", 0.5},
    {"   u", "gggg", "DistributedDataParallel.forward", "cpu_op", 0.75},
    {"uuuu", "gggg", "DistributedDataParallel.forward", "user_annotation", 0},
    {"   u", "sssg", "DistributedDataParallel.forward", "user_annotation",
     0}, /* no_sync() */
    {"    ", "gggg", "DistributedDataParallel.forward", "user_annotation",
     0}, /* no update in it */
    {"   u", "gggg", "Model.forward", "user_annotation", 0},
};

static double spare_of(const struct accumulation_case *of)
{
    struct trace_case c;
    case_begin(&c);
    int id = 0;
    for (int k = 0; k < 4; k++) {
        double at = 10000 + 10000.0 * k;
        char more[160];
        case_event(&c, of->category, of->forward, 1, at, 1000, "");
        case_launch(&c, "gemm", at + 10, at + 20, 900, ++id);
        case_op(&c, "autograd::engine::evaluate_function: AccumulateGrad", at + 1100,
                900);
        case_call(&c, "cudaLaunchKernel", at + 1200, 5, ++id);
        snprintf(
            more, sizeof more,
            "\"correlation\":%d,\"stream\":20,\"In msg nelems\":%d,\"dtype\":\"Float\","
            "\"Collective name\":\"allreduce\"",
            id,
            of->reduces[k] == 'g'   ? 16 << 20
            : of->reduces[k] == 'p' ? 7 << 20
                                    : 1 << 19);
        case_event(&c, "kernel", "ncclDevKernel_AllReduce_Sum_f32", 20, at + 1300, 4000,
                   more);
        if (of->marks[k] == 'u')
            case_event(&c, "user_annotation", "Optimizer.step#SGD.step", 1, at + 2100,
                       50, "");
    }
    struct analysis a = analyse_with(&c, library);
    double spare = micro_batches_spare_frac(&a.system->multi_kernel.batches);
    for (int i = 0; spare > 0 && i < a.n_findings; i++)
        if (str_eq(a.findings[i].pattern, S("nccl_blocking_compute"))) {
            if (!str_has(a.findings[i].title, S("no_sync")))
                fail_msg("%.*s", STRF(a.findings[i].title));
            assert_true(a.findings[i].impact.high_ms <=
                        spare * a.exposed_comm_ms + 1e-9);
        }
    case_close(&c);
    return spare;
}

static void only_one_reduction_per_update_is_needed(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        assert_true(spare_of(&cases[k]) == cases[k].spare);
}

/* Each of four passes computes for 2 ms backward and reduces for 10 ms: in each, or in
 * the last alone, which only its own 2 ms can hide. */
static void only_passes_that_reduce_hide_it(void **state)
{
    (void)state;
    for (int last = 0; last < 2; last++) {
        struct trace_case c;
        int id = 0;
        case_begin(&c);
        for (int k = 0; k < 4; k++) {
            double at = 10000 + 20000.0 * k;
            case_event(&c, "user_annotation", "DistributedDataParallel.forward", 1, at,
                       1000, "");
            case_launch(&c, "gemm", at + 10, at + 20, 3000, ++id);
            case_op(&c, "autograd::engine::evaluate_function: MmBackward0", at + 1100,
                    900);
            case_launch(&c, "gemm", at + 1110, at + 4000, 2000, ++id);
            if (k == 3 || !last) {
                char more[160];
                case_call(&c, "cudaLaunchKernel", at + 1200, 5, ++id);
                snprintf(more, sizeof more,
                         "\"correlation\":%d,\"stream\":20,\"In msg nelems\":%d,"
                         "\"dtype\":\"Float\",\"Collective name\":\"allreduce\"",
                         id, 16 << 20);
                case_event(&c, "kernel", "ncclDevKernel_AllReduce_Sum_f32", 20,
                           at + 6000, 10000, more);
            }
        }
        case_event(&c, "user_annotation", "Optimizer.step#SGD.step", 1, 72500, 50, "");
        struct analysis a = analyse_with(&c, library);
        const struct multi_kernel_result *r = &a.system->multi_kernel;
        assert_near(r->backward_us, last ? 2000 : 8000, 1e-6);
        for (int i = 0; i < a.n_findings && last; i++)
            if (str_has(a.findings[i].title, S("earlier in the backward pass")))
                fail_msg("%.*s", STRF(a.findings[i].title));
        case_close(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_one_reduction_per_update_is_needed),
        cmocka_unit_test(only_passes_that_reduce_hide_it)};
    return cmocka_run_group_tests(tests, open_library, close_library);
}
