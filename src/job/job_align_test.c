#include "job/job_align.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* Two ranks and two collectives of 100 ns. The first is beside computation on one rank
 * or both, for cover_ns. */
struct case_job {
    struct arena a;
    struct job j;
    struct job_rank ranks[2];
    struct job_member rows[2][2];
    struct capture_block covers[2];
    struct job_instance instances[2];
    struct member_ref members[4];
};

static void make(struct case_job *c, int64_t cover_a_ns, int64_t cover_b_ns)
{
    int64_t cover_ns[] = {cover_a_ns, cover_b_ns};
    *c = (struct case_job){.a = arena_reserve(1 << 20)};
    for (int r = 0; r < 2; r++) {
        c->rows[r][0] = (struct job_member){.start_ns = 50, .dur_ns = 100};
        c->rows[r][1] =
            (struct job_member){.start_ns = 180, .dur_ns = 100, .instance = 1};
        c->rows[r][1].part_ns[SEGMENT_COMPUTE] = 20;
        c->rows[r][1].part_ns[SEGMENT_IDLE] = 10;
        c->covers[r] = (struct capture_block){.start_ns = 40, .dur_ns = cover_ns[r]};
        c->ranks[r].rows = c->rows[r];
        c->ranks[r].n_rows = 2;
        c->ranks[r].covers = &c->covers[r];
        c->ranks[r].n_covers = 1;
        for (int i = 0; i < 2; i++)
            c->members[2 * i + r] = (struct member_ref){r, i};
    }
    for (int i = 0; i < 2; i++) {
        c->instances[i].first_member = 2 * i;
        c->instances[i].n_members = 2;
    }
    c->j.ranks = c->ranks;
    c->j.n_ranks = 2;
    c->j.members = c->members;
    c->j.instances = c->instances;
    c->j.n_instances = 2;
}

static void assert_segment(const struct case_job *c, int rank, int64_t compute_ns,
                           int64_t other_ns)
{
    const struct job_member *m = &c->rows[rank][1];
    assert_int_equal(m->part_ns[SEGMENT_COMPUTE], compute_ns);
    assert_int_equal(m->part_ns[SEGMENT_OTHER], other_ns);
    assert_int_equal(m->part_ns[SEGMENT_IDLE], 10);
}

static void a_hidden_one_is_part_of_the_segment(void **state)
{
    struct case_job c;
    (void)state;
    make(&c, 90, 110); /* 80 and 100 of the stay */
    job_hide(c.a, &c.j);
    assert_segment(&c, 0, 20 + 80, 20);
    assert_segment(&c, 1, 20 + 100, 0);
    /* From the start of the one to the start of the other. */
    assert_int_equal(member_segment_ns(&c.rows[0][1]), 180 - 50);
}

static void an_awaited_one_ends_the_segment(void **state)
{
    struct case_job c;
    (void)state;
    make(&c, 30, 40); /* 20 and 30 of the stay */
    job_hide(c.a, &c.j);
    assert_segment(&c, 0, 20, 0);
    assert_segment(&c, 1, 20, 0);
}

static void ranks_agree_on_what_is_hidden(void **state)
{
    struct case_job c;
    (void)state;
    make(&c, 30, 110); /* the one who waits has nothing left to compute */
    job_hide(c.a, &c.j);
    assert_segment(&c, 0, 20 + 20, 80);
    assert_segment(&c, 1, 20 + 100, 0);
}

/* Two ranks that only send to each other, ten times each way; the clock of the second
 * is 70 us ahead, and a sender leaves 3 us before the receiver. */
