#include "report/job/job_headline.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena_case.h"

enum { MS = 1000000, RANKS = 4, STEPS = 10 };

static struct job_rank ranks[RANKS];
static int32_t named[RANKS];
static struct str hosts[2];
static struct job_step steps[STEPS];
static float blame[RANKS * STEPS];
static struct job j;

/* Four ranks, 100 ms in ten steps of 10 ms, numbered from 20; rank 2 is named, and
 * costs 15 of the 20 ms that late ranks cost. */
static void begin(void)
{
    memset(ranks, 0, sizeof ranks);
    memset(blame, 0, sizeof blame);
    for (int i = 0; i < RANKS; i++)
        ranks[i] = (struct job_rank){.rank = i, .load_frac = (double)NAN};
    for (int s = 0; s < STEPS; s++)
        steps[s].number = 20 + s;
    hosts[0] = hosts[1] = S("");
    named[0] = 2;
    named[1] = 3;
    ranks[2].cause = ranks[3].cause = S("compute");
    ranks[2].cause_frac = 0.9;
    ranks[3].cause_frac = 0.8;
    j = (struct job){.ranks = ranks,
                     .n_ranks = RANKS,
                     .n_expected = RANKS,
                     .n_steps = STEPS,
                     .steps = steps,
                     .step_ns = 10 * MS,
                     .end_ns = 100 * MS,
                     .hosts = hosts,
                     .has_several = true,
                     .whatif_shown = true,
                     .identity_ns = 100 * MS,
                     .ideal_ns = 80 * MS,
                     .named_ns = 85 * MS,
                     .even_ns = -1,
                     .links_ns = -1,
                     .joined_ns = -1,
                     .bare_ns = -1,
                     .named = named,
                     .n_named = 1,
                     .verdict = JOB_VERDICT_HIGH};
}

