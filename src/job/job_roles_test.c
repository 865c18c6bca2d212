#include "job/job_roles.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Two pipelines of two ranks: in each the first sends to the second. */
static void senders_are_compared_with_senders(void **state)
{
    struct job_signature s[] = {{.kind = COLLECTIVE_SEND, .group = 0},
                                {.kind = COLLECTIVE_RECV, .group = 0},
                                {.kind = COLLECTIVE_SEND, .group = 1},
                                {.kind = COLLECTIVE_RECV, .group = 1}};
    struct job_group g[] = {{.size = 2, .n_instances = 1},
                            {.size = 2, .first_instance = 1, .n_instances = 1}};
    struct job_member rows[4];
    struct job_rank ranks[4];
    struct member_ref members[4], found[4];
    struct job_instance x[2];
    for (int r = 0; r < 4; r++) {
        rows[r] = (struct job_member){.signature = r, .instance = r / 2};
        ranks[r] = (struct job_rank){.rank = r, .rows = &rows[r], .n_rows = 1};
        members[r] = (struct member_ref){r, 0};
        x[r / 2] = (struct job_instance){.group = r / 2,
                                         .signature = r / 2 * 2,
                                         .first_member = r / 2 * 2,
                                         .n_members = 2,
                                         .is_decomposed = true};
    }
    struct job j = {.options.first_step = -1,
                    .signatures = s,
                    .n_signatures = 4,
                    .groups = g,
                    .n_groups = 2,
                    .ranks = ranks,
                    .n_ranks = 4,
                    .instances = x,
                    .n_instances = 2,
                    .members = members,
                    .n_members = 4};
    struct arena a = arena_reserve(1 << 20);
    (void)state;
    pools_find(arena_reserve(1 << 20), &j);
    assert_int_equal(j.n_pools, 2);
    struct pool_list l = pools_list(&a, &j);
    assert_int_equal(pool_members(&j, &l, 0, found), 2);
    assert_int_equal(found[0].rank, 0);
    assert_int_equal(found[1].rank, 2);
    assert_int_equal(pool_members(&j, &l, 1, found), 2);
    assert_int_equal(found[0].rank, 1);
    assert_int_equal(found[1].rank, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(senders_are_compared_with_senders)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
