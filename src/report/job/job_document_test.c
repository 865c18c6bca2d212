#include "report/job/job_document.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena_case.h"

enum { RANKS = 4, MS = 1000000 };

static struct job_rank ranks[RANKS];
static struct str hosts[] = {S_INIT("n0"), S_INIT("")};
static struct job j;
static struct job_report r;
static struct job_document document;
static struct job_maker m;
static struct arena scratch;

/* Four ranks that waited 100 ms in all; rank 12 makes 60 of these, rank 10 30. */
static int begin(void **state)
{
    static const int64_t blame_ms[] = {30, 0, 60, 10};
    (void)state;
    memset(ranks, 0, sizeof ranks);
    for (int i = 0; i < RANKS; i++)
        ranks[i] = (struct job_rank){.rank = 10 + i,
                                     .blame_ns = blame_ms[i] * MS,
                                     .blame = (double)(blame_ms[i] * MS),
                                     .own_blame = (double)(blame_ms[i] * MS)};
    j = (struct job){.ranks = ranks,
                     .n_ranks = RANKS,
                     .hosts = hosts,
                     .n_nodes = 1,
                     .wait_ns = 100 * MS,
                     .identity_ns = 200 * MS};
    r = (struct job_report){.j = &j};
    document = (struct job_document){0};
    m = (struct job_maker){
        .perm = &a, .tmp = scratch, .j = &j, .r = &r, .d = &document};
    return 0;
}

static void cell_is(const struct job_table *t, int row, const char *title,
                    const char *want)
{
    for (int k = 0; k < t->n_columns; k++)
        if (str_eq(t->columns[k].title, str_of(title))) {
            assert_text(job_cell(t, row, k)->text, want);
            return;
        }
    fail_msg("no column %s", title);
}

static const struct job_table *table(const char *name)
{
    return job_shown_at(&a, &document, str_of(name))->table;
}

static void bars_are_those_that_others_wait_for(void **state)
{
    (void)state;
    struct report_figure f = blame_figure(&m, by_blame(&m), RANKS);
    assert_int_equal(f.n_marks, 3); /* nobody waits for rank 11 */
    assert_text(f.marks[0].label, "rank 12");
    assert_text(f.marks[0].value_text, "60.0 ms, 60.0%");
    assert_true(f.marks[0].value == 60);
    assert_text(f.marks[1].label, "rank 10");
    assert_text(f.marks[2].value_text, "10.0 ms, 10.0%");
    assert_text(f.caption,
                "The others wait for rank 12 most: 60.0 ms, 60.0% of all waiting");
    assert_false(f.marks[0].folded || f.marks[1].folded);
    j.n_named = 1;
    ranks[2].is_named = true;
    f = blame_figure(&m, by_blame(&m), RANKS);
    assert_true(!f.marks[0].folded && f.marks[1].folded);
    assert_true(
        str_ends(f.caption, S("; outlined: ranks that the headline does not name")));
    for (int i = 0; i < RANKS; i++)
        ranks[i].blame_ns = 0;
    assert_int_equal(blame_figure(&m, by_blame(&m), RANKS).n_marks, 0);
}

/* A bar is worth a thousandth of the run: the last of these is the second. */
static void the_curve_ends_with_what_saves_something(void **state)
{
    struct job_curve curve[] = {
        {-1, 1000 * MS}, {2, 900 * MS}, {0, 899 * MS}, {1, 898 * MS + 1}};
    (void)state;
    assert_int_equal(curve_length(&j), 0);
    j.curve = curve;
    j.n_curve = 4;
    assert_int_equal(curve_length(&j), 3);
    struct report_figure f = curve_figure(&m);
    assert_int_equal(f.n_marks, 3);
    assert_text(f.marks[0].label, "as recorded");
    assert_text(f.marks[1].label, "rank 12");
    assert_text(f.marks[2].label, "and rank 10");
    assert_text(f.marks[1].value_text, "900.000 ms");
    assert_true(str_ends(f.caption, S("; further ranks save less than 0.1%")));
    j.n_curve = 3;
    assert_true(str_ends(curve_figure(&m).caption, S("its rank alone would save")));
    j.n_curve = 1;
    assert_text(curve_figure(&m).caption, "No rank alone saves 0.1% of the run");
    curve[0].total_ns = 10000 * (int64_t)MS;
    assert_text(curve_figure(&m).marks[0].value_text, "10.000 s");
}

