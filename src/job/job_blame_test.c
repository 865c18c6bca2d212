#include "job/job_blame.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena_case.h"

enum { US = 1000, RANKS = 3, CALLS = 4 };

/* Three ranks, all-reduces one after the other; of each the arrivals in us, by rank,
 * and the end of all. */
static struct job_member rows[RANKS][CALLS];
static struct job_rank ranks[RANKS];
static struct rank_step steps[RANKS][CALLS];
static struct job_group group;
static struct job_signature signature;
static struct job_instance instances[CALLS];
static struct member_ref members[CALLS * RANKS];
static struct job j;

static void begin(int n, const int64_t arrival_us[][RANKS], const int64_t *end_us)
{
    memset(rows, 0, sizeof rows);
    memset(ranks, 0, sizeof ranks);
    group = (struct job_group){.size = RANKS, .n_present = RANKS};
    signature = (struct job_signature){.kind = COLLECTIVE_ALL_REDUCE, .bytes = 1024};
    for (int i = 0; i < n; i++) {
        instances[i] = (struct job_instance){.step = -1,
                                             .first_member = RANKS * i,
                                             .n_members = RANKS,
                                             .is_complete = true};
        for (int k = 0; k < RANKS; k++) {
            int64_t start_ns = arrival_us[i][k] * US;
            int64_t before_ns = i ? end_us[i - 1] * US : 0;
            rows[k][i] = (struct job_member){.start_ns = start_ns,
                                             .dur_ns = end_us[i] * US - start_ns,
                                             .instance = i};
            rows[k][i].part_ns[SEGMENT_COMPUTE] = start_ns - before_ns;
            members[RANKS * i + k] = (struct member_ref){k, i};
        }
    }
    for (int k = 0; k < RANKS; k++)
        ranks[k] = (struct job_rank){
            .rank = k, .rows = rows[k], .n_rows = n, .end_ns = end_us[n - 1] * US};
    j = (struct job){.ranks = ranks,
                     .n_ranks = RANKS,
                     .groups = &group,
                     .n_groups = 1,
                     .signatures = &signature,
                     .n_signatures = 1,
                     .instances = instances,
                     .n_instances = n,
                     .members = members,
                     .n_members = RANKS * n,
                     .options = {.first_step = -1}};
}

static void make(void)
{
    struct arena perm = a, tmp = arena_first_half(&perm);
    job_blame(&perm, tmp, &j);
}

/* Arrivals at 0, 10 and 40: while one waits for two, each of these is charged half of
 * it, 5; then two wait 30 for one, 60. All in all 70, as 40 + 30 are waited. Then at
 * 60, 62 and 70: 1 each, and 16. */
static void blame_adds_up_to_waiting(void **state)
{
    (void)state;
    begin(2, (const int64_t[][RANKS]){{0, 10, 40}, {60, 62, 70}},
          (const int64_t[]){50, 80});
    ranks[1].start_ns = 4 * US;
    make();
    static const int64_t blame_us[] = {0, 6, 82}, waited_us[] = {50, 38, 0};
    assert_int_equal(j.wait_ns, 88 * US);
    assert_int_equal(rows[1][0].part_ns[SEGMENT_IDLE], 4 * US);
    for (int k = 0; k < RANKS; k++) {
        assert_int_equal(ranks[k].blame_ns, blame_us[k] * US);
        assert_int_equal(ranks[k].waited_ns, waited_us[k] * US);
        assert_int_equal(ranks[k].n_last, k == 2 ? 2 : 0);
        assert_int_equal(ranks[k].n_first, k == 0 ? 2 : 0);
    }
    assert_int_equal(ranks[2].marginal_ns, 38 * US);
    assert_int_equal(j.free_wait_ns, 88 * US); /* the same by lengths alone */
    assert_int_equal(instances[0].last_rank, 2);
    assert_int_equal(instances[0].min_dur_ns, 10 * US);
    assert_int_equal(j.step_ns, 80 * US); /* without steps: the run */
}

