#include "job/job_groups.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { RANKS = 4, ROWS = 24 };

/* On stream 7 ranks 0 and 2, 1 and 3 leave together; on stream 9 all do, if asked. */
struct case_job {
    struct arena a, tmp;
    struct job j;
    struct job_rank ranks[RANKS];
    struct job_member rows[RANKS][ROWS];
};

static void make(struct case_job *c, bool two_streams, int apart_ns)
{
    *c = (struct case_job){.a = arena_reserve(1 << 20), .tmp = arena_reserve(1 << 22)};
    c->j = (struct job){.ranks = c->ranks, .n_ranks = RANKS};
    arena_grow(&c->a, c->j.groups, c->j.n_groups);
    c->j.groups[c->j.n_groups++] =
        (struct job_group){.size = RANKS, .n_present = RANKS};
    arena_grow(&c->a, c->j.signatures, c->j.n_signatures);
    c->j.signatures[c->j.n_signatures++] =
        (struct job_signature){.kind = COLLECTIVE_ALL_REDUCE, .bytes = -1};
    for (int r = 0; r < RANKS; r++) {
        for (int k = 0; k < ROWS; k++) {
            bool other = two_streams && k % 3 == 2;
            int64_t at_ns = 1000000 * k + 7000 * (k * k % 11) +
                            (other ? 0 : r % 2 * apart_ns * (k % 5));
            c->rows[r][k] = (struct job_member){.start_ns = at_ns + 100 * (r * k % 3),
                                                .dur_ns = 50000,
                                                .stream = other ? 9 : 7};
        }
        c->ranks[r] = (struct job_rank){.rank = r, .rows = c->rows[r], .n_rows = ROWS};
    }
}

static int group_of(const struct case_job *c, int rank, int row)
{
    return c->j.signatures[c->rows[rank][row].signature].group;
}

static void streams_and_ends_tell_communicators(void **state)
{
    struct case_job c;
    (void)state;
    make(&c, true, 30000);
    job_split_unnamed(&c.a, c.tmp, &c.j);
    assert_int_equal(c.j.n_groups, 3);
    assert_int_equal(group_of(&c, 0, 0), group_of(&c, 2, 1));
    assert_int_equal(group_of(&c, 1, 0), group_of(&c, 3, 0));
    assert_int_not_equal(group_of(&c, 0, 0), group_of(&c, 1, 0));
    assert_int_equal(group_of(&c, 0, 2), group_of(&c, 1, 2));
    const struct job_group *g = &c.j.groups[group_of(&c, 1, 0)];
    assert_int_equal(g->size, 2);
    assert_int_equal(g->ranks[0], 1);
    assert_int_equal(g->ranks[1], 3);
    assert_int_equal(c.j.groups[group_of(&c, 0, 2)].size, RANKS);
}

static void what_is_not_surely_apart_stays_one(void **state)
{
    struct case_job c;
    (void)state;
    make(&c, false, 0);
    job_split_unnamed(&c.a, c.tmp, &c.j);
    assert_int_equal(c.j.n_groups, 1);
    make(&c, false, 400);
    job_split_unnamed(&c.a, c.tmp, &c.j);
    assert_int_equal(c.j.n_groups, 1);
    assert_int_equal(c.j.n_signatures, 1);
}

static void a_named_group_is_not_split(void **state)
{
    struct case_job c;
    (void)state;
    make(&c, true, 30000);
    c.j.groups[0].name = S("0");
    job_split_unnamed(&c.a, c.tmp, &c.j);
    assert_int_equal(c.j.n_groups, 1);
}

/* Each rank has a name of its own for the same two groups of ranks 0 and 1, and a third
 * that is of others. */
static void groups_of_the_same_ranks_are_one(void **state)
{
    enum { GROUPS = 5 };
    static const int32_t ranks_of[][2] = {{0, 1}, {2, 3}};
    static const int of[GROUPS] = {0, 0, 1, 0, 0};
    static const int same[GROUPS] = {0, 1, 2, 0, 1};
    struct case_job c;
    (void)state;
    make(&c, false, 0);
    c.j.n_groups = c.j.n_signatures = 0;
    for (int g = 0; g < GROUPS; g++) {
        arena_grow(&c.a, c.j.groups, c.j.n_groups);
        c.j.groups[c.j.n_groups++] = (struct job_group){.description = S("mesh"),
                                                        .ranks = ranks_of[of[g]],
                                                        .n_ranks = 2,
                                                        .n_present = 1,
                                                        .n_members = 10 + g};
        arena_grow(&c.a, c.j.signatures, c.j.n_signatures);
        c.j.signatures[c.j.n_signatures++] = (struct job_signature){.group = g};
    }
    for (int r = 0; r < RANKS; r++)
        for (int k = 0; k < ROWS; k++) {
            int own[RANKS][2] = {{0, 1}, {3, 4}, {2, 2}, {2, 2}};
            c.rows[r][k].signature = own[r][k % 2];
        }
    c.j.groups[2].n_present = 2; /* which several ranks know */
    job_join_groups(c.tmp, &c.j);
    assert_int_equal(c.j.n_groups, 3);
    for (int g = 0; g < GROUPS; g++)
        assert_int_equal(c.j.signatures[g].group, same[g]);
    for (int g = 0; g < 3; g++)
        assert_int_equal(c.j.groups[g].n_present, 2);
    assert_int_equal(c.j.groups[0].n_members, 10 + 13);
    assert_int_equal(c.j.groups[1].n_members, 11 + 14);
    assert_int_equal(c.j.groups[2].n_members, 12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(streams_and_ends_tell_communicators),
        cmocka_unit_test(what_is_not_surely_apart_stays_one),
        cmocka_unit_test(a_named_group_is_not_split),
        cmocka_unit_test(groups_of_the_same_ranks_are_one)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
