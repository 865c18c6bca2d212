#include "analysis/system/backward_prefetch.h"

#include "analysis/findings_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const char *const first = "FullyShardedDataParallel._pre_backward_hook",
                         *const second = "FSDP::pre_backward (layers.1)";

static void collective(struct trace_case *c, const char *name, double call_us,
                       double at_us, double us, int id)
{
    char more[200];
    case_call(c, "cudaLaunchKernelExC", call_us, 2, id);
    snprintf(more, sizeof more,
             "\"correlation\":%d,\"stream\":20,\"In msg nelems\":4194304,\"Out msg "
             "nelems\":33554432,\"Group size\":8,\"dtype\":\"Float\",\"Collective "
             "name\":\"%s\"",
             id, name);
    case_event(c, "kernel", "ncclDevKernel_Generic_4", 20, at_us, us, more);
}

/* The backward pass of eight layers: a matmul of 300 us, the reduce-scatter of its
 * gradients, 100 us, and the all-gather of the next layer, 50 us; `beside`: it is
 * gathered before, and the next matmul runs beside the reduce-scatter. */
static void layers(struct trace_case *c, const char *hook, bool beside)
{
    int id = 0;
    case_begin(c);
    case_op(c, "autograd::engine::evaluate_function: MmBackward0", 1, 900);
    for (int k = 0; k < 8; k++) {
        double call = 10 + 20 * k, at = 1000 + (beside ? 310 : 460) * k;
        case_event(c, "user_annotation", hook, 1, call, 18, "");
        case_launch(c, "gemm", call + 1, at, 300, ++id);
        collective(c, "_reduce_scatter_base", call + 5, at + 302, 100, ++id);
        collective(c, "_allgather_base", call + 9, at + 404, 50, ++id);
    }
    case_launch(c, "gemm", 800, 1000 + (beside ? 310 : 460) * 8, 300, ++id);
}

static struct backward_prefetch found(const char *hook, bool beside, bool *told)
{
    struct trace_case c;
    layers(&c, hook, beside);
    struct analysis a = analyse_with(&c, library);
    struct backward_prefetch p = a.system->multi_kernel.prefetch;
    const struct finding *f = of_pattern(&a, "nccl_blocking_compute");
    *told = f && str_starts(f->title,
                            S("Prefetch the next all-gather in the backward pass"));
    if (*told) { /* 150 us of each, and matmuls of 300 us behind */
        assert_near(f->impact.high_ms, 8 * 0.15, 1e-9);
        assert_int_equal(f->n_gpu, 16);
        assert_true(str_has(f->algorithmic, p.second
                                                ? S("set_modules_to_backward_prefetch")
                                                : S("BackwardPrefetch.BACKWARD_PRE")));
    }
    assert_false(f && str_has(f->algorithmic, S("first bucket")));
    case_close(&c);
    return p;
}

static void gathers_wait_for_reductions(void **state)
{
    bool told;
    (void)state;
    struct backward_prefetch p = found(first, false, &told);
    assert_true(p.sharded && !p.second && told);
    assert_int_equal(p.pairs, 8);
    assert_near(p.exposed_us, 1200, 1e-9);
    assert_near(p.hides_us, 1200, 1e-9);
    p = found(second, false, &told);
    assert_true(p.sharded && p.second && told);
}

static void nothing_is_said_of_others(void **state)
{
    bool told;
    (void)state;
    struct backward_prefetch p = found(first, true, &told);
    assert_true(p.sharded && !told);
    assert_int_equal(p.pairs, 0); /* computation runs beside */
    p = found("FullyShardedDataParallel._pre_backward_prefetch", false, &told);
    assert_true(p.sharded && !told);
    assert_int_equal(p.pairs, 0); /* it prefetches */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gathers_wait_for_reductions),
        cmocka_unit_test(nothing_is_said_of_others),
    };
    return cmocka_run_group_tests(tests, open_library, close_library);
}