/* 30 of its 40 it waited in other groups: only a quarter of its blame is its own. */
static void what_others_made_late_is_not_its_own(void **state)
{
    (void)state;
    begin(1, (const int64_t[][RANKS]){{0, 10, 40}}, (const int64_t[]){50});
    rows[2][0].part_ns[SEGMENT_COMPUTE] = 10 * US;
    rows[2][0].part_ns[SEGMENT_OTHER] = 30 * US;
    make();
    assert_true(fabs(ranks[2].blame - 65 * US) < 1e-6);
    assert_true(fabs(ranks[2].own_blame - 65.0 * US / 4) < 1e-6);
    assert_true(fabs(ranks[1].own_blame - 5 * US) < 1e-6);
    assert_true(ranks[0].own_blame == 0);
}

/* Of two that come last together, the one that by_arrival has last. */
static void of_equal_arrivals_the_latter_is_last(void **state)
{
    (void)state;
    begin(1, (const int64_t[][RANKS]){{0, 40, 40}}, (const int64_t[]){50});
    make();
    assert_int_equal(by_arrival(&a, &j, &instances[0])[2].row, 2);
    assert_int_equal(instances[0].last_rank, 2);
    assert_int_equal(ranks[1].blame_ns, 20 * US);
    assert_int_equal(ranks[2].blame_ns, 20 * US);
}

/* Parts of a ns are given out whole, to the largest first, or taken from all. */
static void whole_ns_add_up(void **state)
{
    static const double blame[RANKS] = {9.1, 7.6, 5.3};
    static const int64_t waits_ns[] = {22, 21, 18},
                         want[][RANKS] = {{9, 8, 5}, {9, 7, 5}, {8, 6, 4}};
    (void)state;
    for (int i = 0; i < 3; i++) {
        begin(1, (const int64_t[][RANKS]){{0, 0, 0}}, (const int64_t[]){50});
        for (int k = 0; k < RANKS; k++)
            ranks[k].blame = blame[k];
        j.wait_ns = waits_ns[i];
        round_blame(a, &j);
        for (int k = 0; k < RANKS; k++)
            assert_int_equal(ranks[k].blame_ns, want[i][k]);
    }
}

/* The first collective of a recording counts for nobody, unless asked for. */
static void the_start_of_a_recording_counts_apart(void **state)
{
    (void)state;
    for (int asked = 0; asked < 2; asked++) {
        begin(1, (const int64_t[][RANKS]){{0, 10, 40}}, (const int64_t[]){50});
        instances[0].is_start = true;
        j.options.with_start = asked;
        make();
        assert_int_equal(j.start_wait_ns, asked ? 0 : 70 * US);
        assert_int_equal(j.wait_ns, asked ? 70 * US : 0);
    }
}

/* Nobody is last by less than three times what its clock is unsure of. */
static void an_unsure_clock_makes_nobody_last(void **state)
{
    (void)state;
    for (int sure = 0; sure < 2; sure++) {
        begin(1, (const int64_t[][RANKS]){{0, 10, 40}}, (const int64_t[]){50});
        ranks[2].spread_ns = 40 * US / 3 + !sure;
        make();
        assert_int_equal(ranks[2].n_last, sure);
        assert_int_equal(ranks[2].blame_ns, 65 * US);
    }
}

/* Sends end on their own, so that lengths alone say nothing of them; nor does a
 * broadcast wait for all. */
