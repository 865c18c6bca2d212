#include "sharded_units.c"

#include "analysis/findings_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Twelve rounds of units of so many MiB, each gathered in `hook`, 80 us of the host,
 * for 20 us and 10 more for each MiB; behind each a matmul of 10 us. */
static void units(struct trace_case *c, const char *mib, const char *hook)
{
    int id = 0;
    double at = 100;
    case_begin(c);
    for (int round = 0; round < 12; round++)
        for (const char *unit = mib; *unit; unit++, at += 120) {
            int size = *unit - '0';
            char more[200];
            case_event(c, "user_annotation", hook, 1, at, 80, "");
            case_call(c, "cudaLaunchKernelExC", at + 70, 5, ++id);
            snprintf(more, sizeof more,
                     "\"correlation\":%d,\"stream\":20,\"In msg nelems\":%d,\"Out msg "
                     "nelems\":%d,\"Group size\":8,\"dtype\":\"Float\",\"Collective "
                     "name\":\"_allgather_base\"",
                     id, size << 18, size << 21);
            case_event(c, "kernel", "ncclDevKernel_AllGather_RING_LL", 20, at + 76,
                       20 + 10 * size, more);
            case_launch(c, "gemm", at + 90, at + 100 + 10 * size, 10, ++id);
        }
    case_op(c, "autograd::engine::evaluate_function: MmBackward0", at, 30);
    case_launch(c, "gemm", at + 2, at + 10, 10, ++id);
}

static int period_of(const char *mib, const char *hook)
{
    struct trace_case c;
    units(&c, mib, hook);
    struct analysis a = analyse_with(&c, library);
    int period = a.system->multi_kernel.unit_period;
    const struct finding *f = of_pattern(&a, "nccl_blocking_compute");
    assert_int_equal(f && str_starts(f->title, S("Wrap whole blocks as FSDP units")),
                     period > 0);
    case_close(&c);
    return period;
}

static void sizes_repeat_after_a_block(void **state)
{
    (void)state;
    const char *fsdp = "FullyShardedDataParallel._pre_forward";
    assert_int_equal(period_of("2115", fsdp), 4);
    assert_int_equal(period_of("2115", "FSDP::pre_forward (layers.0)"), 4);
    assert_int_equal(period_of("2222", fsdp), 0); /* whole blocks */
    assert_int_equal(period_of("2121", fsdp), 0); /* a block is two units */
    assert_int_equal(period_of("2115", "DistributedDataParallel.forward"), 0);
}

static void all_but_one_unit_of_a_round_go(void **state)
{
    (void)state;
    struct trace_case c;
    units(&c, "2115", "FullyShardedDataParallel._pre_forward");
    case_open(&c, &device);
    struct loop_work w = sharded_units_work(&c.perm, c.tmp, &c.view, 4);
    assert_int_equal(w.n_gone, 36);
    assert_near(w.host_ms, 36 * 0.08, 1e-9);
    assert_int_equal(w.n_gpu, 48);
    assert_near(w.saved_most_ms, 36 * 0.02, 1e-9); /* the latency, not the transfer */
    case_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_repeat_after_a_block),
        cmocka_unit_test(all_but_one_unit_of_a_round_go),
    };
    return cmocka_run_group_tests(tests, open_library, close_library);
}