static void transfers_tell_how_far_clocks_are_apart(void **state)
{
    enum { N = 10, AHEAD_NS = 70000, EARLY_NS = 3000 };
    static struct job_member rows[2][2 * N];
    static struct job_instance instances[2 * N];
    static struct member_ref members[4 * N];
    struct job_signature signatures[] = {{.kind = COLLECTIVE_SEND},
                                         {.kind = COLLECTIVE_RECV}};
    struct job_group group = {.n_instances = 2 * N, .n_present = 2, .size = 2};
    struct job_rank ranks[2] = {{.rank = 0}, {.rank = 1}};
    struct arena perm = arena_reserve(1 << 20), tmp = arena_reserve(1 << 20);
    struct job j = {.ranks = ranks,
                    .n_ranks = 2,
                    .groups = &group,
                    .n_groups = 1,
                    .signatures = signatures,
                    .instances = instances,
                    .n_instances = 2 * N,
                    .members = members};
    (void)state;
    for (int32_t i = 0; i < 2 * N; i++) {
        instances[i] = (struct job_instance){.first_member = 2 * i, .n_members = 2};
        for (int r = 0; r < 2; r++) {
            bool receives = r == i % 2;
            int64_t end_ns = 1000000 * (i + 1) + (receives ? EARLY_NS : 0);
            rows[r][i] = (struct job_member){.start_ns = end_ns - 100000,
                                             .dur_ns = 100000,
                                             .signature = receives,
                                             .instance = i};
            rows[r][i].start_ns += r ? AHEAD_NS : 0;
            members[2 * i + r] = (struct member_ref){r, i};
        }
    }
    for (int r = 0; r < 2; r++) {
        ranks[r].rows = rows[r];
        ranks[r].n_rows = 2 * N;
        ranks[r].end_ns = 1000000 * (2 * N + 1);
    }
    job_align(&perm, tmp, &j);
    assert_int_equal(ranks[1].offset_ns - ranks[0].offset_ns, AHEAD_NS);
    assert_int_equal(rows[0][0].start_ns - rows[1][0].start_ns, EARLY_NS);
    assert_true(j.clock_good);
    assert_int_equal(j.n_clock_checked, 2 * N);
}

/* Sixty-four stages, of which each tells the next one's clock alone, 1 ms apart. */
static void a_long_chain_of_clocks_is_joined(void **state)
{
    enum { N = 64, APART_NS = 1000000 };
    static struct job_rank ranks[N];
    static struct group_offset all[2 * (N - 1)];
    struct arena tmp = arena_reserve(1 << 20);
    struct job j = {.ranks = ranks, .n_ranks = N};
    (void)state;
    for (int i = 0; i < N - 1; i++) /* tight and loose ones in turn */
        for (int k = 0; k < 2; k++)
            all[2 * i + k] = (struct group_offset){
                i + k, i, k ? APART_NS / 2 : -APART_NS / 2, i % 2 ? 10 : 20000, 8};
    join_offsets(tmp, &j, all, 2 * (N - 1), N - 1);
    for (int i = 1; i < N; i++)
        assert_in_range(ranks[i].offset_ns - ranks[i - 1].offset_ns, APART_NS - 2,
                        APART_NS + 2);
}

static void from_half_of_a_stay_on_it_is_hidden(void **state)
{
    struct case_job c;
    (void)state;
    make(&c, 30, 60); /* of the second rank's, 50 of 100 */
    job_hide(c.a, &c.j);
    assert_segment(&c, 1, 20 + 50, 30 + 20);
    make(&c, 30, 59);
    job_hide(c.a, &c.j);
    assert_segment(&c, 1, 20, 0);
}

static void half_of_the_middle_is_the_spread(void **state)
{
    int64_t eight[] = {70, 0, 10, 60, 20, 50, 30, 40}, four[] = {10, 1, 2, 3},
            two[] = {9, 4}, one[] = {5};
    (void)state;
    assert_int_equal(spread_of(eight, 8), 60 - 20);
    assert_int_equal(spread_of(four, 4), 10 - 2);
    assert_int_equal(spread_of(two, 2), 5);
    assert_int_equal(spread_of(one, 1), 0);
}

/* Eight all-reduces of 32 KiB are enough, or sixteen of any size; else whatever all
 * leave together, or late. */
