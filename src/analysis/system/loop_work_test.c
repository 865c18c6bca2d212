#include "loop_work.c"

#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Kernels are 10 us long, those of gradients that are added up 8 us; the host takes
 * 100 us a turn. */
enum { TURNS = 8, TURN_US = 100 };

struct work_case {
    struct trace_case c;
    struct tree_index t;
    struct analysis a;
};

static void launch_on(struct trace_case *c, int tid, const char *kernel, double call_us,
                      double us, int id)
{
    char more[64];
    snprintf(more, sizeof more, "\"correlation\":%d", id);
    case_event(c, "cuda_runtime", "hipLaunchKernel", tid, call_us, 1, more);
    case_kernel(c, kernel, 7, call_us + 50000, us, id);
}

static void numbered(struct trace_case *c, const char *name, int tid, double at,
                     double us, int sequence)
{
    char more[64];
    snprintf(more, sizeof more, "\"Sequence number\":%d", sequence);
    case_event(c, "cpu_op", name, tid, at, us, sequence ? more : "");
}

/* A loop from 1000 us on, of two matmuls and a kernel of another kind in each turn, and
 * kernels before and behind it. Its backward pass: `apart_us` between two nodes. */
static void open_loop(struct work_case *x, bool training, double apart_us)
{
    int id = 0;
    case_begin(&x->c);
    if (training)
        numbered(&x->c, "thread", 2, 1, 1, 0);
    launch_on(&x->c, 1, "before", 990, 10, ++id);
    for (int k = 0; k < TURNS; k++) {
        double at = 1000 + TURN_US * k;
        numbered(&x->c, "aten::lstm_cell", 1, at + 1, 90, k + 1);
        launch_on(&x->c, 1, "gemm_x", at + 10, 10, ++id);
        launch_on(&x->c, 1, "gemm_h", at + 30, 10, ++id);
        launch_on(&x->c, 1, "gates", at + 50, 10, ++id);
    }
    launch_on(&x->c, 1, "behind", 1000 + TURN_US * TURNS + 5, 10, ++id);
    for (int k = 0; k < TURNS && training; k++) {
        double at = 3000 + (50 + apart_us) * k;
        numbered(&x->c, "autograd::engine::evaluate_function: AddmmBackward0", 2, at,
                 50, TURNS - k);
        numbered(&x->c, "AddmmBackward0", 2, at + 1, 20, TURNS - k);
        launch_on(&x->c, 2, "gemm_d", at + 5, 10, ++id);
        numbered(&x->c, "aten::add_", 2, at + 30, 10, 0);
        launch_on(&x->c, 2, "add", at + 31, 8, ++id);
    }
    case_open(&x->c, NULL);
    x->t = tree_index_build(&x->c.perm, x->c.tmp, &x->c.view);
    x->a = case_analysis(&x->c);
}

static struct loop_work work_of(struct work_case *x, int64_t second_us, bool chained)
{
    struct loop_span span = {.turns = TURNS};
    event_id first = case_find(&x->c, "aten::lstm_cell", 0);
    span.lane = x->c.store.lane[first];
    span.start_ns = x->c.store.start_ns[first] - 1000;
    span.end_ns = span.start_ns + TURNS * TURN_US * 1000;
    span.second_ns = second_us ? span.start_ns + second_us * 1000 : 0;
    return loop_work_of(&x->c.perm, x->c.tmp, &x->a, &x->t, &span, 1, chained);
}

/* 240 us of the device. Without a model, a call of all turns takes at most as long, and
 * at least as long as one turn. */
static void one_call_takes_as_long_as_a_turn(void **state)
{
    (void)state;
    struct work_case x;
    open_loop(&x, false, 0);
    struct loop_work w = work_of(&x, 0, false);
    assert_int_equal(w.n_gpu, 3 * TURNS);
    assert_near(w.device_ms, 0.240, 1e-9);
    assert_near(w.saved_least_ms, 0, 1e-9);
    assert_near(w.saved_most_ms, 0.240 - 0.240 / TURNS, 1e-9);
    assert_int_equal(w.n_gone, 1);
    assert_int_equal(w.gone[0].end_ns - w.gone[0].start_ns, 700000);
    assert_near(w.host_ms, 0.800, 1e-9);
    w = work_of(&x, 450, false); /* the first waits: others take 50 us */
    assert_int_equal(w.gone[0].end_ns - w.gone[0].start_ns, 350000);
    assert_near(w.host_ms, 0.400, 1e-9);
    w = work_of(&x, 40, false); /* no more than all of them */
    assert_near(w.host_ms, 0.800, 1e-9);
    assert_int_equal(loop_work_of(&x.c.perm, x.c.tmp, &x.a, &x.t, NULL, 0, true).n_gpu,
                     0);
    case_close(&x.c);
}

/* One of two matmuls of each turn stays, or half of it. */
static void a_chain_keeps_a_matmul_of_each_turn(void **state)
{
    (void)state;
    struct work_case x;
    open_loop(&x, false, 0);
    struct loop_work w = work_of(&x, 0, true);
    assert_near(w.saved_most_ms, 0.240 - 0.080 / 2, 1e-9);
    assert_near(w.saved_least_ms, 0, 1e-9);
    case_close(&x.c);
}

/* 80 us of matmuls in the backward pass, and 64 of sums that are gone. Its thread was
 * there first. */
