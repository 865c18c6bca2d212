#include "job/job_judge.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena_case.h"

enum { RANKS = 8, RUN_NS = 100000 };

static struct job_rank ranks[RANKS];
static struct job_group group;
static struct job j;

/* Eight ranks, a run of 100,000 ns; nobody is late. */
static void begin(void)
{
    memset(ranks, 0, sizeof ranks);
    for (int i = 0; i < RANKS; i++)
        ranks[i].rank = i;
    group = (struct job_group){.n_present = 2, .confidence = CONFIDENCE_EXACT};
    j = (struct job){.ranks = ranks,
                     .n_ranks = RANKS,
                     .groups = &group,
                     .n_groups = 1,
                     .end_ns = RUN_NS,
                     .clock_good = true,
                     .whatif_shown = true};
}

static int n_named(void)
{
    int n = 0;
    for (int i = 0; i < RANKS; i++)
        n += ranks[i].is_named;
    return n;
}

static void a_cause_covers_four_fifths(void **state)
{
    (void)state;
    struct job_rank r = {.late = {.ns = 1000, .part_ns = {[SEGMENT_COMPUTE] = 800}}};
    find_cause(&a, &r);
    assert_text(r.cause, "compute");
    assert_true(r.cause_frac == 0.8);
    r.late.part_ns[SEGMENT_COMPUTE] = 799;
    find_cause(&a, &r);
    assert_text(r.cause, "mixed");
    r.late.part_ns[SEGMENT_IDLE] = 900; /* more than all: other parts are shorter */
    r.late.cause_ns[IDLE_PYTHON] = 1200;
    find_cause(&a, &r);
    assert_text(r.cause, "idle: Python");
    assert_true(r.cause_frac == 1);
    r.late.cause_ns[IDLE_PYTHON] = 799;
    find_cause(&a, &r);
    assert_text(r.cause, "idle");
    r.late.ns = 0;
    find_cause(&a, &r);
    assert_text(r.cause, "");
}

/* One per cent of the run: late by it, and worth it. */
static void a_name_is_worth_one_percent(void **state)
{
    (void)state;
    begin();
    ranks[0].late.ns = 1000;
    ranks[0].save_ns = 1000;
    assert_true(is_worth_a_name(&j, &ranks[0], 0));
    ranks[0].save_ns = 999;
    assert_false(is_worth_a_name(&j, &ranks[0], 0));
    ranks[0].save_ns = RUN_NS;
    ranks[0].late.ns = 999;
    assert_false(is_worth_a_name(&j, &ranks[0], 0));
    j.n_ranks = 1;
    ranks[0].late.ns = RUN_NS;
    assert_false(is_worth_a_name(&j, &ranks[0], 0));
}

/* Or three times its even share of all blame. */
static void a_large_part_of_the_blame_is_worth_a_name(void **state)
{
    (void)state;
    begin();
    ranks[0].late.ns = 1000;
    ranks[0].own_blame = 375;
    assert_true(is_worth_a_name(&j, &ranks[0], 1000)); /* 3 of 8 */
    ranks[0].own_blame = 374;
    assert_false(is_worth_a_name(&j, &ranks[0], 1000));
    j.whatif_shown = false; /* without a replay: what all waited for it alone */
    ranks[0].marginal_ns = 1000;
    assert_true(is_worth_a_name(&j, &ranks[0], 1000));
}

/* Ranks 4 to 7, as those of a slow node, hold 80 % of all blame. */
static void ranks_that_are_alike_are_named_together(void **state)
{
    (void)state;
    for (int less = 0; less < 2; less++) {
        begin();
        for (int i = 4; i < RANKS; i++) {
            ranks[i].own_blame = 100 - (i == 7) * 25;
            ranks[i].late.ns = 1000;
        }
        name_alike(a, &j, less ? 470 : 468.75);
        assert_int_equal(n_named(), less ? 0 : 4);
        assert_int_equal(ranks[4].is_named, !less);
    }
    begin(); /* more than half of all are not "some that are late" */
    for (int i = 0; i < 5; i++) {
        ranks[i].own_blame = 100;
        ranks[i].late.ns = 1000;
    }
    name_alike(a, &j, 500);
    assert_int_equal(n_named(), 0);
}

