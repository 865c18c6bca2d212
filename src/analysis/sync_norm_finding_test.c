/* Layers of SyncBatchNorm, to the finding that takes in their waits and collectives. */
#include "analysis/findings_case.h"
#include "analysis/model/system_results.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { LAYERS = 30 };

/* In each layer statistics for 20 us, a collective of 40, which of the ranks have
 * samples, which the host waits for, and 30 us to normalise once it has launched that.
 */
static struct finding layers_of(const char *layer, int *n_waits)
{
    struct trace_case c;
    int k = 0;
    case_begin(&c);
    for (int i = 0; i < LAYERS; i++) {
        double at = 10 + 300 * i;
        case_event(&c, "cpu_op", layer, 1, at, 200,
                   "\"Input Dims\":[[64,256,7,7],[256]]");
        case_op(&c, "aten::batch_norm_stats", at + 2, 10);
        case_launch(&c, "statistics", at + 4, at + 10, 20, ++k);
        case_launch(&c, "ncclDevKernel_AllGather_RING_LL(x)", at + 20, at + 30, 40,
                    ++k);
        case_op(&c, "aten::index", at + 40, 100);
        case_op(&c, "aten::nonzero", at + 42, 96);
        case_call(&c, "hipMemcpyAsync", at + 44, 4, ++k);
        case_copy(&c, "Memcpy DtoH (Device -> Pageable)", at + 70, 2, k, 4);
        case_call(&c, "hipStreamSynchronize", at + 50, 80, 0);
        case_op(&c, "aten::batch_norm_elemt", at + 150, 10);
        case_launch(&c, "normalise", at + 152, at + 160, 30, ++k);
        case_launch(&c, "gemm", at + 210, at + 220, 60, ++k);
    }
    struct analysis a = analyse_with(&c, library);
    const struct finding *f = of_pattern(&a, "sync_batch_norm");
    struct finding found = f ? *f : (struct finding){0};
    *n_waits = 0;
    for (int i = 0; i < a.n_findings; i++)
        *n_waits += a.findings[i].idle && a.findings[i].idle->class == IDLE_SYNC;
    case_close(&c);
    return found;
}

static void waits_of_layers_go_with_them(void **state)
{
    (void)state;
    int n_waits;
    struct finding f = layers_of("SyncBatchNorm", &n_waits);
    assert_int_equal(f.count, LAYERS);
    assert_int_equal(n_waits, 0);
    assert_true(f.impact.high_ms > LAYERS * 0.1);
    f = layers_of("aten::native_batch_norm", &n_waits);
    assert_int_equal(f.count, 0);
    assert_int_equal(n_waits, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(waits_of_layers_go_with_them)};
    return cmocka_run_group_tests(tests, open_library, close_library);
}
