#include "copy_source.c"

#include "analysis/model/system_results.h"
#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Three times: an operator of `us` on the CPU, the copy of what it makes, a kernel.
 * With frames a function of the user's holds both, and the kernel too if `all`. */
static struct copy_source of(double us, bool frames, bool all)
{
    struct trace_case c;
    case_begin(&c);
    if (frames)
        case_frame(&c, "swin.py(88): forward", 0, 30000);
    for (int k = 0; k < 3; k++) {
        double at = 9000 * k + 10;
        if (frames)
            case_frame(&c, "swin.py(120): get_index", at, all ? us + 300 : us + 150);
        case_op(&c, "aten::view", at + 1, 2);
        case_op(&c, "aten::sub", at + 5, us);
        case_op(&c, "aten::to", at + us + 10, 120);
        case_op(&c, "aten::copy_", at + us + 12, 110);
        case_call(&c, "cudaMemcpyAsync", at + us + 15, 100, 10 + k);
        case_copy(&c, "Memcpy HtoD (Pageable -> Device)", at + us + 20, 90, 10 + k,
                  1 << 20);
        case_op(&c, "aten::add", at + us + 160, 20);
        case_launch(&c, "add", at + us + 165, at + us + 170, 50, 20 + k);
    }
    case_open(&c, NULL);
    struct tree_index t = tree_index_build(&c.perm, c.tmp, &c.view);
    struct copy_source made = copy_source_of(&c.perm, &t);
    if (made.n)
        assert_int_equal(made.at[0].end_ns - made.at[0].start_ns,
                         1000 * (int64_t)(frames ? us + 150 : us + 125));
    made.at = NULL;
    case_close(&c);
    return made;
}

static void the_host_makes_what_it_copies(void **state)
{
    (void)state;
    assert_int_equal(of(2000, true, false).copies, 3);
    assert_int_equal(of(2000, true, false).n, 3);
    assert_int_equal(of(2000, false, false).copies, 3);
    assert_int_equal(of(2000, true, true).copies, 0); /* it does more than that */
    assert_int_equal(of(40, true, false).copies, 0);  /* or takes no time */
    assert_int_equal(of(40, false, false).copies, 0);
}

/* Three copies of 10 us in each of two calls of an operator, then a kernel. Four fifths
 * of idle time within these calls are theirs, whatever it is called. */
static void idle_time_within_copying_operators_is_theirs(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    for (int k = 0; k < 2; k++) {
        case_op(&c, "_C_cache_ops::swap_blocks", 1000 * k, 100);
        for (int i = 0; i < 3; i++) {
            case_call(&c, "hipMemcpyAsync", 1000 * k + 30 * i + 5, 9, 10 * k + i + 1);
            case_copy(&c, "Memcpy HtoD (Pinned -> Device)", 1000 * k + 30 * i + 10, 10,
                      10 * k + i + 1, 32768);
        }
    }
    case_launch(&c, "attention", 1200, 1210, 50, 99);
    case_open(&c, NULL);
    struct tree_index t = tree_index_build(&c.perm, c.tmp, &c.view);
    event_id op = case_find(&c, "_C_cache_ops::swap_blocks", 0);
    int32_t lane = c.view.s->lane[op];
    int64_t at = c.view.s->start_ns[op];
    struct idle_span spans[] = {{lane, -1, at, at + 80000},
                                {lane, -1, at + 980000, at + 1000000}};
    struct idle_group mostly = {.spans = spans, .n_spans = 2}, half = mostly,
                      queued = {0};
    struct finding of[] = {{.idle = &mostly, .issue = S("launches")},
                           {.copies = 1u << COPY_H2D},
                           {.idle = &half},
                           {.idle = &queued},
                           {.idle = NULL}};
    struct idle_span less[] = {spans[0], {lane, -1, at + 979000, at + 1000000}};
    half.spans = less;
    struct analysis a = {.findings = of, .n_findings = 5};
    copy_calls_claim(&c.perm, c.tmp, &a, &t, &of[1]);
    assert_int_equal(a.n_findings, 4);
    assert_ptr_equal(a.findings[0].idle, &half);
    assert_int_equal(a.findings[3].copies, 1u << COPY_H2D);
    assert_int_equal(a.findings[3].n_evidence, 1);
    case_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_host_makes_what_it_copies),
        cmocka_unit_test(idle_time_within_copying_operators_is_theirs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