static void anchors_are_what_all_leave_together(void **state)
{
    enum { LARGE, SMALL, ALONE, GATHER, SEND, KINDS, MOST = 32 };
    static const struct {
        int n[KINDS];       /* how many of each */
        int anchors[KINDS]; /* and how many are anchors */
        bool loose;
    } cases[] = {{{8, 2, 0, 3, 1}, {8, 0, 0, 0, 0}, false},
                 {{7, 8, 3, 3, 1}, {7, 8, 0, 3, 0}, true},
                 {{7, 9, 0, 3, 1}, {7, 9, 0, 0, 0}, false},
                 {{0, 15, 9, 1, 0}, {0, 15, 0, 1, 0}, true},
                 {{0, 16, 0, 1, 0}, {0, 16, 0, 0, 0}, false}};
    static const struct job_signature signatures[] = {
        [LARGE] = {.kind = COLLECTIVE_ALL_REDUCE, .bytes = 32768},
        [SMALL] = {.kind = COLLECTIVE_ALL_REDUCE, .bytes = 32767},
        [ALONE] = {.kind = COLLECTIVE_ALL_REDUCE, .bytes = 32768},
        [GATHER] = {.kind = COLLECTIVE_ALL_GATHER, .bytes = 32768},
        [SEND] = {.kind = COLLECTIVE_SEND, .bytes = 32768}};
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct job_instance x[MOST];
        uint8_t is_anchor[MOST] = {0};
        bool is_loose = false;
        int32_t n = 0;
        for (int k = 0; k < KINDS; k++)
            for (int i = 0; i < cases[c].n[k]; i++)
                x[n++] = (struct job_instance){.signature = k,
                                               .n_members = k == ALONE ? 1 : 2};
        struct job_group g = {.n_instances = n};
        struct job j = {.groups = &g,
                        .instances = x,
                        .signatures = (struct job_signature *)(uintptr_t)signatures};
        struct aligner al = {.j = &j, .is_anchor = is_anchor, .is_loose = &is_loose};
        choose_anchors(&al, 0);
        int found[KINDS] = {0};
        for (int32_t i = 0; i < n; i++)
            found[x[i].signature] += is_anchor[i];
        for (int k = 0; k < KINDS; k++)
            assert_int_equal(found[k], cases[c].anchors[k]);
        assert_int_equal(is_loose, cases[c].loose);
    }
}

/* Three ranks of n all-reduces, 10 ms apart, that all leave together: by the clock of
 * the last, which is ahead and gains. */
enum { ANCHORS = 60, RANKS = 3 };
struct clocks {
    struct arena perm, tmp;
    struct job j;
    struct job_rank ranks[RANKS];
    struct job_member rows[RANKS][ANCHORS];
    struct job_instance instances[ANCHORS];
    struct member_ref members[RANKS * ANCHORS];
    struct job_signature signature;
    struct job_group group;
};

static void align(struct clocks *c, int n, int64_t ahead_ns, double gain)
{
    *c = (struct clocks){.perm = arena_reserve(1 << 20), .tmp = arena_reserve(1 << 20)};
    c->signature =
        (struct job_signature){.kind = COLLECTIVE_ALL_REDUCE, .bytes = 1 << 20};
    c->group = (struct job_group){.n_instances = n, .n_present = RANKS, .size = RANKS};
    for (int32_t i = 0; i < n; i++) {
        c->instances[i] =
            (struct job_instance){.first_member = RANKS * i, .n_members = RANKS};
        for (int r = 0; r < RANKS; r++) {
            int64_t at_ns = INT64_C(10000000) * i;
            int64_t off_ns = r == 2 ? ahead_ns + llround(gain * (double)at_ns) : 0;
            c->rows[r][i] = (struct job_member){
                .start_ns = at_ns + off_ns, .dur_ns = 100000, .instance = i};
            c->members[RANKS * i + r] = (struct member_ref){r, i};
        }
    }
    for (int r = 0; r < RANKS; r++)
        c->ranks[r] =
            (struct job_rank){.rank = r, .rows = c->rows[r], .n_rows = n, .end_ns = 1};
    c->j = (struct job){.ranks = c->ranks,
                        .n_ranks = RANKS,
                        .groups = &c->group,
                        .n_groups = 1,
                        .signatures = &c->signature,
                        .instances = c->instances,
                        .n_instances = n,
                        .members = c->members};
    job_align(&c->perm, c->tmp, &c->j);
}

static void a_clock_is_put_right_from_2_us_on(void **state)
{
    static struct clocks c;
    (void)state;
    align(&c, 10, 2001, 0);
    assert_int_equal(c.ranks[2].offset_ns, 2001);
    assert_true(c.ranks[2].clock_applied);
    assert_int_equal(c.ranks[2].n_anchors, 10);
    assert_int_equal(c.rows[2][9].start_ns, 90000000);
    assert_false(c.ranks[1].clock_applied);
    align(&c, 10, -2001, 0);
    assert_int_equal(c.rows[2][9].start_ns, 90000000);
    align(&c, 10, 2000, 0);
    assert_int_equal(c.ranks[2].offset_ns, 2000);
    assert_false(c.ranks[2].clock_applied);
    assert_int_equal(c.rows[2][9].start_ns, 90002000);
}

