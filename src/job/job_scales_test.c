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
    struct job_scales s = unscaled(&a, 6);
    scale_tails(a, &s, &j, 1);
    assert_near((double)s.middle[1], 3, 1e-6);
    assert_near((double)s.fixed[1], 1, 0);
    assert_near((double)s.middle[4], 30.0 / 90, 1e-6);
    assert_near((double)s.fixed[4], 30.0 / 90, 1e-6);
    assert_near((double)s.fixed[5], 500.0 / 700, 1e-6);
}

/* Four ranks at one place of their work, each with another collective before it; what
 * they copy before this one, and all that they do. */
static struct job_member four_rows[8];
static struct job_rank four_ranks[4];
static struct member_ref four_members[4];
static struct job_instance one_instance[2];
static struct job_signature one_signature;

static struct job four(const int64_t compute_ns[4], const int64_t copy_ns[4])
{
    for (int r = 0; r < 4; r++) {
        struct job_member *m = &four_rows[2 * r + 1];
        m[-1] = (struct job_member){.instance = 1};
        *m = (struct job_member){
            .part_ns = {
                [SEGMENT_COMPUTE] = compute_ns[r], [SEGMENT_COPY] = copy_ns[r]}};
        four_ranks[r] = (struct job_rank){.rows = m - 1, .n_rows = 2};
        four_members[r] = (struct member_ref){r, 1};
    }
    one_instance[0] =
        (struct job_instance){.n_members = 4, .step = -1, .is_decomposed = true};
    one_instance[1] = (struct job_instance){.pool = 1, .step = -1};
    return (struct job){.options.first_step = -1,
                        .signatures = &one_signature,
                        .n_signatures = 1,
                        .ranks = four_ranks,
                        .n_ranks = 4,
                        .instances = one_instance,
                        .n_instances = 2,
                        .members = four_members,
                        .n_members = 4,
                        .n_pools = 2};
}

static int32_t four_first[] = {0, 2, 4, 6};

static void all_take_as_long_as_the_middle(void **state)
{
    struct arena a = arena_reserve(1 << 20);
    struct job j = four((int64_t[]){40, 100, 0, 200}, (int64_t[]){10, 0, 0, 0});
    struct scaled x = {.j = &j, .first_row = four_first, .s = unscaled(&a, 8)};
    (void)state;
    scale_pool(&x, 0, a, 0, four_members, 3); /* 50, 100 and nothing */
    assert_near((double)x.s.middle[1], 1, 0);
    assert_near((double)x.s.middle[3], 0.5, 0);
    assert_near((double)x.s.fixed[3], 0.5, 0);
    assert_near((double)x.s.middle[5], -50, 0); /* added */
    assert_near((double)x.s.fixed[5], 1, 0);
    scale_pool(&x, 0, a, 0, four_members + 1, 3);
    assert_near((double)x.s.middle[7], 0.5, 0);
    four_rows[7].part_ns[SEGMENT_COMPUTE] = 25;
    scale_pool(&x, 0, a, 0, four_members + 1, 3); /* 100, 0, 25 */
    assert_near((double)x.s.middle[3], 0.25, 0);
    four_rows[5].part_ns[SEGMENT_COMPUTE] = 30;
    scale_pool(&x, 0, a, 0, four_members + 1, 3);
    assert_near((double)x.s.middle[7], 30.0 / 25, 1e-6); /* with others, longer */
    assert_near((double)x.s.fixed[7], 1, 0);
    for (int r = 0; r < 4; r++)
        assert_near((double)x.s.middle[2 * r], 1, 0); /* rows elsewhere */
}

