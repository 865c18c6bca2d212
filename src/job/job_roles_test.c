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

static void a_role_is_a_whole_word(void **state)
{
    static const char *const cases[][2] = {{"tp", "TP"},
                                           {"mesh_TP", "TP"},
                                           {"tensor-parallel", "TP"},
                                           {"pp group", "PP"},
                                           {"pipeline", "PP"},
                                           {"ep", "EP"},
                                           {"my expert ranks", "EP"},
                                           {"context", "CP"},
                                           {"cp_1", "CP"},
                                           {"fsdp", "FSDP"},
                                           {"x-dp", "DP"},
                                           {"data_parallel", "DP"},
                                           {"default_pg", "all ranks"},
                                           {"http", ""},
                                           {"tpu", ""},
                                           {"metadata", ""},
                                           {"", ""}};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        assert_true(str_eq(role_of_word(str_of(cases[k][0])), str_of(cases[k][1])));
}

enum { MIB = 1 << 20 };
static const int32_t near[] = {4, 5, 6, 7}, gap[] = {0, 2, 4, 8},
                     apart[] = {6, 7, 8, 9};

struct role_case {
    enum collective_kind kind[3];
    int64_t bytes;
    const int32_t *ranks;
    int size;
    const char *role;
};

static void assert_role(const struct role_case *of)
{
    struct job_signature s[3];
    struct job_instance x[3];
    int n = 0;
    for (; n < 3 && (!n || of->kind[n]); n++) {
        bool small = n && of->bytes == MIB; /* one large message is enough */
        s[n] = (struct job_signature){.kind = of->kind[n],
                                      .bytes = small ? 64 : of->bytes};
        x[n] = (struct job_instance){.signature = n};
    }
    struct job_group g = {
        .ranks = of->ranks, .n_ranks = 4, .size = of->size, .n_instances = n};
    struct job j = {.n_ranks = 16,
                    .gpus_per_node = 8,
                    .n_nodes = 2,
                    .signatures = s,
                    .n_signatures = n,
                    .groups = &g,
                    .n_groups = 1,
                    .instances = x,
                    .n_instances = n};
    struct job_rank ranks[16] = {0};
    for (int r = 0; r < 16; r++)
        ranks[r] = (struct job_rank){.rank = r, .node = r / 8};
    j.ranks = ranks;
    job_roles(arena_reserve(1 << 20), &j);
    if (!str_eq(g.role, str_of(of->role)))
        fail_msg("%.*s, not %s", STRF(g.role), of->role);
    assert_int_equal(g.role_guessed, strcmp(of->role, "unknown") != 0);
    assert_int_equal(g.crosses_nodes, of->ranks != near);
    g.name = S("dp");
    g.description = S("tp");
    job_roles(arena_reserve(1 << 20), &j); /* what it is called comes first */
    assert_true(str_eq(g.role, S("TP")));
    assert_true(str_eq(g.role_reason, S("description")));
}

/* By what a group of ranks 4 to 7 does, on nodes of 8: of three kinds and sizes. */
static void a_group_without_a_name_is_known_by_what_it_does(void **state)
{
    static const struct role_case cases[] = {
        {{COLLECTIVE_SEND, COLLECTIVE_ALL_TO_ALL}, MIB, near, 4, "PP"},
        {{COLLECTIVE_RECV}, MIB, near, 4, "PP"},
        {{COLLECTIVE_ALL_REDUCE, COLLECTIVE_ALL_TO_ALL}, MIB, near, 4, "EP"},
        {{COLLECTIVE_ALL_TO_ALL_V}, MIB, near, 4, "EP"},
        {{COLLECTIVE_REDUCE_SCATTER}, MIB, near, 4, "FSDP"},
        {{COLLECTIVE_REDUCE_SCATTER}, MIB - 1, near, 4, "control"},
        {{COLLECTIVE_ALL_REDUCE, COLLECTIVE_ALL_GATHER}, 64, near, 4, "TP"},
        {{COLLECTIVE_ALL_REDUCE, COLLECTIVE_ALL_REDUCE, COLLECTIVE_BROADCAST},
         64,
         near,
         4,
         "TP"},
        {{COLLECTIVE_ALL_REDUCE, COLLECTIVE_BROADCAST, COLLECTIVE_BROADCAST},
         64,
         near,
         4,
         "control"},
        {{COLLECTIVE_ALL_REDUCE, COLLECTIVE_ALL_REDUCE}, MIB, apart, 4, "DP"},
        {{COLLECTIVE_ALL_REDUCE, COLLECTIVE_ALL_REDUCE}, MIB, gap, 4, "DP"},
        {{COLLECTIVE_ALL_REDUCE, COLLECTIVE_ALL_REDUCE}, MIB, near, 16, "DP"},
        {{COLLECTIVE_ALL_REDUCE}, -1, apart, 4, "unknown"},
        {{COLLECTIVE_ALL_REDUCE}, 64, apart, 4, "control"},
        {{COLLECTIVE_ALL_REDUCE}, 0, apart, 4, "control"},
        {{COLLECTIVE_ALL_REDUCE, COLLECTIVE_BROADCAST}, 64, near, 4, "control"}};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        assert_role(&cases[k]);
    }
}