static void named_ranks_are_in_the_order_of_their_blame(void **state)
{
    (void)state;
    begin();
    ranks[2] = (struct job_rank){.own_blame = 10, .is_named = true};
    ranks[5] = (struct job_rank){.own_blame = 30, .is_named = true};
    ranks[6].own_blame = 99;
    struct arena perm = a, tmp = arena_first_half(&perm);
    list_named(&perm, tmp, &j);
    assert_int_equal(j.n_named, 2);
    assert_int_equal(j.named[0], 5);
    assert_int_equal(j.named[1], 2);
}

/* Rank 1 shows once rank 0 is fixed: it saves as much then. In one pass it has to have
 * half of the blame of rank 0. */
static void who_is_late_behind_the_first_is_named(void **state)
{
    struct job_curve curve[] = {{-1, 100000}, {0, 90000}, {1, 82000}, {2, 81900}};
    (void)state;
    static const struct {
        int late_ns, steps, blame;
        bool named;
    } cases[] = {{20000, STEPS_MIN, 100, true},
                 {1000, STEPS_MIN, 100, false},
                 {20000, STEPS_MIN - 1, 100, false},
                 {20000, STEPS_MIN - 1, 499, false},
                 {20000, 0, 500, true}};
    for (int k = 0; k < 5; k++) {
        begin();
        j.n_steps = cases[k].steps;
        j.curve = curve;
        j.n_curve = 4;
        j.identity_ns = 100000;
        ranks[0] =
            (struct job_rank){.is_named = true, .late.ns = 25000, .own_blame = 1000};
        ranks[1] =
            (struct job_rank){.late.ns = cases[k].late_ns, .own_blame = cases[k].blame};
        ranks[2] = (struct job_rank){.late.ns = 20000, .own_blame = 100};
        name_next(&j, 1200);
        assert_int_equal(ranks[1].is_named, cases[k].named);
        assert_int_equal(ranks[2].is_named, 0);
    }
}

/* Two ranks of a node of three are late, the third is not: the two are named, not the
 * node; of a third that is as late, the node. */
static void a_stage_on_a_node_is_not_the_node(void **state)
{
    int32_t of_node[] = {5, 6, 7};
    struct job_fix fix = {.kind = FIX_NODE,
                          .node = 1,
                          .ranks = of_node,
                          .n_ranks = 3,
                          .total_ns = RUN_NS - 9000};
    (void)state;
    for (int all = 0; all < 2; all++) {
        begin();
        j.identity_ns = RUN_NS;
        j.ideal_ns = RUN_NS - 9000;
        j.fixes = &fix;
        j.n_fixes = 1;
        for (int i = 5; i < RANKS; i++)
            ranks[i] = (struct job_rank){.node = 1, .own_blame = 4500, .late.ns = 9000};
        ranks[5].is_named = ranks[6].is_named = true;
        if (!all)
            ranks[7] = (struct job_rank){.node = 1, .late.ns = 100};
        name_node(&j, all ? 13500 : 9000);
        assert_int_equal(ranks[7].is_named, all);
        assert_true(ranks[5].is_named && ranks[6].is_named);
    }
}

/* A rank that costs 0.9 % is named if it has most of the 1 % that all late ranks cost,
 * and is so in nearly all resamples. */
static void who_has_most_of_a_small_cost_is_named(void **state)
{
    (void)state;
    begin();
    j.identity_ns = RUN_NS;
    j.ideal_ns = RUN_NS - 1000;
    ranks[2] = (struct job_rank){
        .has_whatif = true, .save_ns = 900, .late.ns = 900, .top_frac = 1};
    assert_true(is_worth_a_name(&j, &ranks[2], 0));
    ranks[2].top_frac = 0.9;
    assert_false(is_worth_a_name(&j, &ranks[2], 0));
    ranks[2].top_frac = 1;
    ranks[2].save_ns = 700;
    assert_false(is_worth_a_name(&j, &ranks[2], 0));
    ranks[2].save_ns = 900;
    j.ideal_ns = RUN_NS - 999;
    assert_false(is_worth_a_name(&j, &ranks[2], 0));
}

