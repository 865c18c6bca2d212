#include "job/job_match.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* More than the lower bits of a key that a number once had room for. */
enum { ROOM = 1 << 20, MANY = ROOM + 2 };

static struct arena perm, tmp;
static char *starts[2];
static struct job_signature signature;
static struct job_group group;
static struct job_rank ranks[2];
static struct job j;
static int32_t members[] = {0, 1};

/* One group of two ranks; `n` rows of each. */
static void begin(enum collective_kind kind, int32_t n)
{
    perm = arena_reserve((ptrdiff_t)1 << 30);
    tmp = arena_reserve((ptrdiff_t)1 << 30);
    starts[0] = perm.at;
    starts[1] = tmp.at;
    signature = (struct job_signature){.kind = kind};
    group =
        (struct job_group){.size = 2, .n_present = 2, .ranks = members, .n_ranks = 2};
    j = (struct job){.signatures = &signature,
                     .groups = &group,
                     .n_groups = 1,
                     .ranks = ranks,
                     .n_ranks = 2};
    for (int i = 0; i < 2; i++) {
        ranks[i] = (struct job_rank){
            .rank = i, .n_rows = n, .rows = arena_new(&perm, struct job_member, n)};
        group.n_members += n;
        for (int32_t k = 0; k < n; k++)
            ranks[i].rows[k] = (struct job_member){.instance = -1, .sequence = -1};
    }
}

static void end(void)
{
    arena_release(starts[0], &perm);
    arena_release(starts[1], &tmp);
}

static void numbers_say_which_are_one(void **state)
{
    static const int32_t numbers[2][4] = {{3, 4, 4, 6}, {4, 4, 5, 6}};
    (void)state;
    begin(COLLECTIVE_ALL_REDUCE, 4);
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 4; k++)
            ranks[i].rows[k].sequence = numbers[i][k];
    job_match(&perm, tmp, &j);
    assert_int_equal(group.confidence, CONFIDENCE_EXACT);
    assert_int_equal(j.n_instances, 5); /* 3, 4, 4 again, 6, 5 */
    assert_int_equal(ranks[0].rows[1].instance, ranks[1].rows[0].instance);
    assert_int_equal(ranks[0].rows[2].instance, ranks[1].rows[1].instance);
    assert_int_equal(ranks[0].rows[3].instance, ranks[1].rows[3].instance);
    assert_int_not_equal(ranks[0].rows[0].instance, ranks[1].rows[0].instance);
    assert_int_equal(j.n_members, 8);
    assert_true(j.has_several);
    end();
}

/* Many kernels of one number, then another number. */
static void one_number_has_any_count_of_kernels(void **state)
{
    (void)state;
    begin(COLLECTIVE_ALL_REDUCE, MANY);
    ranks[1].n_rows = 1;
    for (int32_t k = 0; k < MANY; k++)
        ranks[0].rows[k].sequence = k == MANY - 1;
    ranks[1].rows[0].sequence = 1;
    job_match(&perm, tmp, &j);
    assert_int_equal(j.n_instances, MANY);
    assert_int_not_equal(ranks[0].rows[0].instance, ranks[0].rows[ROOM].instance);
    assert_int_equal(ranks[1].rows[0].instance, ranks[0].rows[MANY - 1].instance);
    end();
}

static void a_pair_has_any_count_of_sends(void **state)
{
    (void)state;
    begin(COLLECTIVE_SEND, MANY);
    ranks[1].n_rows = 0;
    job_match(&perm, tmp, &j);
    assert_int_equal(group.confidence, CONFIDENCE_ORDER);
    assert_int_equal(j.n_instances, MANY);
    assert_int_not_equal(ranks[0].rows[0].instance, ranks[0].rows[ROOM].instance);
    end();
}

/* The k-th that one sends is the k-th that the other receives. */
static void sends_meet_receives(void **state)
{
    static struct job_signature both[2] = {{.kind = COLLECTIVE_SEND},
                                           {.kind = COLLECTIVE_RECV}};
    (void)state;
    begin(COLLECTIVE_SEND, 3);
    j.signatures = both;
    for (int k = 0; k < 3; k++)
        ranks[1].rows[k].signature = 1;
    job_match(&perm, tmp, &j);
    assert_int_equal(j.n_instances, 3);
    for (int k = 0; k < 3; k++)
        assert_int_equal(ranks[0].rows[k].instance, ranks[1].rows[k].instance);
    end();
}

