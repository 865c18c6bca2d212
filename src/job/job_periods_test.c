#include "job/job_periods.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Moved, slowed and moved again: what a row shows is found in the trace. */
static void the_time_of_the_trace_is_found(void **state)
{
    (void)state;
    struct job_member rows[3] = {{0}};
    const int64_t at_ns[3] = {500, 2000000000, 90000000000};
    struct job_rank r = {.trace_ns = -1700000000000000000, .rows = rows, .n_rows = 3};
    for (int i = 0; i < 3; i++)
        rows[i].start_ns = 1700000000000000000 + at_ns[i];
    rank_shift(&r, -1700000000000000000);
    rank_slow(&r, 5e-5, 1000);
    rank_shift(&r, 123456);
    assert_int_equal(rows[2].start_ns, 90000000000 - 4500000 + 123456);
    for (int i = 0; i < 3; i++)
        assert_true(llabs(rank_trace_ns(&r, rows[i].start_ns) - at_ns[i]) <= 1);
}

/* Two steps of 1000 ns with a collective each; a pause of 400 ns in front of the second
 * lies in the first step, and is booked to that of the collective that it delays. */
static void a_pause_counts_where_the_collective_follows(void **state)
{
    (void)state;
    struct rank_step steps[2] = {
        {.start_ns = 0,
         .end_ns = 1000,
         .of = 0,
         .part_ns = {[SEGMENT_COMPUTE] = 300, [SEGMENT_IDLE] = 500}},
        {.start_ns = 1000,
         .end_ns = 2000,
         .of = 1,
         .part_ns = {[SEGMENT_COMPUTE] = 500, [SEGMENT_IDLE] = 100}}};
    struct job_member rows[2] = {
        {.start_ns = 300, .part_ns = {[SEGMENT_COMPUTE] = 200, [SEGMENT_IDLE] = 100}},
        {.start_ns = 1500, .part_ns = {[SEGMENT_COMPUTE] = 600, [SEGMENT_IDLE] = 400}}};
    struct job_rank r = {.steps = steps,
                         .n_steps = 2,
                         .rows = rows,
                         .n_rows = 2,
                         .balance = {.compute_ns = 800, .idle_ns = 600}};
    struct job_rank ranks[] = {{.rank = 0}, r};
    struct job_period all[6] = {{{0}, {0}, 0}}, *periods = &all[3]; /* of rank 1 */
    struct job j = {
        .ranks = ranks, .n_ranks = 2, .n_steps = 2, .n_periods = 3, .periods = all};
    add_rank(&j, 1);
    assert_int_equal(all[2].part_ns[SEGMENT_IDLE], 0);
    assert_int_equal(periods[0].part_ns[SEGMENT_IDLE], 100);
    assert_int_equal(periods[1].part_ns[SEGMENT_IDLE], 400);
    assert_int_equal(periods[2].part_ns[SEGMENT_IDLE], 100);
    assert_int_equal(periods[0].part_ns[SEGMENT_COMPUTE], 300);
    assert_int_equal(periods[1].part_ns[SEGMENT_COMPUTE], 500);
}

/* Rank 1 comes last to all collectives and hides them; who waits for it has nothing
 * left to compute, so that they are exposed there. */
static void who_came_last_tells_what_is_hidden(void **state)
{
    enum { N = 4, MOVING_NS = 700 };
    struct job_member rows[2][N];
    struct job_instance instances[N];
    struct job_rank ranks[2] = {{.n_rows = N}, {.n_rows = N}};
    struct arena tmp = arena_reserve(1 << 16);
    struct job j = {
        .ranks = ranks, .n_ranks = 2, .instances = instances, .n_instances = N};
    (void)state;
    for (int i = 0; i < N; i++) {
        instances[i] = (struct job_instance){.last_rank = 1,
                                             .is_decomposed = true,
                                             .min_dur_ns = MOVING_NS,
                                             .last_start_ns = 10000 * i,
                                             .last_end_ns = 10000 * i + MOVING_NS};
        for (int r = 0; r < 2; r++)
            rows[r][i] = (struct job_member){.start_ns = 10000 * i - (r ? 0 : 5000),
                                             .dur_ns = MOVING_NS + (r ? 0 : 5000),
                                             .instance = i};
    }
    for (int r = 0; r < 2; r++)
        ranks[r].rows = rows[r];
    ranks[0].balance.transfer_ns = N * MOVING_NS;
    assert_true(is_hidden(tmp, &j));
    ranks[1].balance.transfer_ns = N * MOVING_NS * 9 / 10;
    assert_false(is_hidden(tmp, &j));
}