/* Late in one step of many: it costs most, and is not named. */
static void who_is_late_once_is_remembered(void **state)
{
    double blame[24 * 2] = {[10 * 2] = 5000};
    int32_t candidates[] = {3, 4};
    struct units u = {.blame = blame,
                      .n = 24,
                      .each = 1,
                      .candidates = candidates,
                      .n_candidates = 2,
                      .are_steps = true};
    (void)state;
    for (int i = 0; i < 24; i++)
        blame[2 * i + 1] = 100;
    for (int saves = 0; saves < 2; saves++) {
        begin();
        j.n_steps = 24;
        j.identity_ns = RUN_NS;
        j.ideal_ns = RUN_NS - 5000;
        ranks[3] = (struct job_rank){
            .is_named = true, .has_whatif = true, .save_ns = saves ? 4500 : 1000};
        drop_chance(a, &u, &j);
        assert_true(j.is_scattered);
        assert_int_equal(n_named(), 0);
        assert_int_equal(j.is_once, saves);
        assert_int_equal(saves ? j.once : 3, 3);
    }
}

/* In a pipeline those who wait for each other are not late; what each does is. */
static void stages_are_charged_with_lateness(void **state)
{
    (void)state;
    begin();
    ranks[1] = (struct job_rank){.own_blame = 900, .late.ns = 0};
    ranks[3] = (struct job_rank){.own_blame = 100, .late.ns = 500};
    assert_int_equal(by_own_blame(&a, &j)[0].row, 1);
    j.is_piped = true;
    assert_int_equal(by_own_blame(&a, &j)[0].row, 3);
}

/* Of n coins all heads, and at least one head of two dice's sixes. */
static void chance_is_that_of_a_binomial(void **state)
{
    (void)state;
    assert_true(fabs(binomial_tail(5, 5, 2) - 1.0 / 32) < 1e-12);
    assert_true(fabs(binomial_tail(1, 2, 6) - 11.0 / 36) < 1e-12);
    assert_true(fabs(binomial_tail(0, 4, 3) - 1) < 1e-12);
}

static void the_top_is_who_has_most_and_the_first_of_equals(void **state)
{
    (void)state;
    assert_int_equal(top_of((const double[]){1, 3, 3}, 3), 1);
    assert_int_equal(top_of((const double[]){0, 0}, 2), -1);
}

/* One rank on top of all steps is so in every resample; chance of that is 1 / 8^6. */
static void a_rank_that_is_late_in_each_step_is_sure(void **state)
{
    enum { STEPS = 6 };
    double blame[2 * STEPS];
    int32_t candidates[] = {3, 5}, set[CANDIDATES];
    struct units u = {.blame = blame,
                      .n = STEPS,
                      .candidates = candidates,
                      .n_candidates = 2,
                      .are_steps = true};
    (void)state;
    begin();
    for (int s = 0; s < STEPS; s++) {
        blame[2 * s] = 1;
        blame[2 * s + 1] = 2;
    }
    resample(a, &u, &j);
    find_chronic(a, &u, &j);
    assert_true(ranks[5].top_frac == 1 && ranks[3].top_frac == 0);
    assert_true(ranks[5].chronic_frac == 1 && ranks[3].chronic_p == 1);
    assert_true(fabs(ranks[5].chronic_p * 262144 - 1) < 1e-9);
    assert_int_equal(top_set(&u, &j, set), 1);
    assert_int_equal(set[0], 5);
}