static void durations_have_three_digits(void **state)
{
    static const struct {
        int64_t ns;
        const char *want;
    } cases[] = {
        {0, "0 ns"},         {999, "999 ns"},      {1000, "1.00 µs"},
        {9994, "9.99 µs"},   {9995, "10.0 µs"},    {99949, "99.9 µs"},
        {99950, "100 µs"},   {999499, "999 µs"},   {999500, "1.00 ms"},
        {-1500, "-1.50 µs"}, {631 * MS, "631 ms"}, {2500 * (int64_t)MS, "2.50 s"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_text(duration_text(&a, cases[i].ns), cases[i].want);
}

static void many_ranks_are_counted(void **state)
{
    static const int32_t places[] = {0, 1, 2, 3, 1, 0, 2};
    (void)state;
    begin();
    ranks[3].rank = 30;
    assert_text(ranks_named(&a, &j, places + 3, 1), "rank 30");
    assert_text(ranks_named(&a, &j, places, 2), "ranks 0 and 1");
    assert_text(ranks_named(&a, &j, places, 6), "ranks 0, 1, 2, 30, 1 and 0");
    assert_text(ranks_named(&a, &j, places, 7), "ranks 0, 1, 2, 30, 1 and 2 others");
}

/* Steps of the first rank that are steps of the job: 8 and 12 ms, and one of 22. */
static void a_step_is_the_mean_of_those_that_all_have(void **state)
{
    struct rank_step own[] = {{.start_ns = 0, .end_ns = 8 * MS, .of = 0},
                              {.start_ns = 8 * MS, .end_ns = 30 * MS, .of = -1},
                              {.start_ns = 30 * MS, .end_ns = 42 * MS, .of = 1}};
    (void)state;
    begin();
    j.step_ns = 7 * MS;
    assert_int_equal(job_mean_step_ns(&j), 7 * MS); /* no rank has any */
    ranks[0].steps = own;
    ranks[0].n_steps = 3;
    assert_int_equal(job_mean_step_ns(&j), 10 * MS);
    j.n_steps = 1;
    assert_int_equal(job_per_step_ns(&j, 5 * MS), 5 * MS); /* of the run */
    j.n_steps = 2;
    assert_int_equal(job_per_step_ns(&j, 5 * MS), MS / 2); /* 5 % of 10 ms */
    j.start_ns = 50 * MS;
    assert_int_equal(job_per_step_ns(&j, 5 * MS), MS); /* 10 % */
    j.start_ns = j.end_ns;
    assert_int_equal(job_per_step_ns(&j, 5 * MS), 0);
    assert_true(job_pct(1, 4) == 25 && job_pct(1, 0) == 0);
}

static void a_headline_is_worth_one_percent(void **state)
{
    (void)state;
    begin();
    assert_int_equal(job_headline_of(&j), HEADLINE_LATE);
    j.n_named = 2;
    j.named_ns = 99 * MS;
    assert_int_equal(job_headline_of(&j), HEADLINE_LATE);
    j.named_ns++;
    assert_int_equal(job_headline_of(&j), HEADLINE_NONE);
    /* One rank alone, with three quarters of what all late ranks cost: 1 ms. */
    j.n_named = 1;
    j.ideal_ns = 99 * MS;
    j.named_ns = 100 * MS - 3 * MS / 4;
    assert_int_equal(job_headline_of(&j), HEADLINE_LATE);
    j.named_ns++;
    assert_int_equal(job_headline_of(&j), HEADLINE_NONE);
}

static void what_costs_most_is_the_headline(void **state)
{
    (void)state;
    begin();
    j.links_ns = 85 * MS; /* as much as late ranks: those come first */
    assert_int_equal(job_headline_of(&j), HEADLINE_LATE);
    j.links_ns = 84 * MS;
    assert_int_equal(job_headline_of(&j), HEADLINE_LINKS);
    j.joined_ns = 83 * MS; /* but no collective lacks its last */
    assert_int_equal(job_headline_of(&j), HEADLINE_LINKS);
    j.n_lacking = 1;
    assert_int_equal(job_headline_of(&j), HEADLINE_OUTSIDE);
    j.n_named = 0; /* nobody in particular: 20 ms */
    assert_int_equal(job_headline_of(&j), HEADLINE_SCATTERED);
    j.whatif_shown = false;
    assert_int_equal(job_headline_of(&j), HEADLINE_NONE);
    j.whatif_shown = true;
    j.n_ranks = 1;
    assert_int_equal(job_headline_of(&j), HEADLINE_NONE);
    assert_text(job_headline_text(&a, &j), "");
}

/* Of experts with 1.1 times an even share, even loads are what counts. */
static void loaded_experts_cost_what_even_loads_save(void **state)
{
    (void)state;
    begin();
    j.even_ns = 70 * MS;
    ranks[2].load_frac = 1.09;
    assert_int_equal(cost_ns(&j, HEADLINE_LATE), 15 * MS);
    ranks[2].load_frac = 1.1;
    assert_int_equal(cost_ns(&j, HEADLINE_LATE), 30 * MS);
    assert_text(job_headline_text(&a, &j),
                "Rank 2 holds the others up by 3.00 ms of each step of 10.0 ms (30.0%, "
                "estimate) because its experts get more than an even share");
    assert_true(str_starts(job_advice_text(&a, &j), S("even out what experts get")));
}

/* Where all ranks are recorded for 50 of 100 ms, 15 ms are 30 %. */
static void a_cost_is_of_what_is_compared(void **state)
{
    (void)state;
    begin();
    assert_text(cost_text(&a, &j, 15 * MS),
                "1.50 ms of each step of 10.0 ms (15.0%, estimate)");
    assert_text(
        cost_range(&a, &j, 15 * MS, 20 * MS),
        "1.50 ms to 2.00 ms of each step of 10.0 ms (15.0% to 20.0%, estimate)");
    j.compared_ns = 50 * MS;
    assert_text(cost_text(&a, &j, 15 * MS),
                "3.00 ms of each step of 10.0 ms (30.0%, estimate)");
    j.n_steps = 1; /* a run without steps loses no more than was lost there */
    j.step_ns = 100 * MS;
    assert_text(cost_text(&a, &j, 15 * MS),
                "15.0 ms of the run of 100 ms (15.0%, estimate)");
}

static void a_common_cause_covers_the_least(void **state)
{
    (void)state;
    begin();
    assert_true(job_common_cause(&j) == 0.9);
    j.n_named = 2;
    assert_true(job_common_cause(&j) == 0.8);
    ranks[3].cause = S("copy");
    assert_true(job_common_cause(&j) == -1);
}

/* Late in 7 of 10 steps that follow each other, with a quarter of the worst. */
static void lateness_in_a_part_of_the_run_has_its_steps(void **state)
{
    int first = -1, last = -1;
    (void)state;
    begin();
    float *own = blame + 2 * STEPS;
    for (int s = 2; s <= 8; s++)
        own[s] = s == 5 ? 100 : 25;
    assert_false(job_late_span(&j, 2, &first, &last)); /* not known by step */
    j.step_blame = blame;
    assert_true(job_late_span(&j, 2, &first, &last));
    assert_int_equal(first, 2);
    assert_int_equal(last, 8);
    assert_text(span_clause(&a, &j), " in steps 22 to 28");
    own[4] = 24; /* one between them may be quick */
    assert_true(job_late_span(&j, 2, &first, &last));
    own[6] = 24; /* two may not */
    assert_false(job_late_span(&j, 2, &first, &last));
    own[4] = own[6] = 25;
    own[9] = 25; /* eight are nearly all */
    assert_false(job_late_span(&j, 2, &first, &last));
    own[2] = 24;
    assert_text(span_clause(&a, &j), " from step 23 on");
    memset(own, 0, STEPS * sizeof *own);
    own[0] = own[1] = own[2] = 5; /* three are too few */
    assert_text(span_clause(&a, &j), "");
    own[3] = 5;
    assert_text(span_clause(&a, &j), " until step 23");
    j.n_steps = 7;
    assert_text(span_clause(&a, &j), "");
}

static void a_group_is_told_by_its_ranks(void **state)
{
    static const int32_t list[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    struct job_group g = {.name = S("pg"), .ranks = list, .n_ranks = 2, .size = 16};
    (void)state;
    assert_text(group_text(&a, &g), "between ranks 1 and 2");
    g.n_ranks = 8;
    assert_text(group_text(&a, &g), "among ranks 1, 2, 3, 4, 5, 6, 7 and 8");
    g.n_ranks = 9;
    assert_text(group_text(&a, &g), "in group pg of 16 ranks");
    g.n_ranks = 2;
    g.ranks = NULL;
    assert_text(group_text(&a, &g), "in group pg of 16 ranks");
}

static void slow_links_are_of_a_node_or_of_groups(void **state)
{
    struct job_group groups[] = {{.name = S("a"), .size = 9, .slow_ratio = 1.4},
                                 {.name = S("b"), .size = 9, .slow_ratio = 1.75},
                                 {.name = S("c"), .size = 9, .slow_ratio = 3}};
    struct job_suspect suspect = {.node = 1, .ratio = 1.6};
    (void)state;
    begin();
    groups[0].is_slow = groups[1].is_slow = true; /* the third is not */
    j.groups = groups;
    j.n_groups = 3;
    j.links_ns = 60 * MS;
    assert_text(job_headline_text(&a, &j),
                "Transfers of 2 groups, the slowest in group b of 9 ranks, take up to "
                "1.8 times as long as in groups that do the same, and cost 4.00 ms of "
                "each step of 10.0 ms (40.0%, estimate)");
    groups[1].is_slow = false;
    assert_true(
        str_starts(job_headline_text(&a, &j),
                   S("Transfers in group a of 9 ranks take 1.4 times as long")));
    j.suspects = &suspect;
    j.n_suspects = 1;
    assert_true(str_starts(job_headline_text(&a, &j),
                           S("Transfers from and to node 1 take 1.6 times as long")));
    suspect.inside = true;
    hosts[1] = S("n07");
    assert_true(str_starts(job_headline_text(&a, &j),
                           S("Transfers within node 1 (n07) take 1.6 times")));
    assert_true(str_starts(job_advice_text(&a, &j), S("measure these links alone")));
}

static void the_data_say_who_is_missing(void **state)
{
    int32_t missing[] = {5, 7};
    (void)state;
    begin();
    assert_text(job_data_text(&a, &j), "4 of 4 ranks are in the data");
    assert_text(job_outside_text(&a, &j), "A rank outside the data");
    j.missing = missing;
    j.n_missing = 1;
    j.n_expected = 5;
    j.n_unread = 1;
    assert_text(job_data_text(&a, &j),
                "4 of 5 ranks are in the data: rank 5 is missing; "
                "1 damaged input is left out");
    assert_text(job_outside_text(&a, &j), "Rank 5, which has no trace,");
    j.n_missing = 2;
    j.n_unread = 2;
    assert_text(job_data_text(&a, &j),
                "4 of 5 ranks are in the data: ranks 5 and 7 are "
                "missing; 2 damaged inputs are left out");
    assert_text(job_outside_text(&a, &j),
                "One of the 2 ranks without a trace (5 and 7)");
}

static void a_rank_outside_may_cost_one_percent(void **state)
{
    (void)state;
    begin();
    assert_false(job_may_be_outside(&j)); /* transfers are known */
    j.bare_ns = 99 * MS;
    assert_true(job_may_be_outside(&j));
    j.bare_ns++;
    assert_false(job_may_be_outside(&j));
}

/* Between what is known to be lost and all that may be; or that alone. */
static void who_is_outside_may_hold_others_up(void **state)
{
    (void)state;
    begin();
    j.n_lacking = 3;
    j.joined_ns = 90 * MS;
    assert_text(
        outside_headline(&a, &j),
        "A rank outside the data may hold the others up by 1.00 ms of each step "
        "of 10.0 ms (10.0%, estimate): 3 collectives move data only after all "
        "ranks in the data wait");
    j.bare_ns = 70 * MS;
    assert_text(
        outside_headline(&a, &j),
        "A rank outside the data may hold the others up by 1.00 ms to 3.00 ms of "
        "each step of 10.0 ms (10.0% to 30.0%, estimate): 3 collectives move "
        "data only after all ranks in the data wait, and none shows how long "
        "moving it takes without waiting");
}

/* Of ten steps those with a quarter of the most and more; little of it may lie in the
 * others. */
static void lateness_in_few_steps_has_its_rhythm(void **state)
{
    static const struct {
        float blame[STEPS];
        const char *want;
    } cases[] = {{{0, 0, 0, 100}, ", lost in step 23,"},
                 {{0, 0, 25, 0, 0, 0, 0, 100}, ", lost in every 5th step,"},
                 {{0, 0, 24, 0, 0, 0, 0, 500}, ", lost in step 27,"},
                 {{0, 90, 100, 0, 0, 0, 0, 90}, ", lost in 3 of 10 steps,"},
                 {{9, 9, 100, 9, 9, 9, 9, 9, 9, 9}, ""},
                 {{50, 50, 100, 50, 50, 50, 50, 50}, ""}};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        begin();
        j.step_blame = blame;
        memcpy(blame + 2 * STEPS, cases[k].blame, sizeof cases[k].blame);
        assert_text(rare_clause(&a, &j, 2), cases[k].want);
        assert_text(rare_clause(&a, &j, 1), "");
    }
}

/* 12 of the 20 ms that late ranks cost are most of them. */
static void the_main_cause_is_of_three_fifths(void **state)
{
    struct job_fix fixes[] = {
        {.kind = FIX_NODE, .what = S("n07"), .total_ns = 81 * MS},
        {.kind = FIX_CAUSE, .what = S("compute: GEMM"), .total_ns = 88 * MS}};
    (void)state;
    begin();
    j.n_named = 0;
    j.fixes = fixes;
    j.n_fixes = 2;
    assert_text(
        job_headline_text(&a, &j),
        "Ranks take turns in being late, which costs 2.00 ms of each step of "
        "10.0 ms (20.0%, estimate), mostly compute: GEMM; no rank in particular "
        "holds the others up");
    fixes[1].total_ns++;
    assert_text(main_cause(&a, &j), "");
    fixes[1].total_ns = 80 * MS;
    fixes[1].what = S("idle: Python");
    assert_text(main_cause(&a, &j),
                ", mostly while GPUs wait for their hosts (Python)");
    fixes[1].kind = FIX_ROLE;
    assert_text(main_cause(&a, &j), "");
}

static void few_steps_are_not_sure(void **state)
{
    (void)state;
    begin();
    j.verdict = JOB_VERDICT_LOW;
    j.n_steps = 8;
    assert_true(str_starts(job_advice_text(&a, &j), S("run tracefolio analyze")));
    j.n_steps = 7;
    assert_true(str_starts(job_advice_text(&a, &j), S("record more steps to be sure")));
    j.verdict = JOB_VERDICT_MEDIUM;
    assert_true(str_starts(job_advice_text(&a, &j), S("run tracefolio analyze")));
}

static void without_a_headline_the_advice_is_what_is_missing(void **state)
{
    int32_t missing[] = {5, 7};
    (void)state;
    begin();
    j.ideal_ns = j.named_ns = j.identity_ns;
    assert_true(str_starts(job_advice_text(&a, &j), S("nothing about late ranks")));
    j.missing = missing;
    j.n_missing = 2;
    j.bare_ns = 90 * MS;
    assert_text(job_advice_text(&a, &j), "record the missing ranks as well");
    j.whatif_shown = false; /* who is named still says what to look at */
    assert_true(str_starts(job_advice_text(&a, &j), S("run tracefolio analyze")));
    j.n_named = 0;
    assert_text(job_advice_text(&a, &j), "");
    j.n_ranks = 1;
    assert_true(str_starts(job_advice_text(&a, &j), S("add the traces of the other")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_is_outside_may_hold_others_up),
        cmocka_unit_test(lateness_in_few_steps_has_its_rhythm),
        cmocka_unit_test(durations_have_three_digits),
        cmocka_unit_test(many_ranks_are_counted),
        cmocka_unit_test(a_step_is_the_mean_of_those_that_all_have),
        cmocka_unit_test(a_headline_is_worth_one_percent),
        cmocka_unit_test(what_costs_most_is_the_headline),
        cmocka_unit_test(loaded_experts_cost_what_even_loads_save),
        cmocka_unit_test(a_cost_is_of_what_is_compared),
        cmocka_unit_test(a_common_cause_covers_the_least),
        cmocka_unit_test(lateness_in_a_part_of_the_run_has_its_steps),
        cmocka_unit_test(a_group_is_told_by_its_ranks),
        cmocka_unit_test(slow_links_are_of_a_node_or_of_groups),
        cmocka_unit_test(the_data_say_who_is_missing),
        cmocka_unit_test(a_rank_outside_may_cost_one_percent),
        cmocka_unit_test(the_main_cause_is_of_three_fifths),
        cmocka_unit_test(few_steps_are_not_sure),
        cmocka_unit_test(without_a_headline_the_advice_is_what_is_missing),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