/* What lies in no step, or in one that is not of all ranks, is of the last period. */
static void a_moment_is_of_a_step_or_of_the_rest(void **state)
{
    struct rank_step steps[] = {{.start_ns = 0, .end_ns = 1000, .of = 0},
                                {.start_ns = 1000, .end_ns = 2000, .of = -1},
                                {.start_ns = 3000, .end_ns = 4000, .of = 1}};
    const struct job_rank r = {.steps = steps, .n_steps = 3};
    const struct job j = {.n_steps = 2};
    static const struct {
        int64_t at_ns;
        int want;
    } cases[] = {{-1, 2},   {0, 0},    {999, 0},  {1000, 2},
                 {2500, 2}, {3000, 1}, {3999, 1}, {4000, 2}};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        assert_int_equal(period_of(&j, &r, cases[k].at_ns), cases[k].want);
}

/* Two ranks of one step, in which the second has 300 ns more of computation, 30 of
 * copies and 100 of idle time: 200 more of GEMM, 100 of elementwise work, and 100 less
 * of norms; 90 of the idle time are Python's. */
struct late_case {
    struct job_rank ranks[2];
    struct rank_step steps[2];
    struct job_member rows[2][2];
    struct job_cause causes[2][3];
    int32_t at[1];
    struct job_period periods[4];
    struct job j;
};

static void open_late(struct late_case *c)
{
    *c = (struct late_case){.at = {0}};
    c->steps[0].work_ns[WORK_GEMM] = 400;
    c->steps[0].work_ns[WORK_NORM] = 300;
    c->steps[1].work_ns[WORK_GEMM] = 600;
    c->steps[1].work_ns[WORK_NORM] = 200;
    c->steps[1].work_ns[WORK_ELEMENTWISE] = 100;
    for (int k = 0; k < 2; k++) {
        struct job_period *p = &c->periods[2 * k];
        p->part_ns[SEGMENT_COMPUTE] = k ? 800 : 500;
        p->part_ns[SEGMENT_COPY] = k ? 50 : 20;
        p->part_ns[SEGMENT_IDLE] = k ? 200 : 100;
        p->cause_ns[IDLE_PYTHON] = k ? 150 : 60;
        memcpy(c->rows[k][k].part_ns, p->part_ns, sizeof p->part_ns);
        c->causes[k][0] = (struct job_cause){.row = 0, .cause = IDLE_SYNC, .ns = 9000};
        c->causes[k][1] =
            (struct job_cause){.row = k, .cause = IDLE_PYTHON, .ns = k ? 150 : 60};
        c->causes[k][2] = (struct job_cause){.row = 2, .cause = IDLE_SYNC, .ns = 9000};
        c->ranks[k] = (struct job_rank){.rank = k,
                                        .steps = &c->steps[k],
                                        .n_steps = 1,
                                        .step_at = c->at,
                                        .rows = c->rows[k],
                                        .n_rows = 2,
                                        .causes = c->causes[k],
                                        .n_causes = 3};
    }
    c->causes[0][0].ns = 0;
    c->j = (struct job){.ranks = c->ranks,
                        .n_ranks = 2,
                        .n_steps = 1,
                        .n_periods = 2,
                        .periods = c->periods};
}

static void lateness_has_its_causes(void **state)
{
    struct late_case c;
    (void)state;
    open_late(&c);
    const struct job_lateness *l = &c.ranks[1].late;
    add_late(&c.j, 0, 1, 0); /* is not late */
    assert_int_equal(c.ranks[0].late.n, 0);
    for (int k = 1; k <= 2; k++) {
        add_late(&c.j, 1, 0, 0);
        assert_int_equal(l->n, k);
        assert_int_equal(l->ns, 430 * k);
        assert_int_equal(c.j.total_late_ns, 430 * k);
        assert_int_equal(l->part_ns[SEGMENT_COMPUTE], 300 * k);
        assert_int_equal(l->part_ns[SEGMENT_COPY], 30 * k);
        assert_int_equal(l->part_ns[SEGMENT_IDLE], 100 * k);
        assert_int_equal(l->cause_ns[IDLE_PYTHON], 90 * k);
        assert_int_equal(l->work_ns[WORK_GEMM], 200 * k);
        assert_int_equal(l->work_ns[WORK_ELEMENTWISE], 100 * k);
        assert_int_equal(l->work_ns[WORK_NORM], 0);
    }
}

/* Less computation is what the other has more of; of equal work each category has its
 * part, and where none is known it is other work. */