/* A tenth of all waiting, at most half of it its own doing, and not named. */
static void blame_may_be_passed_on(void **state)
{
    struct job_said s = {.order = by_blame(&m)};
    (void)state;
    ranks[0].own_blame = 15 * MS;
    ranks[3].own_blame = 2 * MS;
    find_passed_on(&m, &s);
    assert_int_equal(s.n_passed_on, 0); /* nobody is named */
    j.n_named = 1;
    ranks[2].is_named = true;
    ranks[2].own_blame = 0;
    find_passed_on(&m, &s);
    assert_int_equal(s.n_passed_on, 2);
    assert_int_equal(s.passed_on[0].rank, 10);
    assert_true(s.passed_on[0].own_pct == 50);
    assert_int_equal(s.passed_on[1].rank, 13);
    assert_true(s.passed_on[1].own_pct == 20);
    ranks[0].own_blame++;
    ranks[3].blame--;
    s.n_passed_on = 0;
    find_passed_on(&m, &s);
    assert_int_equal(s.n_passed_on, 0);
}

static void late_ranks_have_their_columns(void **state)
{
    struct job_said s = {.r = &r, .j = &j};
    (void)state;
    ranks[2].node = 1;
    ranks[2].cause = S("compute");
    ranks[2].own_blame = 50 * MS;
    ranks[2].has_whatif = true;
    ranks[2].save_ns = 7 * MS;
    ranks[2].n_last = 9;
    ranks[2].chronic_frac = 0.25;
    ranks[2].top_frac = 0.9;
    ranks[2].waited_ns = 3 * MS;
    ranks[2].late = (struct job_lateness){.ns = 8 * MS,
                                          .part_ns = {[SEGMENT_COMPUTE] = 4 * MS,
                                                      [SEGMENT_COPY] = 1 * MS,
                                                      [SEGMENT_IDLE] = 2 * MS}};
    ranks[0].role = ranks[3].role = 5;
    ranks[1].role = ranks[2].role = 6;
    s.order = by_blame(&m);
    late_page(&m, &s);
    static const char *const want[][2] = {
        {"Rank", "12"},        {"Does as rank", "11"}, {"Node", "1"},
        {"Cause", "compute"},  {"Blame", "60.000"},    {"Of all, %", "60.0"},
        {"Its own", "50.000"}, {"Saves", "7.000"},     {"Times last", "9"},
        {"Steps, %", "-"},     {"Sure, %", "90"},      {"Waited", "3.000"},
        {"Late", "8.000"},     {"Compute", "4.000"},   {"Copies", "1.000"},
        {"Idle", "2.000"}};
    const struct job_table *t = table("late");
    for (size_t k = 0; k < sizeof want / sizeof *want; k++)
        cell_is(t, 0, want[k][0], want[k][1]);
    cell_is(t, 1, "Saves", "-"); /* not asked */
    cell_is(t, 2, "Does as rank", "10");
    j.n_steps = 4;
    begin(state);
    j.n_steps = 4;
    ranks[2].chronic_frac = 0.25;
    s.order = by_blame(&m);
    late_page(&m, &s);
    cell_is(table("late"), 0, "Steps, %", "25");
    assert_null(s.like); /* all do the same: there is no such column */
    assert_text(table("late")->columns[1].title, "Node");
}

static void fixes_save_what_the_run_is_shorter_by(void **state)
{
    struct job_fix fixes[] = {
        {.kind = FIX_NODE, .what = S("n0"), .n_ranks = 2, .total_ns = 150 * MS},
        {.kind = FIX_CAUSE, .what = S("copies"), .total_ns = 201 * MS}};
    struct job_said s = {.r = &r, .j = &j, .order = by_blame(&m)};
    (void)state;
    j.fixes = fixes;
    j.n_fixes = 2;
    late_page(&m, &s);
    const struct job_table *t = table("together");
    cell_is(t, 0, "Fixed", "n0");
    cell_is(t, 0, "What it is", "a node");
    cell_is(t, 0, "Ranks", "2");
    cell_is(t, 0, "Saves, ms", "50.000");
    cell_is(t, 0, "Of the run, %", "25.0");
    cell_is(t, 1, "Saves, ms", "-1.000");
    cell_is(t, 1, "What it is", "a cause of lateness");
}

/* Of 34 steps, 17 columns of two: each has the worse of them. */
static void steps_share_columns(void **state)
{
    enum { STEPS = 34 };
    static struct job_step steps[STEPS];
    static float blame[RANKS * STEPS];
    struct job_said s = {.r = &r, .j = &j, .order = by_blame(&m)};
    (void)state;
    for (int i = 0; i < STEPS; i++)
        steps[i].number = 100 + i;
    blame[2 * STEPS + 2] = 3e6F;
    blame[2 * STEPS + 3] = 5e6F;
    j.steps = steps;
    j.n_steps = STEPS;
    steps_table(&m, &s);
    assert_false(s.by_step); /* not known by step */
    j.step_blame = blame;
    steps_table(&m, &s);
    assert_true(s.by_step && s.steps_share);
    const struct job_table *t = table("by-step");
    assert_int_equal(t->n_columns, 1 + 17);
    assert_text(t->columns[2].title, "102-103");
    assert_text(job_cell(t, 0, 0)->text, "12");
    assert_text(job_cell(t, 0, 2)->text, "5.000");
    assert_text(job_cell(t, 0, 1)->text, "0.000");
    assert_int_equal(job_cell(t, 0, 2)->heat, JOB_HEATS);
    assert_int_equal(job_cell(t, 1, 2)->heat, 0);
    assert_text(steps_title(&a, &j, 4, 5), "Step 104");
}