static void the_median_of_a_place_is_the_lower_of_two(void **state)
{
    struct arena a = arena_reserve(1 << 20);
    struct job j = four((int64_t[]){1, 2, 3, 4}, (int64_t[]){60, 10, 20, 60});
    struct job_places p = {.first_row = four_first, .n_rows = 8};
    double work[] = {0, 9.6, 0, 7, 0, 5, 0, 30};
    (void)state;
    const double *middle = pool_medians(&a, &j, &p, NULL, SEGMENT_COPY);
    assert_near(middle[0], 20, 0);
    assert_near(middle[1], 0, 0); /* nobody counts there */
    assert_near(pool_medians(&a, &j, &p, NULL, SEGMENT_COMPUTE)[0], 2, 0);
    assert_near(pool_medians(&a, &j, &p, work, SEGMENT_COPY)[0], 7, 0);
    assert_near(work_by_row(&a, &j, &p)[5], 3, 0); /* without blocks: the row's own */
}

/* Against the first, copies of the second are all that it is late by; of the third more
 * than that; the fourth is early. */
static void a_cause_takes_no_more_than_a_rank_is_late_by(void **state)
{
    enum { COPIES = WORK_CATEGORIES };
    struct arena a = arena_reserve(1 << 20);
    struct job j = four((int64_t[]){100, 100, 70, 10}, (int64_t[]){10, 60, 60, 20});
    struct job_scales s = unscaled(&a, 8);
    int causes[] = {COPIES};
    struct scaled x = {.j = &j,
                       .first_row = four_first,
                       .causes = causes,
                       .n_causes = 1,
                       .fixed = &s.fixed};
    (void)state;
    assert_int_equal(cause_part(COPIES), SEGMENT_COPY);
    j.middles = four_members;
    scale_causes(&x, 0, a, 0, four_members, 4);
    assert_near((double)s.fixed[1], 1, 0);
    assert_near((double)s.fixed[3], 110.0 / 160, 1e-6);
    assert_near((double)s.fixed[5], 110.0 / 130, 1e-6);
    assert_near((double)s.fixed[7], 1, 0);
}

static void a_period_changes_to_that_of_the_middle(void **state)
{
    struct job_period periods[] = {
        {{[SEGMENT_COMPUTE] = 1}, {0}, 0},
        {{[SEGMENT_COMPUTE] = 70, [SEGMENT_COPY] = 10, [SEGMENT_IDLE] = 40}, {0}, 6},
        {{[SEGMENT_COMPUTE] = 2}, {0}, 0},
        {{[SEGMENT_COMPUTE] = 90, [SEGMENT_COPY] = 40, [SEGMENT_IDLE] = 25}, {0}, 9}};
    struct job_rank ranks[] = {{.load_frac = 1}, {.load_frac = 1}};
    struct job j = {.ranks = ranks, .n_ranks = 2, .periods = periods, .n_periods = 2};
    double even_ns[] = {0, 0, 0, 84.6};
    (void)state;
    struct change c = change_of(&j, 1, 0, 1, even_ns);
    assert_int_equal(c.own_ns[SEGMENT_COPY], 40);
    assert_int_equal(c.by_ns[SEGMENT_COMPUTE], -20);
    assert_int_equal(c.by_ns[SEGMENT_COPY], -30);
    assert_int_equal(c.by_ns[SEGMENT_IDLE], 15);
    assert_int_equal(c.held_by_ns, -3);
    j.is_uneven = true; /* of experts the mean */
    assert_int_equal(change_of(&j, 1, 0, 1, even_ns).by_ns[SEGMENT_COMPUTE], -5);
    j.is_uneven = false;

    /* One cause of it, up to what the rank is late by: 20 + 30 - 15. */
    struct hidden h = {.j = &j, .cause = WORK_CATEGORIES};
    struct change kept = c;
    keep_cause(&h, 1, 0, 1, &kept);
    assert_int_equal(kept.by_ns[SEGMENT_COPY], -30);
    assert_int_equal(kept.by_ns[SEGMENT_COMPUTE], 0);
    assert_int_equal(kept.by_ns[SEGMENT_IDLE], 0);
    assert_int_equal(kept.held_by_ns, 0);
    kept = c;
    kept.by_ns[SEGMENT_IDLE] = 40;
    keep_cause(&h, 1, 0, 1, &kept);
    assert_int_equal(kept.by_ns[SEGMENT_COPY], -10);
    kept = change_of(&j, 0, 1, 1, even_ns);
    keep_cause(&h, 0, 1, 1, &kept); /* which copies less */
    assert_int_equal(kept.by_ns[SEGMENT_COPY], 0);

    /* Not of one span, there is nothing to compare. */
    j.n_steps = 1;
    ranks[1].n_steps = 3;
    c = change_of(&j, 1, 0, 1, even_ns);
    assert_int_equal(c.by_ns[SEGMENT_COPY], 0);
    assert_int_equal(c.held_by_ns, 0);
}