static void some_kinds_need_clocks(void **state)
{
    static const struct {
        enum collective_kind kind;
        bool waits, is_clear; /* with clocks, without */
    } kinds[] = {
        {COLLECTIVE_ALL_REDUCE, true, true},     {COLLECTIVE_BARRIER, true, true},
        {COLLECTIVE_REDUCE_SCATTER, true, true}, {COLLECTIVE_ALL_GATHER, true, true},
        {COLLECTIVE_ALL_TO_ALL, true, true},     {COLLECTIVE_COALESCED, true, true},
        {COLLECTIVE_ALL_TO_ALL_V, true, false},  {COLLECTIVE_SEND, true, false},
        {COLLECTIVE_RECV, true, false},          {COLLECTIVE_BROADCAST, false, false}};
    (void)state;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (int is_free = 0; is_free < 2; is_free++) {
            bool want = is_free ? kinds[k].is_clear : kinds[k].waits;
            begin(1, (const int64_t[][RANKS]){{0, 10, 40}}, (const int64_t[]){50});
            signature.kind = kinds[k].kind;
            j.clock_free = is_free;
            make();
            assert_int_equal(instances[0].is_decomposed, want);
            assert_int_equal(j.wait_ns, want ? 70 * US : 0);
        }
}

static void instances_are_in_the_order_of_time(void **state)
{
    (void)state;
    begin(3, (const int64_t[][RANKS]){{0, 1, 2}, {200, 201, 202}, {100, 101, 102}},
          (const int64_t[]){10, 210, 110});
    make();
    assert_int_equal(j.by_time[0], 0);
    assert_int_equal(j.by_time[1], 2);
    assert_int_equal(j.by_time[2], 1);
}

/* Steps 1 and 3 are on all ranks; 2 is on two of them. The slowest of 3 is rank 1. */
static void steps_are_those_of_all_ranks(void **state)
{
    (void)state;
    begin(1, (const int64_t[][RANKS]){{0, 10, 40}}, (const int64_t[]){50});
    for (int k = 0; k < RANKS; k++) {
        int n = 0;
        for (int number = 1; number <= 3; number++)
            if (number != 2 || k != 1)
                steps[k][n++] = (struct rank_step){
                    .start_ns = 100 * US * number,
                    .end_ns = 100 * US * number + 50 * US + (k == 1 ? 9 * US : 0),
                    .number = number,
                    .of = -1};
        ranks[k].steps = steps[k];
        ranks[k].n_steps = n;
    }
    make();
    assert_int_equal(j.n_steps, 2);
    assert_int_equal(j.steps[0].number, 1);
    assert_int_equal(j.steps[1].number, 3);
    assert_int_equal(j.steps[1].slowest, 1);
    assert_int_equal(j.steps[1].dur_ns, 59 * US);
    assert_int_equal(ranks[0].step_at[1], 2); /* its third */
    assert_int_equal(ranks[1].step_at[1], 1);
    assert_int_equal(steps[0][1].of, -1);
}

/* A collective that lacks a rank outside the data and lasts 30 us longer than those
 * that are complete: who is not there came last. */
static void someone_outside_the_data_came_last(void **state)
{
    (void)state;
    for (int longer = 0; longer < 2; longer++) {
        int64_t end_us = longer ? 1000 + 131 : 1000 + 120;
        begin(2, (const int64_t[][RANKS]){{0, 0, 0}, {1000, 1000, 1000}},
              (const int64_t[]){100, end_us});
        group.size = RANKS + 1;
        instances[1].is_complete = false;
        make();
        assert_int_equal(j.n_lacking, longer);
        assert_int_equal(j.lacking_ns, longer ? 31 * US : 0);
        assert_int_equal(instances[1].lacks_last, longer);
        assert_false(instances[1].may_lack_last); /* transfers are known */
    }
}

/* Nowhere are all ranks of the group: stays of 100 and 108 us are usual, 104, from
 * which 400 us stand out. */
static void the_shortest_stays_are_usual(void **state)
{
    (void)state;
    begin(3,
          (const int64_t[][RANKS]){{0, 0, 0}, {1000, 1000, 1000}, {2000, 2000, 2000}},
          (const int64_t[]){100, 1108, 2400});
    group.size = RANKS + 1;
    for (int i = 0; i < 3; i++)
        instances[i].is_complete = false;
    make();
    assert_int_equal(j.n_lacking, 1);
    assert_int_equal(j.usual_ns[0], 104 * US);
    assert_int_equal(j.lacking_ns, 296 * US);
    for (int i = 0; i < 3; i++) /* the shortest may wait as well */
        assert_true(instances[i].may_lack_last);
}