static void two_that_take_turns_are_a_set(void **state)
{
    enum { STEPS = 20 };
    double blame[2 * STEPS];
    int32_t candidates[] = {3, 5}, set[CANDIDATES];
    struct units u = {.blame = blame,
                      .n = STEPS,
                      .candidates = candidates,
                      .n_candidates = 2,
                      .are_steps = true};
    (void)state;
    begin();
    for (int s = 0; s < STEPS; s++) {
        blame[2 * s] = s % 2;
        blame[2 * s + 1] = 1 - s % 2;
    }
    resample(a, &u, &j);
    assert_true(fabs(ranks[3].top_frac + ranks[5].top_frac - 1) < 1e-9);
    assert_true(ranks[3].top_frac > 0.3 && ranks[5].top_frac > 0.3);
    assert_int_equal(top_set(&u, &j, set), 2);
}

/* What makes a verdict less sure, and the word for it. */
static void a_verdict_has_its_reason(void **state)
{
    enum { UNITS = 20 };
    static const struct {
        int units, own; /* own: in which the rank is blamed most */
        bool are_steps, clock;
        double top;
        enum match_confidence match;
        enum job_verdict want;
        const char *reason;
    } cases[] = {
        {20, 20, true, true, 1, CONFIDENCE_VERIFIED, JOB_VERDICT_HIGH,
         "20 of 20 steps"},
        {20, 10, true, true, 1, CONFIDENCE_EXACT, JOB_VERDICT_MEDIUM, "10 of 20 steps"},
        {20, 20, true, true, .8, CONFIDENCE_EXACT, JOB_VERDICT_MEDIUM, "20 of 20"},
        {20, 20, true, true, .4, CONFIDENCE_EXACT, JOB_VERDICT_LOW, "20 of 20"},
        {20, 20, false, true, 1, CONFIDENCE_EXACT, JOB_VERDICT_MEDIUM, "few steps"},
        {4, 4, true, true, 1, CONFIDENCE_EXACT, JOB_VERDICT_LOW, "few steps"},
        {5, 5, true, true, 1, CONFIDENCE_EXACT, JOB_VERDICT_HIGH, "5 of 5 steps"},
        {20, 20, true, true, 1, CONFIDENCE_ALIGNED, JOB_VERDICT_MEDIUM, "sequence"},
        {20, 9, true, true, 1, CONFIDENCE_ALIGNED, JOB_VERDICT_LOW, "sequence numbers"},
        {20, 20, true, false, 1, CONFIDENCE_EXACT, JOB_VERDICT_MEDIUM, "clocks"}};
    double blame[UNITS * RANKS];
    int32_t candidates[RANKS], named[] = {3};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        begin();
        j.n_named = 1;
        j.n_steps = cases[i].units;
        j.named = named;
        j.clock_good = cases[i].clock;
        ranks[3].is_named = true;
        ranks[3].top_frac = cases[i].top;
        group.confidence = cases[i].match;
        for (int k = 0; k < RANKS; k++)
            candidates[k] = k;
        for (int k = 0; k < UNITS * RANKS; k++)
            blame[k] = k % RANKS == (k / RANKS < cases[i].own ? 3 : 5);
        struct units u = {blame, cases[i].units,    1, candidates, RANKS,
                          NULL,  cases[i].are_steps};
        rate(&a, &j, &u);
        if (j.verdict != cases[i].want ||
            !str_has(j.verdict_reason, str_of(cases[i].reason)))
            fail_msg("%zu: %d %.*s", i, j.verdict, STRF(j.verdict_reason));
        j.n_steps--; /* the last unit follows the whole steps */
        if (!i && (rate(&a, &j, &u), !str_has(j.verdict_reason, S("19 of 19 steps"))))
            fail_msg("%.*s", STRF(j.verdict_reason));
    }
    begin();
    struct units u = {.n = 20, .are_steps = true};
    rate(&a, &j, &u);
    assert_int_equal(j.verdict, JOB_VERDICT_NONE);
    assert_text(j.verdict_reason,
                "no rank costs the run 1% or has a large part of the waiting");
    group.confidence = CONFIDENCE_ALIGNED;
    assert_int_equal(worst_match(&j), CONFIDENCE_ALIGNED);
    group.n_present = 1; /* where nobody else is there is nothing to match */
    assert_int_equal(worst_match(&j), CONFIDENCE_EXACT);
}

