#include "report/compare/rank_cause.h"
#include "report/job/job_report.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena_case.h"

enum { MS = 1000000, RANKS = 9 };

static struct job_rank ranks[RANKS];
static int32_t named[RANKS], missing[] = {7, 9};
static struct job_group group;
static struct job_suspect suspect;
static struct str hosts[] = {S_INIT(""), S_INIT("b<1>")};
static struct job j;
static struct job_report r;

/* Four ranks, 100 ms in ten steps of 10 ms; without lateness 80 ms; of all waiting, 40
 * ms, rank 2 makes 30: it computes longer, and costs 15 ms. */
static void begin(void)
{
    memset(ranks, 0, sizeof ranks);
    for (int i = 0; i < RANKS; i++) {
        named[i] = i;
        ranks[i] = (struct job_rank){.rank = i,
                                     .options = S("operators"),
                                     .tool = S("tracefolio 1"),
                                     .sha256 = S("ab"),
                                     .n_steps = 10,
                                     .load_frac = (double)NAN};
    }
    named[0] = 2;
    ranks[2].cause = S("compute");
    ranks[2].cause_frac = 0.97;
    ranks[2].blame = 30 * MS;
    group = (struct job_group){.n_members = 8};
    j = (struct job){.ranks = ranks,
                     .n_ranks = 4,
                     .n_expected = 4,
                     .n_nodes = 1,
                     .n_steps = 10,
                     .step_ns = 10 * MS,
                     .end_ns = 100 * MS,
                     .wait_ns = 40 * MS,
                     .free_wait_ns = 40 * MS,
                     .groups = &group,
                     .n_groups = 1,
                     .hosts = hosts,
                     .has_several = true,
                     .has_complete = true,
                     .whatif_shown = true,
                     .identity_ns = 100 * MS,
                     .ideal_ns = 80 * MS,
                     .named_ns = 85 * MS,
                     .even_ns = -1,
                     .links_ns = -1,
                     .joined_ns = -1,
                     .bare_ns = -1,
                     .verdict = JOB_VERDICT_HIGH,
                     .verdict_reason = S("it is late in each step"),
                     .named = named,
                     .n_named = 1,
                     .clock_good = true,
                     .clock_method = S("ends of collectives"),
                     .n_clock_checked = 8};
}

static void make(void)
{
    r = job_report_make(&a, &j, S("tracefolio 1"), S(""));
}

static void says(int sentence, const char *part)
{
    if (sentence >= r.n_verdict)
        fail_msg("%d of %d sentences: %s", sentence, r.n_verdict, part);
    if (!str_has(r.verdict[sentence], str_of(part)))
        fail_msg("%.*s: no %s", STRF(r.verdict[sentence]), part);
}

static const struct job_check *check(const char *what)
{
    for (int i = 0; i < r.n_checks; i++)
        if (str_eq(r.checks[i].what, str_of(what)))
            return &r.checks[i];
    fail_msg("no check %s", what);
    return NULL;
}

static void checks(const char *what, bool evaluated, bool good, const char *part)
{
    const struct job_check *c = check(what);
    if (c->evaluated != evaluated || c->good != good || !str_has(c->says, str_of(part)))
        fail_msg("%s: %d %d %.*s", what, c->evaluated, c->good, STRF(c->says));
}

static void exact_times_keep_every_ns(void **state)
{
    (void)state;
    assert_text(exact_us_text(&a, 1234567), "1234.567");
    assert_text(exact_us_text(&a, -5), "-0.005");
    assert_text(exact_us_text(&a, 2000), "2");
    assert_text(exact_us_text(&a, 0), "0");
}

static void the_headline_says_who_how_much_and_why(void **state)
{
    (void)state;
    begin();
    make();
    says(0, "Rank 2 holds the others up by 1.50 ms of each step of 10.0 ms (15.0%");
    says(0, "because it computes longer");
    assert_true(str_has(r.length, S("A step of the job takes 10.0 ms on 4 ranks")));
    assert_true(str_has(r.length, S("8.00 ms, 20.0% less")));
    says(2, "Rank 2 arrives late and causes 75% of the waiting (confidence high: it is "
            "late in each step)");
    says(2, "computes longer than the others (97% of its lateness)");
    assert_int_equal(r.n_verdict, 3);
    says(1,
         "What to do: run tracefolio analyze on the trace of rank 2, which says what "
         "to change there");
}

