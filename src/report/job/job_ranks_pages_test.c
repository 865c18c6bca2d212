#include "report/job/job_ranks_pages.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena_case.h"

enum { MOST = 2000, US = 1000 };

static struct job_rank ranks[MOST];
static struct job j;
static struct job_report r;
static struct job_document document;
static struct job_maker m;
static struct arena scratch, memory;

/* Ranks that compute for 60 of 100 us and are idle for the rest. */
static void begin(int n)
{
    memset(ranks, 0, sizeof ranks);
    for (int i = 0; i < n; i++)
        ranks[i] = (struct job_rank){.rank = i,
                                     .balance = {.window_ns = 100 * US,
                                                 .compute_ns = 60 * US,
                                                 .idle_ns = 40 * US}};
    j = (struct job){.ranks = ranks, .n_ranks = n};
    r = (struct job_report){.j = &j};
    document = (struct job_document){0};
    m = (struct job_maker){
        .perm = &memory, .tmp = scratch, .j = &j, .r = &r, .d = &document};
}

/* That rank computes for so long, and is idle for the rest. */
static void computes(int rank, int64_t us)
{
    ranks[rank].balance.compute_ns = us * US;
    ranks[rank].balance.idle_ns = (100 - us) * US;
}

static const struct job_shown *shown(const char *name)
{
    return job_shown_at(&memory, &document, str_of(name));
}

static void row_is(const struct job_table *t, int row, const char *const *want)
{
    for (int k = 0; k < t->n_columns; k++)
        assert_text(job_cell(t, row, k)->text, want[k]);
}

static void parts_are_of_the_window(void **state)
{
    (void)state;
    begin(3);
    ranks[1].balance = (struct job_balance){.window_ns = 200 * US,
                                            .compute_ns = 20 * US,
                                            .transfer_ns = 30 * US,
                                            .wait_ns = 40 * US,
                                            .copy_ns = 50 * US,
                                            .idle_ns = 60 * US};
    ranks[2].balance = (struct job_balance){0}; /* nothing is known of it */
    struct parts p = parts_of(&m);
    assert_true(p.frac[1][JOB_PART_COMPUTE] == 0.1);
    assert_true(p.frac[1][JOB_PART_TRANSFER] == 0.15);
    assert_true(p.frac[1][JOB_PART_WAIT] == 0.2);
    assert_true(p.frac[1][JOB_PART_COPY] == 0.25);
    assert_true(p.frac[1][JOB_PART_IDLE] == 0.3);
    assert_true(p.frac[2][JOB_PART_COMPUTE] == 0);
    assert_true(fabs(p.middle[JOB_PART_COMPUTE] - 0.1) < 1e-9); /* of 0, 0.1, 0.6 */
    assert_true(fabs(p.most - 0.5) < 1e-9);
    assert_int_equal(furthest(&p, 0, 3), 0);
    begin(2);
    assert_true(parts_of(&m).most == APART_LEAST); /* all alike */
}

static void a_table_has_a_row_for_each_rank(void **state)
{
    (void)state;
    begin(3);
    computes(2, 90);
    ranks[2].node = 1;
    ranks[2].host = S("n1");
    ranks[2].offset_ns = -2500;
    ranks[2].page = S("r2/index.html");
    const struct ranks_said *s = job_ranks_page(&m);
    assert_false(s->in_bins || s->any_far);
    const struct job_table *t = shown("balance")->table;
    row_is(t, 2,
           (const char *[]){"2", "1", "n1", "0.100", "90.0", "0.0", "0.0", "0.0",
                            "10.0", "-2.5"});
    row_is(t, 0,
           (const char *[]){"0", "0", "-", "0.100", "60.0", "0.0", "0.0", "0.0", "40.0",
                            "0.0"});
    assert_text(job_cell(t, 2, 0)->href, "r2/index.html");
    assert_int_equal(job_cell(t, 2, 4)->heat, JOB_HEATS);
    assert_int_equal(job_cell(t, 0, 4)->heat, 0);
}

/* Of 200 ranks each two share a bar, which is of the one further from the median. */
static void many_ranks_share_bars(void **state)
{
    (void)state;
    begin(200);
    computes(3, 80);
    struct parts p = parts_of(&m);
    struct report_figure f = side_by_side(&m, &p);
    assert_int_equal(f.n_bins, 100);
    assert_text(f.marks[0].label, "rank 0");
    assert_text(f.marks[1].label, "rank 3");
    assert_true(f.series[JOB_PART_COMPUTE].values[1] == 80);
    assert_true(f.series[JOB_PART_COMPUTE].values[0] == 60);
    assert_true(f.series[JOB_PART_IDLE].values[1] == 20);
    assert_text(f.series[JOB_PART_COMPUTE].value_text, "60.0%");
    assert_true(str_starts(f.caption, S("Of each 2 ranks")));
    begin(128);
    p = parts_of(&m);
    assert_int_equal(side_by_side(&m, &p).n_bins, 128);
}