static void idle_time_beside_communication_is_a_part_of_it(void **state)
{
    static const int64_t cases[][3] = {{-50, -20, -20}, {-20, -50, -20}, {30, 10, 10},
                                       {10, 30, 10},    {-5, 5, 0},      {5, -5, 0}};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct change c = {.by_ns = {[SEGMENT_IDLE] = cases[k][0]},
                           .held_by_ns = cases[k][1]};
        assert_int_equal(held_change(&c), cases[k][2]);
    }
}

static void experts_of_a_role_do_as_much(void **state)
{
    struct arena a = arena_reserve(1 << 20);
    static const int64_t ns[] = {10, 20, 30, 60, 7, 9, 500, 500};
    struct job_period periods[8] = {0};
    struct job_rank ranks[] = {{.role = 0, .load_frac = 0.5},
                               {.role = 0, .load_frac = 1.5},
                               {.role = 1, .load_frac = 1},
                               {.role = 0, .load_frac = (double)NAN}};
    struct job j = {.ranks = ranks,
                    .n_ranks = 4,
                    .is_uneven = true,
                    .periods = periods,
                    .n_periods = 2};
    static const double even[] = {20, 40, 20, 40, 7, 9, 0, 0};
    (void)state;
    for (int k = 0; k < 8; k++)
        periods[k].part_ns[SEGMENT_COMPUTE] = ns[k];
    const double *even_ns = even_work(&a, &j);
    for (int k = 0; k < 8; k++)
        assert_near(even_ns[k], even[k], 1e-9);
}

/* Blocks do as the row behind them; none is behind the last. */
static void assert_blocks(struct hidden *h, struct job_rank *ranks,
                          struct job_scales own)
{
    struct capture_block blocks[] = {{5, 1}, {15, 1}, {99, 1}};
    ranks[1].rows[0].start_ns = 10;
    ranks[1].rows[1].start_ns = 20;
    ranks[1].blocks = blocks;
    ranks[1].n_blocks = 3;
    own.middle[0] = 0.25F;
    own.fixed[1] = 0.5F;
    scale_blocks(h, 1, own);
    assert_near((double)h->s->middle[5], 0.25, 0);
    assert_near((double)h->s->middle[6], 1.25, 0);
    assert_near((double)h->s->fixed[6], 0.5, 0);
    assert_near((double)h->s->middle[7], 1, 0);
}

/* 40 less to copy and 20 less to wait for, where the rank has more of them than others
 * at the place of its two rows: of 120 and of 170 at work, 115 each are left. */
