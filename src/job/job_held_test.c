#include "job/job_held.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void assert_held(const struct job_rank *r, int32_t n,
                        const struct capture_block *want)
{
    struct arena a = arena_reserve(1 << 20);
    struct capture_block *held;
    assert_int_equal(rank_held(&a, r, &held), n);
    for (int32_t i = 0; i < n; i++) {
        assert_int_equal(held[i].start_ns, want[i].start_ns);
        assert_int_equal(held[i].dur_ns, want[i].dur_ns);
    }
}

/* Three kernels beside one collective of a millisecond, the third long after the
 * second: it was not the collective that they waited for. */
static void work_that_goes_on_beside_a_collective_waited_for_its_host(void **state)
{
    struct job_member row = {.start_ns = 1000000, .dur_ns = 1000000};
    struct capture_block covers[] = {
        {1000000, 200000}, {1230000, 100000}, {1700000, 300000}};
    struct job_rank r = {.rows = &row, .n_rows = 1, .covers = covers, .n_covers = 3};
    (void)state;
    assert_held(&r, 2, (struct capture_block[]){{1200000, 30000}, {1330000, 370000}});
    row.start_ns = 900000; /* while nothing else runs: its host was late as well */
    row.dur_ns = 1100000;
    assert_held(&r, 3,
                (struct capture_block[]){
                    {900000, 100000}, {1200000, 30000}, {1330000, 370000}});
}

/* A layer needs the parameters that the first gather brings, while the second runs
 * already: that is no wait for the host, unless it takes long after the end. */
static void work_that_follows_the_end_of_a_collective_waited_for_it(void **state)
{
    struct job_member rows[] = {{.start_ns = 0, .dur_ns = 500000},
                                {.start_ns = 100000, .dur_ns = 900000}};
    struct capture_block covers[] = {{0, 200000}, {502000, 300000}};
    struct job_rank r = {.rows = rows, .n_rows = 2, .covers = covers, .n_covers = 2};
    (void)state;
    assert_held(&r, 0, NULL);
    covers[1] = (struct capture_block){620000, 300000};
    assert_held(&r, 1, (struct capture_block[]){{500000, 120000}});
    r.covers = &(struct capture_block){300000, 100000}; /* from the first one on */
    r.n_covers = 1;
    assert_held(&r, 1, (struct capture_block[]){{0, 300000}});
}

/* What lies outside collectives is idle time as any other. */
static void only_what_is_beside_a_collective_counts(void **state)
{
    struct job_member rows[] = {{.start_ns = 0, .dur_ns = 100000},
                                {.start_ns = 400000, .dur_ns = 400000}};
    struct capture_block covers[] = {{0, 100000}, {450000, 100000}};
    struct job_rank r = {.rows = rows, .n_rows = 2, .covers = covers, .n_covers = 2};
    (void)state;
    assert_held(&r, 1, (struct capture_block[]){{400000, 50000}});
    rows[0].start_ns = 10; /* clocks are rounded: nothing has begun yet */
    r.n_covers = 1;
    assert_held(&r, 0, NULL);
    r.n_covers = 0;
    assert_held(&r, 0, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_that_goes_on_beside_a_collective_waited_for_its_host),
        cmocka_unit_test(work_that_follows_the_end_of_a_collective_waited_for_it),
        cmocka_unit_test(only_what_is_beside_a_collective_counts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