/* Beside one that is named, who is late by a quarter of that and by 1 % of the run, and
 * has a twentieth of the blame; beside nobody, nobody. */
static void who_may_be_blamed_most_is_named_too(void **state)
{
    static const struct {
        int64_t first_ns, late_ns;
        double blame;
        bool want;
    } cases[] = {{8000, 2000, 50, true},  {8000, 1999, 50, false},
                 {8000, 5000, 49, false}, {100, 1000, 50, true},
                 {100, 999, 50, false},   {0, 5000, 500, false}};
    static const int32_t set[] = {3, 5};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        begin();
        j.start_ns = 1000000;
        j.end_ns = j.start_ns + RUN_NS;
        ranks[3].is_named = cases[k].first_ns > 0;
        ranks[3].late.ns = cases[k].first_ns;
        ranks[5].late.ns = cases[k].late_ns;
        ranks[5].own_blame = cases[k].blame;
        name_set(&j, set, 2, 1000);
        assert_int_equal(ranks[5].is_named, cases[k].want);
    }
}

/* Blame that hits two ranks in all of 12 steps is theirs; that which hits each rank now
 * and then is nobody's, however much the first has of it. */
static void blame_by_chance_names_nobody(void **state)
{
    enum { STEPS = 12 };
    double blame[STEPS * RANKS] = {0};
    int32_t candidates[RANKS];
    (void)state;
    begin();
    for (int i = 0; i < RANKS; i++)
        candidates[i] = i;
    struct units u = {.blame = blame,
                      .n = STEPS,
                      .candidates = candidates,
                      .n_candidates = RANKS,
                      .are_steps = true};
    for (int s = 0; s < STEPS; s++)
        blame[s * RANKS + (s % 2 ? 5 : 2)] = 100;
    ranks[2].is_named = ranks[5].is_named = true;
    drop_chance(a, &u, &j);
    assert_false(j.is_scattered);
    assert_int_equal(n_named(), 2);
    memset(blame, 0, sizeof blame);
    const int hit[STEPS] = {3, 6, 3, 1, 0, 3, 7, 2, 5, 4, 6, 1};
    for (int s = 0; s < STEPS; s++)
        blame[s * RANKS + hit[s]] = 100;
    ranks[2].is_named = ranks[5].is_named = false;
    ranks[3].is_named = true;
    drop_chance(a, &u, &j);
    assert_true(j.is_scattered);
    assert_int_equal(n_named(), 0);
}

/* Three late steps of one rank are more than chance; beside it two ranks that have as
 * much of the rest as others are not those of most resamples. */
static void who_is_named_recurs(void **state)
{
    enum { STEPS = 30 };
    double blame[STEPS * RANKS] = {0};
    int32_t candidates[RANKS];
    (void)state;
    begin();
    for (int i = 0; i < RANKS; i++)
        candidates[i] = i;
    struct units u = {.blame = blame,
                      .n = STEPS,
                      .candidates = candidates,
                      .n_candidates = RANKS,
                      .are_steps = true};
    for (int s = 0; s < STEPS; s++)
        blame[s * RANKS + s % RANKS] = 10;
    for (int s = 9; s < STEPS; s += 10)
        blame[s * RANKS] = 1000;
    ranks[0].is_named = true;
    assert_true(recurs(a, &u, &j));
    drop_chance(a, &u, &j);
    assert_int_equal(n_named(), 1);
    ranks[1].is_named = ranks[2].is_named = true;
    assert_false(recurs(a, &u, &j));
}

/* Of node 1 two ranks hold nearly all blame: it is they who are late. If all of it come
 * late, and blame falls on one or another, it is the node. */