static void the_backward_pass_is_a_loop_too(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) { /* nodes right behind each other, or apart */
        struct work_case x;
        open_loop(&x, true, k ? 500 : 10);
        struct loop_work w = work_of(&x, 0, false);
        assert_int_equal(w.n_gone, k ? 1 + TURNS : 2);
        assert_int_equal(w.n_gpu, (3 + 2) * TURNS);
        assert_near(w.device_ms, 0.384, 1e-9);
        assert_near(w.saved_least_ms, 0.064, 1e-9);
        assert_near(w.saved_most_ms, 0.384 - 0.320 / TURNS, 1e-9);
        assert_int_not_equal(w.gone[w.n_gone - 1].lane, w.gone[0].lane);
        struct finding f = {0};
        finding_ends_loops(&f, &x.a, &w, S("why"));
        assert_int_equal(f.about, ABOUT_EVENTS);
        assert_near(f.whole_ms, 0.384, 1e-9);
        assert_near(f.impact.low_ms, 0.064, 1e-9);
        assert_near(f.impact_kernel.high_ms, w.saved_most_ms, 1e-9);
        assert_int_equal(f.n_gpu, w.n_gpu);
        assert_ptr_equal(f.gpu, w.gpu);
        assert_int_equal(f.n_gone, w.n_gone);
        assert_text(f.impact.basis, "why");
        case_close(&x.c);
    }
}

/* A kernel at a fifth of its roofline, where 60 to 80 % are expected. */
static void rates_that_are_expected_bound_the_call(void **state)
{
    (void)state;
    struct work_case x;
    open_loop(&x, false, 0);
    struct expectation of = expectation_of(WORK_OTHER);
    struct search s = {.t = &x.t, .row_of = kernel_rows_build(&x.c.tmp, &x.a)};
    struct work_row row = {.category = WORK_OTHER, .efficiency.percent = of.lo / 4};
    event_id gpu = case_find(&x.c, "gates", 0);
    s.row_of.row[launch_place(&x.c.view.launch, gpu)] = &row;
    struct pass p = {.of.turns = TURNS};
    add_kernel(&s, &p, gpu, 8);
    assert_near(p.most_ms, 2, 1e-9);
    assert_near(p.least_ms, 2 * of.lo / of.hi, 1e-9);
    assert_int_equal(p.n_matmuls, 0);
    row.efficiency.percent = 120; /* above any: as it is */
    add_kernel(&s, &p, gpu, 8);
    assert_near(p.most_ms, 2 + 8, 1e-9);
    case_close(&x.c);
}

/* Of cells a matmul of all turns is bound by what it computes; all else, and where no
 * peak is known, by its roofline. */
static void matmuls_of_cells_are_bound_by_computation(void **state)
{
    (void)state;
    struct work_row r = {
        .efficiency = {.percent = 30, .tflop_per_s = 50, .peak_tflop_per_s = 200}};
    struct search s = {.turns = TURNS_OF_CELLS};
    assert_near(reached_pct(&s, &r, true), 25, 1e-9);
    assert_near(reached_pct(&s, &r, false), 30, 0);
    s.turns = TURNS_CHAINED;
    assert_near(reached_pct(&s, &r, true), 30, 0);
    s.turns = TURNS_OF_CELLS;
    r.efficiency.peak_tflop_per_s = 0;
    assert_near(reached_pct(&s, &r, true), 30, 0);
    assert_true(isnan(reached_pct(&s, NULL, true)));
}

/* Three of six, on their own threads. */
static void waits_go_with_the_loops_that_hold_them(void **state)
{
    (void)state;
    struct host_span gone[] = {{1, 10, 20}, {1, 30, 40}, {2, 10, 20}};
    struct idle_span waits[] = {
        {.lane = 1, .start_ns = 10}, {.lane = 1, .start_ns = 20},
        {.lane = 1, .start_ns = 35}, {.lane = 2, .start_ns = 35},
        {.lane = 0, .start_ns = 15}, {.lane = 2, .start_ns = 15}};
    const struct loop_work w = {.gone = gone, .n_gone = 3};
    const struct idle_group g = {.waits = waits, .n_waits = 6};
    assert_int_equal(loop_work_waits(&w, &g), 3);
}

/* A launch of 2 us for each turn is left of a chain, and all of its matmuls where it
 * has no more than turns. */
static void what_a_chain_leaves(void **state)
{
    (void)state;
    struct pass p = {.of.turns = 4,
                     .n_matmuls = 4,
                     .matmul_ms = 0.1,
                     .most_ms = 0.05,
                     .least_ms = 0.01};
    struct loop_work w = {0};
    add_left(&p, true, &w);
    assert_near(w.saved_least_ms, -0.108, 1e-9);
    assert_near(w.saved_most_ms, -0.05, 1e-9);
    p.n_matmuls = 3; /* fewer than turns: not in each */
    w = (struct loop_work){0};
    add_left(&p, true, &w);
    assert_near(w.saved_least_ms, -0.05, 1e-9);
    assert_near(w.saved_most_ms, -0.01, 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_call_takes_as_long_as_a_turn),
        cmocka_unit_test(a_chain_keeps_a_matmul_of_each_turn),
        cmocka_unit_test(the_backward_pass_is_a_loop_too),
        cmocka_unit_test(rates_that_are_expected_bound_the_call),
        cmocka_unit_test(matmuls_of_cells_are_bound_by_computation),
        cmocka_unit_test(waits_go_with_the_loops_that_hold_them),
        cmocka_unit_test(what_a_chain_leaves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