/* 20 millionths of 590 ms are 11.8 us, 8 of them 4.7: below 5 us is none, and so is it
 * by fewer than fifty ends. */
static void a_clock_that_gains_is_slowed(void **state)
{
    static struct clocks c;
    (void)state;
    align(&c, ANCHORS, 0, 20e-6);
    assert_true(fabs(c.ranks[2].drift_ppm - 20) < 0.1);
    assert_true(c.ranks[2].clock_applied);
    for (int i = 0; i < ANCHORS; i += 59)
        assert_in_range(c.rows[2][i].start_ns + 100 - c.rows[0][i].start_ns, 0, 200);
    align(&c, ANCHORS, 0, 8e-6);
    assert_true(c.ranks[2].drift_ppm == 0);
    align(&c, 50, 0, 20e-6);
    assert_true(fabs(c.ranks[2].drift_ppm - 20) < 0.1);
    align(&c, 49, 0, 20e-6);
    assert_true(c.ranks[2].drift_ppm == 0);
}

/* An offset is sure from three spreads on, or of many that leave together from three by
 * the root of their number. */
static void offsets_within_their_spread_are_none(void **state)
{
    struct job_rank ranks[] = {{.spread_ns = 2000, .n_anchors = 4},
                               {.spread_ns = 600, .n_anchors = 4}};
    struct job j = {.ranks = ranks};
    bool strict[] = {false, false};
    struct aligner al = {.j = &j, .has_strict = strict};
    (void)state;
    assert_int_equal(least_offset_ns(&al, 0), 6000);
    assert_int_equal(least_offset_ns(&al, 1), 2000);
    assert_int_equal(tolerance_ns(&ranks[0]), 6000);
    assert_int_equal(tolerance_ns(&(struct job_rank){.spread_ns = 300}), 1000);
    strict[0] = true;
    assert_int_equal(least_offset_ns(&al, 0), 3000);
}

/* The first of two leaves `early` before the other comes: 1 us is as good as together.
 * One in a hundred may. */
static void nobody_leaves_before_the_last_has_come(void **state)
{
    enum { N = 50 };
    static const struct {
        int64_t early_ns;
        int n, violations;
        bool good;
    } cases[] = {{1000, 9, 0, true}, {1001, 1, 1, true}, {1001, 2, 2, false}};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct job_member rows[2][N];
        struct job_instance x[N];
        struct member_ref members[2 * N];
        struct job_rank ranks[] = {{.rows = rows[0]}, {.rows = rows[1]}};
        struct job_signature s = {.kind = COLLECTIVE_BARRIER};
        for (int i = 0; i < N; i++) {
            int64_t by_ns = i < cases[k].n ? cases[k].early_ns : 0;
            rows[0][i] = (struct job_member){.start_ns = 0, .dur_ns = 5000 - by_ns};
            rows[1][i] = (struct job_member){.start_ns = 5000, .dur_ns = 100};
            x[i] = (struct job_instance){.first_member = 2 * i, .n_members = 2};
            members[2 * i] = (struct member_ref){0, i};
            members[2 * i + 1] = (struct member_ref){1, i};
        }
        struct job j = {.ranks = ranks,
                        .n_ranks = 2,
                        .signatures = &s,
                        .instances = x,
                        .n_instances = N,
                        .members = members};
        check_causality(&j);
        assert_int_equal(j.n_clock_checked, 2 * N);
        assert_int_equal(j.n_clock_violations, cases[k].violations);
        assert_int_equal(ranks[0].n_violations, cases[k].violations);
        assert_int_equal(j.clock_good, cases[k].good);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hidden_one_is_part_of_the_segment),
        cmocka_unit_test(an_awaited_one_ends_the_segment),
        cmocka_unit_test(ranks_agree_on_what_is_hidden),
        cmocka_unit_test(transfers_tell_how_far_clocks_are_apart),
        cmocka_unit_test(a_long_chain_of_clocks_is_joined),
        cmocka_unit_test(from_half_of_a_stay_on_it_is_hidden),
        cmocka_unit_test(half_of_the_middle_is_the_spread),
        cmocka_unit_test(anchors_are_what_all_leave_together),
        cmocka_unit_test(a_clock_is_put_right_from_2_us_on),
        cmocka_unit_test(a_clock_that_gains_is_slowed),
        cmocka_unit_test(offsets_within_their_spread_are_none),
        cmocka_unit_test(nobody_leaves_before_the_last_has_come),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
