#include "report/job/job_measured.h"

#include "base/arena_case.h"
#include "base/describe.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* Of four ranks one tells nothing; what none tells is left out. */
static void ranks_that_tell_nothing_do_not_count(void **state)
{
    (void)state;
    static const double mfu[] = {40, (double)NAN, 20, 30};
    struct job_rank ranks[4] = {0};
    struct job j = {.ranks = ranks, .n_ranks = 4};
    for (int i = 0; i < 4; i++) {
        ranks[i].rank = 10 + i;
        for (int k = 0; k < MEASURED_ALL; k++)
            ranks[i].measured[k] = k == MEASURED_MFU ? mfu[i] : (double)NAN;
    }
    struct field_items all = job_measures(&a, &j);
    const struct job_measured *m = all.first;
    assert_int_equal(all.n, 1);
    assert_int_equal(m->of, MEASURED_MFU);
    assert_int_equal(m->n, 3);
    assert_true(m->mean == 30 && m->least == 20 && m->most == 40);
    assert_int_equal(m->least_rank, 12);
    assert_int_equal(m->most_rank, 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_that_tell_nothing_do_not_count)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