/* Of a second group, as large, one rank is in the data: ranks of the first stay 110 us
 * in the mean, and it stays that long (its partner may come last as often), or much
 * longer. */
static void a_rank_alone_waits_for_who_is_not_there(void **state)
{
    (void)state;
    for (int longer = 0; longer < 2; longer++) {
        int64_t end_us = longer ? 3200 : 3115;
        begin(
            4,
            (const int64_t[][RANKS]){
                {0, 0, 0}, {1000, 1000, 1030}, {2000, 2000, 2000}, {3000, 3000, 3000}},
            (const int64_t[]){100, 1120, 2100, end_us});
        struct job_group both[] = {group, group};
        struct job_signature two[] = {signature, signature};
        both[0].n_instances = 3;
        both[1].first_instance = 3;
        both[1].n_instances = both[1].n_present = 1;
        two[1].group = instances[3].group = instances[3].signature = 1;
        instances[3].n_members = 1;
        instances[3].is_complete = false;
        j.groups = both;
        j.signatures = two;
        j.n_groups = j.n_signatures = 2;
        make();
        assert_int_equal(j.n_lacking, longer);
        assert_int_equal(instances[3].lacks_last, longer);
        assert_true(!longer || (j.lacking_ns > 90 * US && j.lacking_ns < 100 * US));
    }
}

/* Ten steps of two all-reduces: all have 100 us, but the first of each step 140. One
 * that is shorter in two steps, or is longer by no more than what runs beside it may
 * make it, is none that lacks a rank in each step. */
static void in_each_step_it_lacks_the_same(void **state)
{
    enum { STEPS = 10 };
    static const struct {
        int64_t first_us;
        int n_short;
        bool want;
    } cases[] = {{140, 0, true}, {140, 1, true}, {140, 2, false}, {125, 0, false}};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct job_instance of[2 * STEPS] = {0};
        struct job_group lacks = {.size = 4, .n_present = 3, .n_instances = 2 * STEPS};
        int32_t class = 0;
        int64_t usual_ns = 100 * US;
        struct job own = {.instances = of, .groups = &lacks, .n_groups = 1};
        for (int i = 0; i < 2 * STEPS; i++) {
            bool first = i % 2 == 0 && i / 2 >= cases[k].n_short;
            of[i] = (struct job_instance){.step = i / 2,
                                          .is_decomposed = true,
                                          .min_dur_ns =
                                              (first ? cases[k].first_us : 100) * US,
                                          .lacks_last = first};
            own.lacking_ns += of[i].min_dur_ns - usual_ns;
        }
        assert_int_equal(is_lacking_regular(a, &own, &class, &usual_ns), cases[k].want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blame_adds_up_to_waiting),
        cmocka_unit_test(what_others_made_late_is_not_its_own),
        cmocka_unit_test(of_equal_arrivals_the_latter_is_last),
        cmocka_unit_test(whole_ns_add_up),
        cmocka_unit_test(the_start_of_a_recording_counts_apart),
        cmocka_unit_test(an_unsure_clock_makes_nobody_last),
        cmocka_unit_test(some_kinds_need_clocks),
        cmocka_unit_test(instances_are_in_the_order_of_time),
        cmocka_unit_test(steps_are_those_of_all_ranks),
        cmocka_unit_test(someone_outside_the_data_came_last),
        cmocka_unit_test(the_shortest_stays_are_usual),
        cmocka_unit_test(a_rank_alone_waits_for_who_is_not_there),
        cmocka_unit_test(in_each_step_it_lacks_the_same),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
