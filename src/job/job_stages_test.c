#include "job/job_stages.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/arena_case.h"

#define PIPE(...)                                                                      \
    {                                                                                  \
        .role = S_INIT("PP"), .ranks = (const int32_t[]){__VA_ARGS__},                 \
        .n_ranks = sizeof((const int32_t[]){__VA_ARGS__}) / sizeof(int32_t)            \
    }

static struct job_stages of(struct job_group *groups, int n)
{
    static struct job_rank ranks[8];
    for (int i = 0; i < 8; i++)
        ranks[i].rank = i;
    struct job j = {.ranks = ranks, .n_ranks = 8, .groups = groups, .n_groups = n};
    return job_stages_find(&a, &j);
}

/* Two pipelines of four stages: 0 2 4 6 and 1 3 5 7. */
static void neighbors_and_whole_pipelines_have_stages(void **state)
{
    (void)state;
    struct job_group pairs[] = {PIPE(4, 6), PIPE(0, 2), PIPE(2, 4),
                                PIPE(1, 3), PIPE(5, 7), PIPE(3, 5)};
    struct job_group whole[] = {PIPE(0, 2, 4, 6), PIPE(1, 3, 5, 7)};
    for (int k = 0; k < 2; k++) {
        struct job_stages s = k ? of(whole, 2) : of(pairs, 6);
        assert_int_equal(s.n, 4);
        for (int i = 0; i < 8; i++)
            assert_int_equal(s.of[i], i / 2);
    }
}

static void what_orders_not_all_ranks_has_none(void **state)
{
    (void)state;
    struct job_group ring[] = {PIPE(0, 2), PIPE(2, 4), PIPE(4, 6), PIPE(0, 6)};
    struct job_group part[] = {PIPE(0, 2, 4, 6)};
    struct job_group outside[] = {PIPE(0, 2, 4, 6), PIPE(1, 3, 5, 9)};
    assert_int_equal(of(ring, 4).n, 0);
    assert_int_equal(of(part, 1).n, 0);
    assert_int_equal(of(outside, 2).n, 0);
    assert_int_equal(of(NULL, 0).n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neighbors_and_whole_pipelines_have_stages),
        cmocka_unit_test(what_orders_not_all_ranks_has_none),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
