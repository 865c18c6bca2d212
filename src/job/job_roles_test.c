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

/* Of the same size and kinds, but of other bytes, groups do something else; in an
 * all-to-all-v each rank has its own. */
static void a_family_moves_the_same_bytes(void **state)
{
    static const struct {
        enum collective_kind kind[2];
        int64_t bytes[2];
        int size[2], families;
    } cases[] = {
        {{COLLECTIVE_ALL_REDUCE, COLLECTIVE_ALL_REDUCE}, {64, 64}, {2, 2}, 1},
        {{COLLECTIVE_ALL_REDUCE, COLLECTIVE_ALL_REDUCE}, {64, 65}, {2, 2}, 2},
        {{COLLECTIVE_ALL_REDUCE, COLLECTIVE_ALL_REDUCE}, {64, 64}, {2, 4}, 2},
        {{COLLECTIVE_ALL_REDUCE, COLLECTIVE_BROADCAST}, {64, 64}, {2, 2}, 2},
        {{COLLECTIVE_ALL_TO_ALL_V, COLLECTIVE_ALL_TO_ALL_V}, {64, 65}, {2, 2}, 1},
        {{COLLECTIVE_SEND, COLLECTIVE_RECV}, {64, 64}, {2, 2}, 1}};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct job_signature s[2];
        struct job_group g[2];
        struct job_instance x[2];
        for (int i = 0; i < 2; i++) {
            s[i] = (struct job_signature){
                .kind = cases[k].kind[i], .group = i, .bytes = cases[k].bytes[i]};
            g[i] = (struct job_group){
                .size = cases[k].size[i], .first_instance = i, .n_instances = 1};
            x[i] = (struct job_instance){.group = i, .signature = i};
        }
        struct job j = {.signatures = s,
                        .n_signatures = 2,
                        .groups = g,
                        .n_groups = 2,
                        .instances = x,
                        .n_instances = 2};
        pools_find(arena_reserve(1 << 20), &j);
        assert_int_equal(j.n_families, cases[k].families);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(senders_are_compared_with_senders),
        cmocka_unit_test(a_family_moves_the_same_bytes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