/* Why, as the comparison of two ranks has it, and what to do about that. */
static void a_compared_rank_says_why_and_what_next(void **state)
{
    (void)state;
    begin();
    j.reasons[0] = (struct job_reason){S("all kernels take 15.0% longer: clock"),
                                       RANK_CAUSE_CLOCKS, 2};
    j.n_reasons = 1;
    make();
    says(0, "estimate) because all kernels take 15.0% longer");
    says(1, "What to do: compare clocks, power and temperature");
    j.reasons[0].kind = RANK_CAUSE_INPUT;
    make();
    says(1, "What to do: give the loader more workers");
}

/* Several ranks of several causes: each with its own. */
static void ranks_of_other_causes_say_theirs(void **state)
{
    (void)state;
    begin();
    j.n_named = 2;
    j.named[1] = 3;
    ranks[3].cause = S("idle");
    j.reasons[0] = (struct job_reason){S("all kernels take 15.0% longer: clock"),
                                       RANK_CAUSE_CLOCKS, 2};
    j.n_reasons = 1;
    make();
    says(0, "estimate) for several causes");
    j.reasons[1] =
        (struct job_reason){S("the GPU waits for its input"), RANK_CAUSE_INPUT, 3};
    j.n_reasons = 2;
    make();
    says(0, "estimate): rank 2 because all kernels take 15.0% longer: clock, rank 3 "
            "because the GPU waits for its input");
    says(1, "What to do: first rank 2: compare clocks");
    j.reasons[1] = (struct job_reason){S("all kernels take 9.0% longer: clock"),
                                       RANK_CAUSE_CLOCKS, 3};
    make();
    says(0,
         "estimate): rank 2 because all kernels take 15.0% longer, rank 3 because all "
         "kernels take 9.0% longer: clock");
}

/* A rank that is late in one step is not one of those that take turns. */
static void a_rank_that_is_late_once_says_when(void **state)
{
    float blame[RANKS * 10] = {[2 * 10 + 6] = 50};
    struct job_step steps[10] = {[6] = {.number = 106}};
    (void)state;
    begin();
    j.n_named = 0;
    j.is_scattered = j.is_once = true;
    j.once = 2;
    j.step_blame = blame;
    j.steps = steps;
    ranks[2].save_ns = 15 * MS;
    make();
    says(0, "Rank 2 held the others up by 1.50 ms of each step of 10.0 ms (15.0%, "
            "estimate), lost in step 106; the other steps do not show it late");
    says(1, "What to do: see what rank 2 did then; record more steps");
    j.reasons[0] =
        (struct job_reason){S("the GPU waits for its input"), RANK_CAUSE_INPUT, 2};
    j.n_reasons = 1;
    make();
    says(0, "lost in step 106, because the GPU waits for its input; the other steps");
    says(1, "What to do: give the loader more workers");
}

/* Where nobody is late, all may wait for the same. */
static void where_nobody_is_late_the_step_is_next(void **state)
{
    (void)state;
    begin();
    j.n_named = 0;
    j.ideal_ns = j.identity_ns;
    j.first_action = S("add DataLoader workers");
    make();
    says(1, "What to do: nothing about late ranks; to shorten the step itself, "
            "start with what analyze puts first on rank 0: add DataLoader workers");
}

static void lateness_now_and_then_says_how_often(void **state)
{
    float blame[RANKS * 10] = {[2 * 10 + 3] = 50, [2 * 10 + 7] = 60, [2 * 10 + 8] = 1};
    (void)state;
    begin();
    j.step_blame = blame;
    make();
    says(0, "(15.0%, estimate), lost in every 4th step, because");
    blame[2 * 10 + 8] = 40;
    make();
    says(0, "(15.0%, estimate), lost in 3 of 10 steps, because");
    for (int i = 0; i < 10; i++)
        blame[2 * 10 + i] = 50;
    make();
    says(0, "(15.0%, estimate) because");
}