static void a_node_is_late_if_most_of_its_ranks_are(void **state)
{
    int32_t places[] = {4, 5, 6, 7};
    struct job_fix node = {.kind = FIX_NODE, .node = 1, .ranks = places, .n_ranks = 4};
    (void)state;
    for (int all = 0; all < 2; all++) {
        begin();
        j.fixes = &node;
        j.n_fixes = 1;
        j.identity_ns = RUN_NS;
        j.ideal_ns = node.total_ns = RUN_NS - 10000;
        for (int i = 4; i < RANKS; i++) {
            bool late = all || i >= 6;
            ranks[i].node = 1;
            ranks[i].own_blame = i >= 6 ? 490 : 10;
            ranks[i].late.ns = late ? 10000 - 1000 * i : 100;
        }
        name_node(&j, 1000);
        assert_int_equal(n_named(), all ? 4 : 0);
    }
}

/* From five steps on these are the units, else blocks of eight collectives, or each
 * where there are few; 2000 units at most. */
static void units_are_steps_or_blocks(void **state)
{
    static const struct {
        int n_steps, n_instances, each, n;
    } cases[] = {{5, 100, 1, 5},     {4, 100, 8, 13},    {0, 40, 8, 5},
                 {0, 39, 1, 39},     {1999, 9, 1, 1999}, {2000, 9, 2, 1000},
                 {4001, 9, 3, 1334}, {0, 16000, 9, 1778}};
    static struct job_instance many[16000];
    static int32_t by_time[16000];
    struct job_member row = {.dur_ns = 1};
    struct member_ref member = {0, 0};
    struct job_rank alone = {.end_ns = 1, .rows = &row, .n_rows = 1};
    struct job_signature kind = {.kind = COLLECTIVE_ALL_REDUCE};
    struct arena tmp = arena_reserve(1 << 24);
    (void)state;
    for (int i = 0; i < 16000; i++) {
        many[i] =
            (struct job_instance){.step = -1, .n_members = 1, .is_decomposed = true};
        by_time[i] = i;
    }
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct arena own = tmp;
        const struct job of = {.options.first_step = -1,
                               .ranks = &alone,
                               .n_ranks = 1,
                               .signatures = &kind,
                               .members = &member,
                               .instances = many,
                               .by_time = by_time,
                               .n_instances = cases[k].n_instances,
                               .n_steps = cases[k].n_steps};
        struct units u = units_of(&own, &of);
        assert_int_equal(u.each, cases[k].each);
        assert_int_equal(u.n, cases[k].n);
        assert_int_equal(u.are_steps, cases[k].n_steps >= 5);
    }
    const struct units steps = {.are_steps = true, .each = 3}, blocks = {.each = 8};
    const struct job_instance x = {.step = 7}, outside = {.step = -1};
    assert_int_equal(unit_of(&steps, &x, 99), 2);
    assert_int_equal(unit_of(&steps, &outside, 99), -1);
    assert_int_equal(unit_of(&blocks, &x, 17), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cause_covers_four_fifths),
        cmocka_unit_test(a_name_is_worth_one_percent),
        cmocka_unit_test(a_large_part_of_the_blame_is_worth_a_name),
        cmocka_unit_test(ranks_that_are_alike_are_named_together),
        cmocka_unit_test(a_node_is_late_if_most_of_its_ranks_are),
        cmocka_unit_test(named_ranks_are_in_the_order_of_their_blame),
        cmocka_unit_test(who_is_late_behind_the_first_is_named),
        cmocka_unit_test(who_is_late_once_is_remembered),
        cmocka_unit_test(a_stage_on_a_node_is_not_the_node),
        cmocka_unit_test(who_has_most_of_a_small_cost_is_named),
        cmocka_unit_test(stages_are_charged_with_lateness),
        cmocka_unit_test(chance_is_that_of_a_binomial),
        cmocka_unit_test(the_top_is_who_has_most_and_the_first_of_equals),
        cmocka_unit_test(a_rank_that_is_late_in_each_step_is_sure),
        cmocka_unit_test(two_that_take_turns_are_a_set),
        cmocka_unit_test(a_verdict_has_its_reason),
        cmocka_unit_test(who_may_be_blamed_most_is_named_too),
        cmocka_unit_test(blame_by_chance_names_nobody),
        cmocka_unit_test(units_are_steps_or_blocks),
        cmocka_unit_test(who_is_named_recurs),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