/* Ranks that are not there are where so many to a node put them. */
static void a_rank_is_on_its_own_node_or_where_others_would_be(void **state)
{
    struct job_rank ranks[] = {{.rank = 3, .node = 5}};
    struct job j = {.ranks = ranks, .n_ranks = 1, .gpus_per_node = 4};
    (void)state;
    assert_int_equal(node_of_rank(&j, 3), 5);
    assert_int_equal(node_of_rank(&j, 7), 1);
    assert_int_equal(node_of_rank(&j, 8), 2);
    j.gpus_per_node = 0;
    assert_int_equal(node_of_rank(&j, 8), 0);
    /* Without a list of ranks, a group of all crosses nodes if there are several. */
    j.n_nodes = 2;
    assert_true(crosses_nodes(&j, &(struct job_group){.size = 1}));
    assert_false(crosses_nodes(&j, &(struct job_group){.size = 0}));
    j.n_nodes = 1;
    assert_false(crosses_nodes(&j, &(struct job_group){.size = 1}));
}

/* Segments of 10, 20, 20, 20 and 50: in the middle are ranks 1 to 3, and of these the
 * second; of the first four ranks, the first of two. */
static void of_equal_ranks_in_the_middle_the_middle_one(void **state)
{
    static const int64_t ns[] = {10, 20, 20, 20, 50};
    struct job_member rows[5];
    struct job_rank ranks[5];
    struct member_ref all[5];
    struct job j = {.ranks = ranks, .n_ranks = 5};
    (void)state;
    for (int r = 0; r < 5; r++) {
        rows[r] = (struct job_member){.part_ns = {[SEGMENT_COPY] = ns[r]}};
        ranks[r] = (struct job_rank){.rows = &rows[r], .n_rows = 1};
        all[4 - r] = (struct member_ref){r, 0};
    }
    assert_int_equal(pool_middle(arena_reserve(1 << 20), &j, all, 5).rank, 2);
    assert_int_equal(pool_middle(arena_reserve(1 << 20), &j, all + 1, 4).rank, 1);
    assert_int_equal(pool_middle(arena_reserve(1 << 20), &j, all, 1).rank, 4);
    rows[1].part_ns[SEGMENT_COPY] = 15; /* two below, two that are equal */
    assert_int_equal(pool_middle(arena_reserve(1 << 20), &j, all, 5).rank, 2);
    rows[3].part_ns[SEGMENT_COPY] = 30; /* 10, 15, 20, 30, 50 */
    assert_int_equal(pool_middle(arena_reserve(1 << 20), &j, all, 5).rank, 2);
    assert_int_equal(pool_middle(arena_reserve(1 << 20), &j, all + 1, 4).rank, 1);
}

/* Against a rank that computes 20 and copies 10, one that computes 50 and copies 40 is
 * 60 later, one that computes 25 and copies 4 is not late. */