/* A few long pauses of any rank: garbage collection, most likely. */
static void rare_pauses_of_any_rank_are_called_so(void **state)
{
    float blame[RANKS * 10] = {[3] = 400, [17] = 300, [35] = 350};
    struct job_fix cause = {
        .kind = FIX_CAUSE, .what = S("idle: nothing recorded"), .total_ns = 81 * MS};
    (void)state;
    begin();
    j.n_named = 0;
    j.fixes = &cause;
    j.n_fixes = 1;
    j.step_blame = blame;
    make();
    says(0, "mostly in rare pauses of their hosts in which nothing is recorded, as "
            "garbage collection makes them");
    says(1, "What to do: collect garbage on all ranks in the same step");
    for (int i = 0; i < 40; i++)
        blame[i] = 100; /* in all steps of all ranks */
    make();
    says(0, "mostly while GPUs wait for their hosts (nothing recorded)");
}

static void what_is_not_sure_may_be(void **state)
{
    (void)state;
    begin();
    j.verdict = JOB_VERDICT_LOW;
    make();
    says(0, "Rank 2 may hold the others up");
    says(2, "confidence low");
}

static void a_cause_has_its_clause(void **state)
{
    static const struct {
        const char *cause, *because, *clause;
    } cases[] = {
        {"compute", "because it computes longer", "computes longer than the others"},
        {"copy", "because its copies take longer", "97% of its lateness is copy"},
        {"idle", "because its GPU is idle", "97% of its lateness is idle"},
        {"idle: Python", "because its GPU waits for its host (Python)",
         "97% of its lateness is idle: Python"},
        {"idle: start latency", "because its GPU is idle (start latency)",
         "97% of its lateness is idle: start latency"},
        {"mixed", "for several causes",
         "no single cause covers 80% of its lateness: "
         "copies 5.00 ms, idle 2.00 ms"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        begin();
        ranks[2].cause = str_of(cases[i].cause);
        ranks[2].late.part_ns[SEGMENT_COMPUTE] = -MS; /* ahead in that */
        ranks[2].late.part_ns[SEGMENT_COPY] = 5 * MS;
        ranks[2].late.part_ns[SEGMENT_IDLE] = 2 * MS;
        make();
        says(0, cases[i].because);
        says(2, cases[i].clause);
        assert_int_equal(r.n_verdict, str_starts(ranks[2].cause, S("idle")) ? 4 : 3);
    }
}

/* Where all ranks have one: a job of mixed devices has the common word. */
static void devices_that_are_no_gpus_have_their_word(void **state)
{
    (void)state;
    begin();
    ranks[2].cause = S("idle");
    for (int i = 0; i < RANKS; i++)
        ranks[i].vendor = S("Ascend NPU");
    make();
    says(0, "because its NPU is idle");
    ranks[0].vendor = S("");
    make();
    says(0, "because its GPU is idle");
}

static void several_ranks_with_one_cause_share_a_sentence(void **state)
{
    (void)state;
    begin();
    j.n_named = 2;
    named[1] = 3;
    ranks[3] = ranks[2];
    ranks[3].rank = 3;
    ranks[3].cause_frac = 0.87;
    ranks[3].blame = 6 * MS;
    make();
    says(0, "Ranks 2 and 3 hold the others up");
    says(0, "because they compute longer");
    says(2, "Ranks 2 and 3 arrive late and cause 90% of the waiting");
    says(2, "each computes longer than the others (at least 87% of its lateness)");
    ranks[3].cause = S("copy");
    make();
    says(0, "for several causes");
    says(2, "the causes differ from rank to rank");
}

/* Experts with more than an even share: what even loads are worth counts. */
static void an_uneven_load_is_the_reason(void **state)
{
    (void)state;
    begin();
    ranks[2].load_frac = 1.6;
    j.even_ns = 70 * MS;
    make();
    says(0, "by 3.00 ms of each step");
    says(0, "because its experts get more than an even share");
    says(2, "because its experts get 60% more than an even share");
    ranks[2].load_frac = 1.09;
    make();
    says(0, "because it computes longer");
}

static void a_run_that_hardly_gains_has_no_headline(void **state)
{
    (void)state;
    begin();
    j.named_ns = 100 * MS - MS + 1; /* a hair less than 1 % */
    j.ideal_ns = 100 * MS - MS + 1;
    make();
    says(0, "it would be less than 1% shorter");
    j.ideal_ns = 99 * MS; /* all late ranks: 1 %, nearly all of it by this one */
    make();
    says(0, "Rank 2 holds the others up by 100 µs of each step of 10.0 ms (1.0%");
    j.ideal_ns = 98 * MS;
    make();
    says(0,
         "if all ranks arrived at the median time, it would take 9.80 ms, 2.0% less");
    j.ideal_ns = 100 * MS - MS + 1;
    make();
    says(1, "What to do: nothing about late ranks");
    says(3, "With rank 2 alone at the median the run would be 1.00 ms shorter (1.0%");
    j.named_ns = 99 * MS;
    make();
    says(0, "Rank 2 holds the others up");
}

static void without_a_replay_nothing_is_promised(void **state)
{
    (void)state;
    begin();
    j.whatif_shown = false;
    j.named_ns = -1;
    make();
    says(0, "is not evaluated: the replay of the recorded run does not reproduce it");
    checks("The replay gives the recorded run", true, false, "100 ms for 100 ms");
    j.no_replay = S("too many");
    make();
    says(0, "is not evaluated: too many");
    checks("The replay gives the recorded run", false, false, "too many");
}

static void one_rank_says_nothing_of_others(void **state)
{
    (void)state;
    begin();
    j.n_ranks = 1;
    j.n_named = 0;
    make();
    assert_int_equal(r.n_verdict, 2);
    says(0, "on the one rank in the data; the others are unknown");
    says(1, "What to do: add the traces of the other ranks");
    assert_false(check("Clocks agree")->evaluated);
    assert_false(check("Ranks were recorded alike")->evaluated);
}

static void nobody_late_is_said(void **state)
{
    (void)state;
    begin();
    j.n_named = 0;
    j.ideal_ns = 99500000;
    make();
    says(1, "What to do: nothing about late ranks; to shorten the step itself");
    says(2, "No rank is late enough to be named: waiting takes 10.0% of the time");
    j.has_several = false;
    make();
    says(1, "Which rank is late is unknown");
}

/* Whatever costs most is in the first sentence. */
static void what_costs_most_comes_first(void **state)
{
    static const int32_t members[] = {3, 4};
    struct job_fix cause = {
        .kind = FIX_CAUSE, .what = S("idle: garbage collection"), .total_ns = 81 * MS};
    (void)state;
    begin();
    j.n_named = 0;
    j.fixes = &cause;
    j.n_fixes = 1;
    make();
    assert_int_equal(r.n_verdict, 2);
    says(0, "Ranks take turns in being late, which costs 2.00 ms of each step of 10.0 "
            "ms (20.0%, estimate), mostly idle: garbage collection; no rank in");
    group.is_slow = true;
    group.slow_ratio = 4;
    group.ranks = members;
    group.n_ranks = 2;
    j.links_ns = 70 * MS;
    make();
    says(0,
         "Transfers between ranks 3 and 4 take 4.0 times as long as in groups that do "
         "the same, and cost 3.00 ms of each step");
    ranks[3].blame = 36 * MS;
    named[0] = 3;
    j.n_named = 1;
    j.named_ns = 95 * MS;
    make(); /* its lateness is that of its link */
    says(2, "90% of the waiting is for rank 3 (confidence high: it is late in each "
            "step), whose own transfers take longer");
    assert_int_equal(r.n_verdict, 3);
    j.n_named = 0;
    named[0] = 2;
    j.missing = missing;
    j.n_missing = 1;
    j.n_lacking = 6;
    j.lacking_ns = 50 * MS;
    j.joined_ns = 60 * MS;
    make();
    says(
        0,
        "Rank 7, which has no trace, may hold the others up by 4.00 ms of each step of "
        "10.0 ms (40.0%, estimate): 6 collectives move data only after all ranks in "
        "the data wait");
    j.bare_ns = 50 * MS;
    make();
    says(0,
         "Rank 7, which has no trace, may hold the others up by 4.00 ms to 5.00 ms of "
         "each step of 10.0 ms (40.0% to 50.0%, estimate): 6 collectives move data "
         "only after all ranks in the data wait, and none shows how long moving it "
         "takes without waiting");
    for (int i = 1; i < r.n_verdict; i++)
        assert_false(str_has(r.verdict[i], S("may be the late one")));
    begin();
    j.is_node = true;
    j.n_named = 2;
    ranks[2].node = 1;
    make();
    says(0, "The 2 ranks of node 1 (b<1>) hold the others up by 1.50 ms");
}

static void lateness_that_ends_says_when(void **state)
{
    float blame[RANKS * 10] = {0};
    struct job_step steps[10];
    (void)state;
    begin();
    for (int i = 0; i < 10; i++)
        steps[i] = (struct job_step){.number = i + 3};
    for (int i = 0; i < 5; i++)
        blame[2 * 10 + i] = 100;
    j.steps = steps;
    j.step_blame = blame;
    make();
    says(0, "(15.0%, estimate) until step 7 because");
    for (int i = 5; i < 10; i++)
        blame[2 * 10 + i] = 100;
    make();
    says(0, "(15.0%, estimate) because");
}

static void slow_links_name_their_node(void **state)
{
    (void)state;
    begin();
    suspect = (struct job_suspect){.node = 1, .ratio = 1.5, .n_slow = 3, .n_groups = 4};
    j.suspects = &suspect;
    j.n_suspects = 1;
    j.links_ns = 90 * MS;
    make();
    says(3,
         "Transfers between node 1 (b<1>) and others take 1.5 times as long as those "
         "without it: 3 of its 4 groups are slow");
    says(3, "as fast as the others, the run would be 10.0 ms shorter (10.0%");
    suspect.inside = true;
    suspect.node = 0;
    make();
    says(3,
         "Transfers within node 0 take 1.5 times as long as those within other nodes");
}

static void who_is_missing_may_be_late(void **state)
{
    (void)state;
    begin();
    j.missing = missing;
    j.n_missing = 1;
    j.n_expected = 5;
    j.has_complete = false;
    make();
    says(3, "4 of 5 ranks are in the data: rank 7 is missing");
    says(4, "Rank 7, which has no trace, may be later still");
    j.named_ns = j.ideal_ns = j.identity_ns;
    j.bare_ns = 90 * MS;
    make();
    says(0,
         "A step of the job takes 10.0 ms on 4 ranks: late ranks among these cost "
         "less than 1% of it, and rank 7, which has no trace, at most 10.0% "
         "(estimate); no collective shows how long moving data takes without waiting");
    says(1, "What to do: record the missing rank as well");
    j.named_ns = 85 * MS;
    j.ideal_ns = 80 * MS;
    j.bare_ns = -1;
    checks("All ranks have a trace", true, false,
           "1 of 5 ranks have no trace, the first of them 7");
    j.n_missing = 2;
    j.n_lacking = 6;
    j.lacking_ns = 5 * MS;
    make();
    says(3, "4 of 5 ranks are in the data: ranks 7 and 9 are missing");
    says(4, "One of the 2 ranks without a trace (7 and 9) may be the late one: 6 "
            "collectives move data only after");
    says(4, "5.00 ms longer than usual in all (5.0% of the run)");
    j.joined_ns = j.identity_ns - MS / 2; /* the run would not be 1 % shorter */
    make();
    assert_int_equal(r.n_verdict, 4);
    j.joined_ns = -1;
    make();
    checks("No rank outside the data came last", true, false, "6 collectives last");
}

static void checks_say_what_was_found(void **state)
{
    (void)state;
    begin();
    make();
    for (int i = 0; i < r.n_checks; i++)
        if (!r.checks[i].good || !r.checks[i].evaluated)
            fail_msg("%.*s: %.*s", STRF(r.checks[i].what), STRF(r.checks[i].says));
    checks("Ranks were recorded alike", true, true, "operators");
    checks("Ranks have the same steps", true, true, "10 on each rank");
    checks("Collectives of several ranks are matched", true, true, "exact 8");
}

static void checks_fail_by_what_is_counted(void **state)
{
    (void)state;
    begin();
    j.n_unread = 2;
    j.n_duplicates = 1;
    ranks[1].options = S("all");
    ranks[3].n_steps = 9;
    group.confidence = CONFIDENCE_ORDER;
    group.n_mismatched = 1;
    ranks[0].offset_ns = -2 * MS;
    j.clock_good = false;
    j.n_clock_violations = 3;
    j.free_wait_ns = 42 * MS;
    make();
    checks("All inputs can be read", true, false, "2 cannot and are left out");
    checks("One trace a rank", true, false, "1 more traces");
    checks("Ranks were recorded alike", true, false, "1 ranks");
    checks("Ranks have the same steps", true, false,
           "1 rank has fewer than the 10 steps of others, the first of them rank 3");
    checks("Collectives of several ranks are matched", true, false, "in order 8 of 8");
    checks("Members agree on kind and size", true, false, "1 member differs");
    checks("Clocks agree", true, false, "at most 2.00 ms apart");
    checks("Clocks agree", true, false, "3 of 8 ends come before the last arrival");
    checks("Waiting with and without clocks agrees", true, false, "42.0 ms by lengths");
}

/* Two per cent, or 5 us for each collective. */
static void waiting_may_differ_a_little(void **state)
{
    (void)state;
    begin();
    j.free_wait_ns = j.wait_ns + j.wait_ns / 50;
    make();
    assert_true(check("Waiting with and without clocks agrees")->good);
    j.free_wait_ns++;
    make();
    assert_false(check("Waiting with and without clocks agrees")->good);
}

/* Equal ids mean equal reports. */
static void an_id_depends_on_all_that_shows(void **state)
{
    (void)state;
    begin();
    make();
    struct str id = r.id;
    assert_int_equal(id.n, 16);
    make();
    assert_true(str_eq(id, r.id));
    assert_false(str_eq(id, job_report_make(&a, &j, S("tracefolio 2"), S("")).id));
    assert_false(str_eq(id, job_report_make(&a, &j, S("tracefolio 1"), S("x")).id));
    ranks[3].sha256 = S("cd");
    make();
    assert_false(str_eq(id, r.id));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_times_keep_every_ns),
        cmocka_unit_test(the_headline_says_who_how_much_and_why),
        cmocka_unit_test(what_is_not_sure_may_be),
        cmocka_unit_test(a_cause_has_its_clause),
        cmocka_unit_test(devices_that_are_no_gpus_have_their_word),
        cmocka_unit_test(a_compared_rank_says_why_and_what_next),
        cmocka_unit_test(ranks_of_other_causes_say_theirs),
        cmocka_unit_test(a_rank_that_is_late_once_says_when),
        cmocka_unit_test(where_nobody_is_late_the_step_is_next),
        cmocka_unit_test(lateness_now_and_then_says_how_often),
        cmocka_unit_test(rare_pauses_of_any_rank_are_called_so),
        cmocka_unit_test(several_ranks_with_one_cause_share_a_sentence),
        cmocka_unit_test(an_uneven_load_is_the_reason),
        cmocka_unit_test(a_run_that_hardly_gains_has_no_headline),
        cmocka_unit_test(without_a_replay_nothing_is_promised),
        cmocka_unit_test(one_rank_says_nothing_of_others),
        cmocka_unit_test(nobody_late_is_said),
        cmocka_unit_test(what_costs_most_comes_first),
        cmocka_unit_test(lateness_that_ends_says_when),
        cmocka_unit_test(slow_links_name_their_node),
        cmocka_unit_test(who_is_missing_may_be_late),
        cmocka_unit_test(checks_say_what_was_found),
        cmocka_unit_test(checks_fail_by_what_is_counted),
        cmocka_unit_test(waiting_may_differ_a_little),
        cmocka_unit_test(an_id_depends_on_all_that_shows),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