static void computation_is_split_by_what_differs(void **state)
{
    struct late_case c;
    int64_t to[WORK_CATEGORIES];
    (void)state;
    open_late(&c);
    split_compute(&c.j, 1, 0, 0, -90, to);
    assert_int_equal(to[WORK_NORM], -90);
    assert_int_equal(to[WORK_GEMM], 0);
    split_compute(&c.j, 1, 1, 0, 90, to);
    assert_int_equal(to[WORK_GEMM], 60);
    assert_int_equal(to[WORK_ELEMENTWISE], 10);
    assert_int_equal(to[WORK_NORM], 20);
    split_compute(&c.j, 1, 0, 1, 90, to); /* behind the steps: not recorded */
    assert_int_equal(to[WORK_OTHER], 90);
}

static void causes_of_a_row_and_of_a_period(void **state)
{
    static const int causes[] = {WORK_GEMM, CAUSE_COPY, CAUSE_IDLE + (int)IDLE_PYTHON,
                                 CAUSE_REST, WORK_ELEMENTWISE};
    static const int64_t want[] = {200, 30, 90, 10, 100};
    static const char *const texts[] = {"compute: GEMM", "copy", "idle: Python",
                                        "idle: unknown", "compute: Elementwise"};
    static const enum segment_part parts[] = {
        SEGMENT_COMPUTE, SEGMENT_COPY, SEGMENT_IDLE, SEGMENT_IDLE, SEGMENT_COMPUTE};
    struct late_case c;
    struct arena perm = arena_reserve(1 << 16);
    int64_t to[5];
    (void)state;
    open_late(&c);
    const struct member_ref own = {1, 1}, ref = {0, 0};
    causes_between(&c.j, causes, 5, &own, &ref, 0, to);
    for (int k = 0; k < 5; k++) {
        assert_int_equal(to[k], want[k]);
        assert_int_equal(cause_in_period(&c.j, causes[k], 1, 0, 0, 300), want[k]);
        assert_string_equal(str_c(&perm, cause_text(&perm, causes[k])), texts[k]);
        assert_int_equal(cause_part(causes[k]), parts[k]);
        assert_false(cause_is_held(causes[k]));
    }
    assert_true(cause_is_held(CAUSE_IDLE + (int)IDLE_HOST_BOUND));
}

/* A clock 100 ns behind that gains a tenth from 1100 on: all times of the rank move,
 * and each is found again in its trace. */
static void all_times_of_a_rank_move(void **state)
{
    struct job_member row = {.start_ns = 2000, .dur_ns = 5};
    struct capture_block block = {3000, 7}, cover = {4000, 8};
    struct rank_step step = {.start_ns = 5000, .end_ns = 6000};
    struct job_rank r = {.start_ns = 1000,
                         .end_ns = 9000,
                         .rows = &row,
                         .n_rows = 1,
                         .blocks = &block,
                         .n_blocks = 1,
                         .covers = &cover,
                         .n_covers = 1,
                         .steps = &step,
                         .n_steps = 1};
    (void)state;
    rank_shift(&r, 100);
    assert_int_equal(row.start_ns, 2100);
    assert_int_equal(rank_trace_ns(&r, 2100), 2000);
    rank_slow(&r, 0.1, 1100);
    assert_int_equal(r.start_ns, 1100);
    assert_int_equal(row.start_ns, 2100 - 100);
    assert_int_equal(block.start_ns, 3100 - 200);
    assert_int_equal(cover.start_ns, 4100 - 300);
    assert_int_equal(step.start_ns, 5100 - 400);
    assert_int_equal(step.end_ns, 6100 - 500);
    assert_int_equal(r.end_ns, 9100 - 800);
    assert_int_equal(row.dur_ns, 5);
    assert_int_equal(rank_trace_ns(&r, row.start_ns), 2000);
    assert_int_equal(rank_trace_ns(&r, step.end_ns), 6000);
    rank_shift(&r, 50); /* and the moment from which it gains */
    assert_int_equal(rank_trace_ns(&r, row.start_ns), 2000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_time_of_the_trace_is_found),
        cmocka_unit_test(a_pause_counts_where_the_collective_follows),
        cmocka_unit_test(who_came_last_tells_what_is_hidden),
        cmocka_unit_test(a_moment_is_of_a_step_or_of_the_rest),
        cmocka_unit_test(lateness_has_its_causes),
        cmocka_unit_test(computation_is_split_by_what_differs),
        cmocka_unit_test(causes_of_a_row_and_of_a_period),
        cmocka_unit_test(all_times_of_a_rank_move)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