/* Pages of 512 ranks, and a table of bins of 64. */
static void of_more_than_a_thousand_ranks_there_are_bins(void **state)
{
    (void)state;
    begin(1100);
    computes(70, 10);
    const struct ranks_said *s = job_ranks_page(&m);
    assert_true(s->in_bins);
    assert_int_equal(s->n_under, 3);
    assert_text(s->under[0].file, "ranks-0.html");
    assert_text(s->under[2].file, "ranks-1024.html");
    assert_text(s->under[2].span, "1024-1099");
    const struct job_table *t = shown("balance")->table;
    assert_int_equal(t->n_rows, 18);
    row_is(
        t, 1,
        (const char *[]){"64-127", "70", "0.100", "10.0", "0.0", "0.0", "0.0", "90.0"});
    assert_text(job_cell(t, 8, 0)->href, "ranks-512.html");
    assert_text(job_cell(t, 17, 0)->text, "1088-1099");
    assert_int_equal(shown("ranks-512.html")->table->n_rows, 512);
    begin(1024);
    assert_false(job_ranks_page(&m)->in_bins);
}

/* Of four ranks of a role with 60, 60, 61 and 70 %, 61 is in the middle, and 1 % the
 * usual spread: 9 times that is far. */
static void a_rank_may_be_far_from_its_role(void **state)
{
    (void)state;
    begin(5);
    computes(1, 61);
    computes(3, 70);
    computes(4, 10); /* of another role, alone */
    ranks[4].role = 1;
    struct parts p = parts_of(&m);
    assert_int_equal(outliers(&m, &p), 2);
    const struct job_table *t = shown("far")->table;
    assert_text(job_cell(t, 0, 0)->text, "3");
    assert_text(job_cell(t, 0, 2)->text, "70.0");
    assert_text(job_cell(t, 0, 3)->text, "61.0");
    assert_text(job_cell(t, 0, 4)->text, "9");
    computes(3, 67); /* 6 times, and 7 of what is idle, are not */
    p = parts_of(&m);
    assert_int_equal(outliers(&m, &p), 0);
    begin(3);
    computes(1, 95);
    p = parts_of(&m);
    assert_int_equal(outliers(&m, &p), 0); /* of three none is */
}

static void the_part_that_differs_most_is_named(void **state)
{
    struct job_spread spread[JOB_PARTS] = {[JOB_PART_COMPUTE] = {.least_ns = 10 * US,
                                                                 .most_ns = 30 * US,
                                                                 .middle_ns = 20 * US},
                                           [JOB_PART_IDLE] = {.least_ns = 5 * US,
                                                              .most_ns = 26 * US,
                                                              .middle_ns = 6 * US}};
    (void)state;
    begin(3);
    memcpy(r.spread, spread, sizeof spread);
    struct report_figure f = spread_figure(&m);
    assert_int_equal(f.n_marks, JOB_PARTS);
    const struct figure_mark *idle = &f.marks[JOB_PART_IDLE];
    assert_true(idle->low == 0.005 && idle->high == 0.026 && idle->value == 0.006);
    assert_text(idle->value_text, "5.00 µs to 26.0 µs, median 6.00 µs");
    assert_true(
        str_starts(f.caption, S("Of 3 ranks, idle time differs most: 5.00 µs to")));
    j.n_ranks = 1;
    assert_text(spread_figure(&m).caption, "What the one rank in the data does");
}

/* Of two ranks the lower is in the middle. */
static void steps_have_their_slowest_and_median_rank(void **state)
{
    struct rank_step own[2][2] = {{{.end_ns = 10 * US}, {.end_ns = 30 * US}},
                                  {{.end_ns = 20 * US}, {.end_ns = 25 * US}}};
    struct job_step steps[] = {{.number = 5, .dur_ns = 20 * US, .slowest = 1},
                               {.number = 6, .dur_ns = 30 * US, .slowest = 0}};
    int32_t at[] = {0, 1};
    (void)state;
    begin(2);
    for (int i = 0; i < 2; i++) {
        ranks[i].rank = 7 + i;
        ranks[i].steps = own[i];
        ranks[i].step_at = at;
    }
    j.steps = steps;
    j.n_steps = 2;
    job_steps_page(&m);
    const struct job_table *t = shown("steps")->table;
    row_is(t, 0, (const char *[]){"5", "0.020", "8", "0.010"});
    row_is(t, 1, (const char *[]){"6", "0.030", "7", "0.025"});
    const struct report_figure *f = shown("steps")->figure;
    assert_true(f->series[0].values[1] == 0.03 && f->series[1].values[1] == 0.025);
    assert_text(f->caption, "The longest is step 6: 30.0 µs on rank 7");
    begin(2);
    j.steps = steps;
    j.n_steps = 1; /* one is no line */
    ranks[0].steps = own[0];
    ranks[1].steps = own[1];
    ranks[0].step_at = ranks[1].step_at = at;
    job_steps_page(&m);
    assert_null(shown("steps")->figure);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_are_of_the_window),
        cmocka_unit_test(a_table_has_a_row_for_each_rank),
        cmocka_unit_test(many_ranks_share_bars),
        cmocka_unit_test(of_more_than_a_thousand_ranks_there_are_bins),
        cmocka_unit_test(a_rank_may_be_far_from_its_role),
        cmocka_unit_test(the_part_that_differs_most_is_named),
        cmocka_unit_test(steps_have_their_slowest_and_median_rank),
    };
    scratch = arena_reserve(1 << 24);
    memory = arena_reserve(1 << 26);
    char *first[] = {scratch.at, memory.at};
    int failed = cmocka_run_group_tests(tests, set_up, tear_down);
    arena_release(first[0], &scratch);
    arena_release(first[1], &memory);
    return failed;
}