static void a_period_of_a_rank_is_scaled_row_by_row(void **state)
{
    struct arena a = arena_reserve(1 << 20);
    struct job_period periods[] = {
        {{[SEGMENT_COMPUTE] = 200, [SEGMENT_COPY] = 20, [SEGMENT_IDLE] = 10}, {0}, 0},
        {{[SEGMENT_COMPUTE] = 200, [SEGMENT_COPY] = 60, [SEGMENT_IDLE] = 30}, {0}, 0}};
    struct job_instance x[] = {{.pool = 0, .step = -1, .is_decomposed = true},
                               {.pool = 1, .step = -1, .is_decomposed = true}};
    struct job_member m[] = {
        {.part_ns =
             {[SEGMENT_COMPUTE] = 100, [SEGMENT_COPY] = 10, [SEGMENT_IDLE] = 10}},
        {.instance = 1,
         .part_ns = {
             [SEGMENT_COMPUTE] = 100, [SEGMENT_COPY] = 50, [SEGMENT_IDLE] = 20}}};
    struct job_rank ranks[] = {{.n_rows = 0}, {.rows = m, .n_rows = 2}};
    struct job j = {.options.first_step = -1,
                    .signatures = &one_signature,
                    .instances = x,
                    .ranks = ranks,
                    .n_ranks = 2,
                    .periods = periods,
                    .n_periods = 1};
    int32_t first[] = {0, 1}, rows[] = {0, 1}, ref[] = {0, 0};
    int64_t first_block[] = {0, 2};
    struct job_places p = {.first_row = first, .first_block = first_block, .n_rows = 3};
    double work[] = {0, 100, 100}, computes[] = {100, 100}, copies[] = {10, 10},
           idles[] = {5, 5};
    struct job_scales s = unscaled(&a, 8), own = unscaled(&a, 2);
    struct hidden h = {.j = &j,
                       .cause = -1,
                       .s = &s,
                       .places = &p,
                       .ref = ref,
                       .work = work,
                       .middle = {[SEGMENT_COMPUTE] = computes,
                                  [SEGMENT_COPY] = copies,
                                  [SEGMENT_IDLE] = idles}};
    (void)state;
    scale_period(a, &h, 1, 0, rows, 2, own);
    assert_near((double)s.middle[1], 115.0 / 120, 1e-6);
    assert_near((double)s.middle[2], 115.0 / 170, 1e-6);
    assert_near((double)s.fixed[2], 115.0 / 170, 1e-6);
    assert_near((double)own.middle[1], 1, 1e-6); /* it computes as long */
    /* Of experts, 50 less of 200 between collectives, which the second row has more. */
    j.is_uneven = true;
    h.even_ns = (double[]){0, 150};
    h.middle_between = (double[]){100, 50};
    scale_period(a, &h, 1, 0, rows, 2, own);
    assert_near((double)own.middle[0], 0.75, 1e-6);
    assert_near((double)s.middle[1], 115.0 / 120, 1e-6);
    assert_near((double)s.middle[2], 65.0 / 170, 1e-6);
    j.is_uneven = false;
    /* Waits for the host beside communication go with computation. */
    ranks[1].held = (struct row_held[]){{0}, {20, 0}};
    periods[1].held_ns = 15;
    scale_period(a, &h, 1, 0, rows, 2, own);
    assert_near((double)own.middle[1], (100 + 0.25 * 20) / 120, 1e-6);
    ranks[1].held = NULL;
    periods[1].held_ns = 0;
    periods[0].part_ns[SEGMENT_COMPUTE] = 250; /* others do 10 less than nothing less */
    periods[0].part_ns[SEGMENT_IDLE] = 30;
    scale_period(a, &h, 1, 0, rows, 2, own);
    assert_near((double)own.middle[1], 1.25, 1e-6);
    assert_near((double)own.fixed[1], 1, 0);
    assert_near((double)s.middle[1], 145.0 / 120, 1e-6);
    assert_near((double)s.fixed[1], 1, 0);
    assert_blocks(&h, ranks, own);
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
        cmocka_unit_test(all_take_as_long_as_the_middle),
        cmocka_unit_test(the_median_of_a_place_is_the_lower_of_two),
        cmocka_unit_test(a_cause_takes_no_more_than_a_rank_is_late_by),
        cmocka_unit_test(a_period_changes_to_that_of_the_middle),
        cmocka_unit_test(idle_time_beside_communication_is_a_part_of_it),
        cmocka_unit_test(experts_of_a_role_do_as_much),
        cmocka_unit_test(a_period_of_a_rank_is_scaled_row_by_row),
        cmocka_unit_test(a_ratio_is_defined_everywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
