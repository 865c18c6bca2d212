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
static void open_made(struct trace_case *of, double us, bool frames, bool all)
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
    *of = c;
    case_open(of, NULL);
}

static struct copy_source of(double us, bool frames, bool all)
{
    struct trace_case c;
    open_made(&c, us, frames, all);
    struct tree_index t = tree_index_build(&c.perm, c.tmp, &c.view);
    struct copy_source made = copy_source_of(&c.perm, &t);
    if (made.n)
        assert_int_equal(made.at[0].end_ns - made.at[0].start_ns,
                         1000 * (int64_t)(frames ? us + 150 : us + 125));
    assert_true(fabs(made.ms - 0.003 * (frames ? us + 150 : us + 125) * (made.n > 0)) <
                1e-9);
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

/* Four fifths of its spans lie within, on that thread; of waits, where they are. */
static void idle_time_within_is_explained(void **state)
{
    (void)state;
    struct host_span at[] = {{1, 0, 50}, {1, 50, 100}};
    const struct copy_source made = {.at = at, .n = 2};
    struct idle_span spans[] = {{.lane = 1, .start_ns = 0, .end_ns = 80},
                                {.lane = 1, .start_ns = 200, .end_ns = 220}},
                     waits[] = {{.lane = 1, .start_ns = 150, .end_ns = 190}};
    struct idle_group g = {.class = IDLE_PYTHON,
                           .spans = spans,
                           .n_spans = 2,
                           .waits = waits,
                           .n_waits = 1};
    const struct finding f = {.idle = &g}, none = {.idle = NULL};
    assert_true(is_inside(&made, &f));
    spans[0].end_ns = 79;
    assert_false(is_inside(&made, &f));
    spans[0].end_ns = 80;
    g.class = IDLE_SYNC;
    assert_false(is_inside(&made, &f));
    waits[0].start_ns = 60;
    waits[0].end_ns = 95;
    spans[0].lane = 2;
    assert_true(is_inside(&made, &f));
    g.n_waits = 0;
    assert_false(is_inside(&made, &f));
    g.n_spans = 0;
    assert_false(is_inside(&made, &f));
    assert_false(is_inside(&made, &none));
}

/* Three of six copies carry what the host makes in 2.15 ms each: the finding about them
 * takes that away too, and what is idle within. Of seven it stays what it is. */
static void copies_go_with_what_makes_them(void **state)
{
    (void)state;
    for (int count = 6; count <= 7; count++) {
        struct trace_case c;
        open_made(&c, 2000, true, false);
        struct tree_index t = tree_index_build(&c.perm, c.tmp, &c.view);
        struct copy_source made = copy_source_of(&c.perm, &t);
        struct idle_span within = {made.at[0].lane, -1, made.at[0].start_ns,
                                   made.at[0].end_ns};
        const struct idle_group g = {
            .class = IDLE_PYTHON, .spans = &within, .n_spans = 1};
        struct finding list[] = {{.copies = 1u << COPY_H2D,
                                  .count = count,
                                  .time_ms = 0.5,
                                  .issue = S("Copies.")},
                                 {.idle = &g, .issue = S("idle")},
                                 {.issue = S("other")}};
        struct analysis an = {.findings = list, .n_findings = 3, .total_ms = 10};
        copy_source_claim(&c.perm, &an, &t, &list[0]);
        assert_int_equal(an.n_findings, count == 6 ? 2 : 3);
        const struct finding *f = &list[count == 6 ? 1 : 0];
        assert_int_equal(f->copies, 1u << COPY_H2D);
        assert_int_equal(f->n_gone, count == 6 ? 3 : 0);
        assert_int_equal(f->n_evidence, count == 6 ? 1 : 0);
        assert_true(str_eq(f->issue, count == 6 ? S("Copies. The host takes 6.45 ms to "
                                                    "make what they carry.")
                                                : S("Copies.")));
        assert_true(fabs(f->impact.low_ms - (count == 6 ? 0.4 : 0)) < 1e-9);
        assert_true(fabs(f->impact_kernel.high_ms - (count == 6 ? 0.5 : 0)) < 1e-9);
        case_close(&c);
    }
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
    case_op(&c, "aten::attention", 1195, 20); /* copies nothing */
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
    struct arena tmp = c.tmp;
    int32_t n_calls;
    (void)calls_of(&tmp, &c.view, 1u << COPY_H2D, &n_calls);
    assert_int_equal(n_calls, 2);
    (void)calls_of(&tmp, &c.view, 1u << COPY_D2H, &n_calls);
    assert_int_equal(n_calls, 0);
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
        cmocka_unit_test(idle_time_within_is_explained),
        cmocka_unit_test(copies_go_with_what_makes_them),
        cmocka_unit_test(idle_time_within_copying_operators_is_theirs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