static void only_a_late_rank_is_told_what_it_did(void **state)
{
    struct job_member rows[] = {
        {.part_ns = {[SEGMENT_COMPUTE] = 20, [SEGMENT_COPY] = 10}},
        {.part_ns = {[SEGMENT_COMPUTE] = 50, [SEGMENT_COPY] = 40}},
        {.part_ns = {[SEGMENT_COMPUTE] = 25, [SEGMENT_COPY] = 4}}};
    struct job_rank ranks[3];
    struct job_instance x = {.n_members = 3, .step = -1, .is_decomposed = true};
    struct member_ref all[3], middle;
    struct job_lateness late[3] = {0};
    struct job_signature s = {.kind = COLLECTIVE_ALL_REDUCE};
    struct job j = {.ranks = ranks,
                    .n_ranks = 3,
                    .signatures = &s,
                    .instances = &x,
                    .middles = &middle};
    struct lateness of = {.j = &j, .of = {late}};
    (void)state;
    for (int r = 0; r < 3; r++) {
        ranks[r] = (struct job_rank){.rows = &rows[r], .n_rows = 1};
        ranks[r].work_ns[WORK_GEMM] = rows[r].part_ns[SEGMENT_COMPUTE];
        all[r] = (struct member_ref){r, 0};
    }
    late_in_pool(&of, 0, arena_reserve(1 << 20), 0, all, 3);
    late_in_pool(&of, 0, arena_reserve(1 << 20), 0, all, 3);
    assert_int_equal(middle.rank, 0);
    assert_int_equal(late[1].ns, 120);
    assert_int_equal(late[1].n, 2);
    assert_int_equal(late[1].part_ns[SEGMENT_COMPUTE], 60);
    assert_int_equal(late[1].part_ns[SEGMENT_COPY], 60);
    assert_int_equal(late[1].work_ns[WORK_GEMM], 60);
    assert_int_equal(late[0].n + late[2].n, 0);
    struct job_lateness sum = {.ns = 1, .n = 1};
    add_lateness(&sum, &late[1]);
    assert_int_equal(sum.ns, 121);
    assert_int_equal(sum.n, 3);
    assert_int_equal(sum.part_ns[SEGMENT_COPY], 60);
    assert_int_equal(sum.work_ns[WORK_GEMM], 60);
}

/* A stay of 50 in a collective that takes the quickest rank 20 moves data in its last
 * 20, of which computation covers 5; of the exposed 40, the rest is waiting. */
static void the_end_of_a_stay_moves_data(void **state)
{
    struct job_member rows[] = {{.start_ns = 100, .dur_ns = 50}};
    struct capture_block covers[] = {{140, 5}};
    struct job_instance x = {.is_decomposed = true, .min_dur_ns = 20};
    struct job_rank ranks[] = {{.rows = rows,
                                .n_rows = 1,
                                .covers = covers,
                                .n_covers = 1,
                                .balance = {.wait_ns = 40, .compute_ns = 100}},
                               {.balance = {.compute_ns = 300}}};
    struct job j = {.ranks = ranks, .n_ranks = 2, .instances = &x};
    (void)state;
    job_balances(arena_reserve(1 << 20), &j);
    assert_int_equal(ranks[0].balance.transfer_ns, 15);
    assert_int_equal(ranks[0].balance.wait_ns, 25);
    assert_int_equal(ranks[1].balance.transfer_ns, 0);
    assert_true(j.imbalance_frac == 0.5); /* 300 to the mean of 200 */
    ranks[0].balance.wait_ns = 10;        /* no more than is exposed */
    job_balances(arena_reserve(1 << 20), &j);
    assert_int_equal(ranks[0].balance.transfer_ns, 10);
    assert_int_equal(ranks[0].balance.wait_ns, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(senders_are_compared_with_senders),
        cmocka_unit_test(a_family_moves_the_same_bytes),
        cmocka_unit_test(a_role_is_a_whole_word),
        cmocka_unit_test(a_group_without_a_name_is_known_by_what_it_does),
        cmocka_unit_test(a_rank_is_on_its_own_node_or_where_others_would_be),
        cmocka_unit_test(of_equal_ranks_in_the_middle_the_middle_one),
        cmocka_unit_test(only_a_late_rank_is_told_what_it_did),
        cmocka_unit_test(the_end_of_a_stay_moves_data)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