static void collectives_with_most_waiting_come_first(void **state)
{
    struct job_instance instances[] = {{.wait_ns = 5 * MS, .step = -1},
                                       {.wait_ns = 0},
                                       {.signature = 1,
                                        .group = 1,
                                        .n_members = 3,
                                        .first_start_ns = 20 * MS,
                                        .last_start_ns = 24 * MS,
                                        .last_rank = 3,
                                        .wait_ns = 9 * MS}};
    struct job_signature signatures[] = {
        {.kind = COLLECTIVE_BROADCAST, .bytes = -1},
        {.kind = COLLECTIVE_ALL_REDUCE, .bytes = 4096}};
    struct job_group groups[] = {{.name = S("")}, {.name = S("dp")}};
    struct job_step step = {.number = 7};
    int32_t by_time[] = {1, 0, 2};
    (void)state;
    j.instances = instances;
    j.n_instances = 3;
    j.by_time = by_time;
    j.signatures = signatures;
    j.groups = groups;
    j.steps = &step;
    j.start_ns = 4 * MS;
    collectives_page(&m);
    const struct job_table *t = table("collectives");
    assert_int_equal(t->n_rows, 2); /* nobody waits in one */
    static const char *const want[][3] = {{"Collective", "all-reduce", "broadcast"},
                                          {"Bytes", "4096", "-"},
                                          {"Group", "dp", "-"},
                                          {"Step", "7", "-"},
                                          {"At, ms", "20.000", "-4.000"},
                                          {"Ranks", "3", "0"},
                                          {"Last rank", "13", "10"},
                                          {"Skew, ms", "4.000", "0.000"},
                                          {"Waiting, ms", "9.000", "5.000"}};
    for (size_t k = 0; k < sizeof want / sizeof *want; k++)
        for (int row = 0; row < 2; row++)
            cell_is(t, row, want[k][0], want[k][1 + row]);
}

/* The second rank of a node is its second column. */
static void nodes_are_under_one_another(void **state)
{
    struct job_said s = {.r = &r, .j = &j};
    (void)state;
    nodes_table(&m, &s);
    assert_false(s.has_nodes); /* one alone */
    j.n_nodes = 2;
    ranks[2].node = 1;
    nodes_table(&m, &s);
    assert_true(s.has_nodes);
    const struct job_table *t = table("nodes");
    static const char *const want[][5] = {{"0", "n0", "30.000", "0.000", "10.000"},
                                          {"1", "-", "60.000", "-", "-"}};
    for (int row = 0; row < 2; row++)
        for (int k = 0; k < 5; k++)
            assert_text(job_cell(t, row, k)->text, want[row][k]);
    assert_text(t->columns[3].title, "Rank 2 of it");
    assert_int_equal(job_cell(t, 1, 2)->heat, JOB_HEATS);
}

static void groups_are_named_or_listed(void **state)
{
    static const int32_t list[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    struct job_group g = {.ranks = list, .n_ranks = 2, .role = S("TP")};
    const struct described in = {&g, NULL, &a};
    (void)state;
    assert_text(group_text(&in), "ranks 1 2");
    g.n_ranks = 9;
    assert_text(group_text(&in), "ranks 1 2 3 4 5 6 7 8 ...");
    g.name = S("tp");
    assert_text(group_text(&in), "tp");
    assert_text(role(&in), "TP");
    g.role_guessed = true;
    assert_text(role(&in), "TP (guess)");
    assert_text(span(&in), "within a node");
}

#define CASE(test) cmocka_unit_test_setup(test, begin)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(bars_are_those_that_others_wait_for),
        CASE(the_curve_ends_with_what_saves_something),
        CASE(blame_may_be_passed_on),
        CASE(late_ranks_have_their_columns),
        CASE(fixes_save_what_the_run_is_shorter_by),
        CASE(steps_share_columns),
        CASE(collectives_with_most_waiting_come_first),
        CASE(nodes_are_under_one_another),
        CASE(groups_are_named_or_listed),
    };
    scratch = arena_reserve(1 << 20);
    char *first = scratch.at;
    int failed = cmocka_run_group_tests(tests, set_up, tear_down);
    arena_release(first, &scratch);
    return failed;
}
