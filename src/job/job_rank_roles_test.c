#include "job/job_periods.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { MANY = 40 };

/* Ranks that send, receive and reduce so often. */
static struct job_rank rank_with(struct job_member *rows, int sends, int receives,
                                 int reduces)
{
    int n = 0;
    for (int k = 0; k < sends + receives + reduces; k++)
        rows[n++] = (struct job_member){.signature = k < sends              ? 0
                                                     : k < sends + receives ? 1
                                                                            : 2};
    return (struct job_rank){.rows = rows, .n_rows = n};
}

static void fewer_of_the_same_are_the_same(void **state)
{
    struct job_signature s[] = {{.kind = COLLECTIVE_SEND, .bytes = 64},
                                {.kind = COLLECTIVE_RECV, .bytes = 64},
                                {.kind = COLLECTIVE_ALL_REDUCE, .bytes = 4096}};
    struct job_member rows[5][MANY];
    struct job_rank ranks[] = {
        rank_with(rows[0], 8, 8, 20),  /* between */
        rank_with(rows[1], 4, 4, 20),  /* at an end of the pipeline */
        rank_with(rows[2], 7, 8, 17),  /* begins later */
        rank_with(rows[3], 8, 8, 0),   /* never reduces */
        rank_with(rows[4], 5, 4, 22)}; /* the other end, one step more of something */
    struct job j = {.signatures = s, .n_signatures = 3, .ranks = ranks, .n_ranks = 5};
    (void)state;
    job_rank_roles(arena_reserve(1 << 20), &j);
    assert_int_equal(ranks[2].role, ranks[0].role);
    assert_int_equal(ranks[4].role, ranks[1].role);
    assert_int_not_equal(ranks[1].role, ranks[0].role);
    assert_int_not_equal(ranks[3].role, ranks[0].role);
    assert_int_not_equal(ranks[3].role, ranks[1].role);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fewer_of_the_same_are_the_same)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
