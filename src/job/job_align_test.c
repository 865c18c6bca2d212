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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hidden_one_is_part_of_the_segment),
        cmocka_unit_test(an_awaited_one_ends_the_segment),
        cmocka_unit_test(ranks_agree_on_what_is_hidden),
        cmocka_unit_test(transfers_tell_how_far_clocks_are_apart),
        cmocka_unit_test(a_long_chain_of_clocks_is_joined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