/* Two streams: ranks come to the two in either order, and leave each together. */
static void ends_say_which_are_one_on_several_streams(void **state)
{
    enum { PAIRS = 20 };
    static struct job_signature both[2] = {{.kind = COLLECTIVE_ALL_GATHER},
                                           {.kind = COLLECTIVE_REDUCE_SCATTER}};
    (void)state;
    begin(COLLECTIVE_ALL_GATHER, 2 * PAIRS);
    j.signatures = both;
    j.n_signatures = 2;
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < PAIRS; k++)
            for (int of = 0; of < 2; of++) {
                bool other = i && k % 3 == 1; /* the second comes first here */
                struct job_member *m = &ranks[i].rows[2 * k + (other ? !of : of)];
                int64_t at = INT64_C(1000000) * k + 7000 * k * k;
                m->signature = of;
                m->start_ns = at + (other ? !of : of);
                m->dur_ns = at + 300000 + (50000 + 9000 * k) * of - m->start_ns;
            }
    job_match(&perm, tmp, &j);
    assert_int_equal(j.n_instances, 2 * PAIRS);
    assert_int_equal(j.n_members, 4 * PAIRS);
    assert_int_equal(group.n_unmatched, 0);
    assert_int_equal(ranks[0].rows[2].instance, ranks[1].rows[3].instance);
    assert_int_equal(group.confidence, CONFIDENCE_VERIFIED);
    end();
}

static void one_number_for_all_tells_nothing(void **state)
{
    (void)state;
    begin(COLLECTIVE_ALL_REDUCE, 4);
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 4; k++) {
            ranks[i].rows[k].sequence = 7;
            ranks[i].rows[k].start_ns = 1000000 * k * (k + 1);
            ranks[i].rows[k].dur_ns = 1000;
        }
    job_match(&perm, tmp, &j);
    assert_int_not_equal(group.confidence, CONFIDENCE_EXACT);
    assert_int_equal(j.n_instances, 4);
    end();
}

/* The middle difference for one shift, from the rows alone. */
static int64_t middle_of_shift(const struct lane *a, const struct lane *b, int by)
{
    int64_t ns[DISTANCES_MAX];
    int32_t n = 0;
    for (int32_t i = by < 0 ? -by : 0;
         n < DISTANCES_MAX && i + 1 < a->n && i + 1 + by < b->n; i++)
        ns[n++] = llabs(lane_end_ns(&j, a, i + 1) - lane_end_ns(&j, a, i) -
                        lane_end_ns(&j, b, i + 1 + by) + lane_end_ns(&j, b, i + by));
    return n < 2 ? -1 : median_ns(ns, n);
}

/* Most shifts are ruled out before their middle is searched for: the two that leave
 * least are those that all middles tell, in short lanes and in long ones. */
static void shifts_are_those_of_all_middles(void **state)
{
    enum { ROWS = 3 * NEAR_ROWS };
    uint64_t random = 1;
    (void)state;
    begin(COLLECTIVE_ALL_REDUCE, ROWS);
    int32_t *at = arena_new(&perm, int32_t, ROWS);
    for (int32_t k = 0; k < ROWS; k++)
        at[k] = k;
    for (int round = 0; round < 60; round++) {
        int32_t n[] = {round % 2 ? ROWS : 2 + round, round % 3 ? ROWS : 3 + round};
        int lacks = round % 7;
        for (int32_t k = 0; k < ROWS; k++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            int64_t ns = (int64_t)(random >> 52) * (round % 5 ? 1 : 1000) + 1;
            ranks[0].rows[k].start_ns = k ? ranks[0].rows[k - 1].start_ns + ns : 0;
        }
        for (int32_t k = 0; k < ROWS; k++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            ranks[1].rows[k].start_ns =
                ranks[0].rows[k + lacks < ROWS ? k + lacks : k].start_ns +
                (int64_t)(random >> (50 + round % 9));
        }
        struct lane a = {0, n[0], at}, b = {1, n[1], at};
        struct shift got = lanes_shift(&j, &a, &b);
        int64_t best_ns = -1, second_ns = -1;
        for (int by = -SHIFT_MAX; by <= SHIFT_MAX; by++) {
            int64_t ns = middle_of_shift(&a, &b, by);
            if (ns >= 0 && (best_ns < 0 || ns < best_ns)) {
                second_ns = best_ns;
                best_ns = ns;
            } else if (ns >= 0 && (second_ns < 0 || ns < second_ns)) {
                second_ns = ns;
            }
        }
        assert_int_equal(got.best_ns, best_ns);
        assert_int_equal(got.second_ns, second_ns);
        assert_true(best_ns < 0 || middle_of_shift(&a, &b, got.by) == best_ns);
    }
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_say_which_are_one),
        cmocka_unit_test(one_number_has_any_count_of_kernels),
        cmocka_unit_test(a_pair_has_any_count_of_sends),
        cmocka_unit_test(sends_meet_receives),
        cmocka_unit_test(ends_say_which_are_one_on_several_streams),
        cmocka_unit_test(shifts_are_those_of_all_middles),
        cmocka_unit_test(one_number_for_all_tells_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
