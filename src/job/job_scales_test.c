#include "job/job_scales.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>

#include "base/near_case.h"

static void of_two_the_shorter_counts_and_experts_share(void **state)
{
    int64_t two[] = {70, 30}, three[] = {90, 10, 20}, shared[] = {10, 20, 60};
    (void)state;
    assert_int_equal(middle_of(two, 2, false), 30);
    assert_int_equal(middle_of(three, 3, false), 20);
    assert_int_equal(middle_of(shared, 3, true), 30);
    assert_int_equal(mean_of(NULL, 0), 0);
}

static void a_change_goes_first_where_a_row_has_more(void **state)
{
    double own[] = {100, 100, 300}, more[] = {0, -20, 200}, ns[] = {100, 100, 300};
    (void)state;
    spread(3, own, more, -150, ns);
    assert_near(ns[0], 100, 1e-9);
    assert_near(ns[1], 100, 1e-9);
    assert_near(ns[2], 150, 1e-9);
}

static void what_is_left_of_a_change_goes_to_all(void **state)
{
    double own[] = {100, 100, 300}, more[] = {0, 0, 200}, ns[] = {100, 100, 300};
    (void)state;
    spread(3, own, more, -350, ns); /* 200 there, half of what then remains */
    assert_near(ns[0], 50, 1e-9);
    assert_near(ns[1], 50, 1e-9);
    assert_near(ns[2], 50, 1e-9);
}

static void no_row_gets_less_than_nothing(void **state)
{
    double own[] = {100, 50}, more[] = {0, 0}, ns[] = {120, 50};
    (void)state;
    spread(2, own, more, -1000, ns);
    assert_near(ns[0], 20, 1e-9); /* its other work stays */
    assert_near(ns[1], 0, 1e-9);
}

static void more_idle_time_goes_where_others_have_it(void **state)
{
    double own[] = {100, 20}, more[] = {0, -80}, ns[] = {100, 20};
    (void)state;
    spread(2, own, more, 60, ns);
    assert_near(ns[0], 100, 1e-9);
    assert_near(ns[1], 80, 1e-9);
}

static void more_work_is_known_to_an_eighth(void **state)
{
    double own[] = {50, 10, 0, 40, 10}, more[] = {1, 0, 0, 25, -10};
    double all[] = {10, 0, 0, 25, 5};
    (void)state;
    even_out(5, own, 1, more);
    assert_near(more[0], 1, 1e-9);
    assert_near(more[1], 25.0 / 50 * 10, 1e-9); /* 10 alone is less than an eighth */
    assert_near(more[3], 25.0 / 50 * 40, 1e-9);
    assert_near(more[4], -10, 1e-9);
    even_out(5, own, 1, all); /* each part of it has more: all is alike */
    for (int i = 0; i < 5; i++)
        assert_near(all[i], 0, 0);
}

/* Two collectives: both ranks compute as long before the first, the second rank longer
 * before the other, most of it beside the first. */
static void work_counts_for_the_collective_that_follows(void **state)
{
    struct arena a = arena_reserve(1 << 20);
    struct capture_block usual[] = {{0, 800}, {800, 400}},
                         late[] = {{0, 800}, {800, 800}};
    struct job_member rows[] = {{.start_ns = 800, .dur_ns = 300}, {.start_ns = 1600}};
    struct job_rank ranks[] = {
        {.blocks = usual, .n_blocks = 2, .rows = rows, .n_rows = 2},
        {.blocks = late, .n_blocks = 2, .rows = rows, .n_rows = 2}};
    struct job j = {.ranks = ranks, .n_ranks = 2};
    int32_t first[] = {0, 2}, all[] = {0, 1};
    struct job_places p = {.first_row = first, .n_rows = 4, .n_blocks = 4};
    double middle[] = {800, 400}, by[2];
    (void)state;
    double *work = work_by_row(&a, &j, &p);
    assert_near(work[0], 800, 0);
    assert_near(work[1], 400, 0);
    assert_near(work[3], 800, 0);
    struct hidden h = {.j = &j, .places = &p, .work = work, .middle = {middle}};
    change_work(a, &h, 1, all, all, 2, -400, 0, by);
    assert_near(by[0], 1, 1e-9);
    assert_near(by[1], 0.5, 1e-9);
    /* Of 200 that its host is late by before the second, 150 go: there alone. */
    ranks[1].held = (struct row_held[]){{0}, {200, 0}};
    change_work(a, &h, 1, all, all, 2, 0, -150, by);
    assert_near(by[0], 1, 1e-9);
    assert_near(by[1], 850.0 / 1000, 1e-9);
    /* What is short is within the runs of work that the blocks are. */
    ranks[1].held = (struct row_held[]){{0}, {200, 30}};
    assert_near(work_by_row(&a, &j, &p)[3], 770, 0);
}

static void a_tail_is_what_follows_the_last_collective(void **state)
{
    struct job_member rows[] = {{.start_ns = 100, .dur_ns = 20},
                                {.start_ns = 50, .dur_ns = 10}};
    struct job_rank r = {.start_ns = 0, .end_ns = 150, .rows = rows, .n_rows = 2};
    (void)state;
    assert_int_equal(rank_tail_ns(&r), 30);
    r.end_ns = 110; /* it was cut short */
    assert_int_equal(rank_tail_ns(&r), 0);
    r.n_rows = 0;
    assert_int_equal(rank_tail_ns(&r), 110);
}

static void tails_compare_within_a_role(void **state)
{
    struct arena a = arena_reserve(1 << 20);
    struct job_rank ranks[] = {{.end_ns = 10, .role = 0},
                               {.end_ns = 500, .role = 1},
                               {.end_ns = 30, .role = 0},
                               {.end_ns = 90, .role = 0},
                               {.end_ns = 700, .role = 1}};
    struct job j = {.ranks = ranks, .n_ranks = 5};
    (void)state;
    int64_t *median_ns = median_tails(&a, &j);
    assert_int_equal(median_ns[0], 30);
    assert_int_equal(median_ns[2], 30);
    assert_int_equal(median_ns[3], 30);
    assert_int_equal(median_ns[1], 500); /* of two, the shorter */
    assert_int_equal(median_ns[4], 500);
}

static void a_ratio_is_defined_everywhere(void **state)
{
    (void)state;
    assert_near((double)ratio(30, 60), 0.5, 1e-6);
    assert_near((double)ratio(-1, 60), 0, 0);
    assert_near((double)ratio(7, 0), 1, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_two_the_shorter_counts_and_experts_share),
        cmocka_unit_test(a_change_goes_first_where_a_row_has_more),
        cmocka_unit_test(what_is_left_of_a_change_goes_to_all),
        cmocka_unit_test(no_row_gets_less_than_nothing),
        cmocka_unit_test(more_idle_time_goes_where_others_have_it),
        cmocka_unit_test(more_work_is_known_to_an_eighth),
        cmocka_unit_test(work_counts_for_the_collective_that_follows),
        cmocka_unit_test(a_tail_is_what_follows_the_last_collective),
        cmocka_unit_test(tails_compare_within_a_role),
        cmocka_unit_test(a_ratio_is_defined_everywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
