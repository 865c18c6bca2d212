#include "capture/capture_collectives.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena_case.h"
#include "trace/kineto_collective.h"

static struct collective_facts facts;

static void begin(void)
{
    facts = (struct collective_facts){
        .s = {.in_elements = -1, .out_elements = -1, .root = -1},
        .peer = -1,
        .group_size = -1,
        .first_rank = -1,
        .stride = -1};
}

static const struct value *json(const char *text)
{
    return json_value(&a, str_of(text));
}

static void wholes_are_not_negative(void **state)
{
    static const struct {
        const char *json;
        int64_t want;
    } cases[] = {{"12", 12},     {"0", 0},       {"-1", -1},   {"1.5", -1},
                 {"\"34\"", 34}, {"\"-3\"", -1}, {"9e15", -1}, {"[1]", -1}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(whole(json(cases[i].json)), cases[i].want);
}

static void describe(const char *recorded, enum fact_source from)
{
    struct collective c = no_collective;
    kineto_collective(&a, json(recorded), &c);
    read_described(&facts, &c, from);
}

/* What the kernel says stays; the operator says the rest. */
static void the_first_that_says_a_fact_counts(void **state)
{
    (void)state;
    begin();
    describe("{\"Collective name\":\"allreduce\",\"In msg nelems\":8,"
             "\"dtype\":\"Float\",\"Group size\":4,\"In split size\":[1, 2]}",
             FACT_KERNEL);
    describe("{\"Collective name\":\"allgather\",\"In msg nelems\":9,"
             "\"Out msg nelems\":32,\"dtype\":\"Half\",\"Group size\":2,"
             "\"Process Group Name\":\"tp\",\"Root rank\":3}",
             FACT_OPERATOR);
    assert_int_equal(facts.kind, COLLECTIVE_ALL_REDUCE);
    assert_int_equal(facts.s.kind_source, FACT_KERNEL);
    assert_int_equal(facts.s.in_elements, 8);
    assert_int_equal(facts.s.size_source, FACT_KERNEL);
    assert_int_equal(facts.s.out_elements, 32);
    assert_int_equal(facts.group_size, 4);
    assert_int_equal(facts.s.root, 3);
    assert_text(facts.s.dtype, "Float");
    assert_text(facts.s.name, "allreduce");
    assert_text(facts.s.in_split, "(1, 2)");
    assert_text(facts.group_name, "tp");
}

/* A send has its peer where it goes, all else where it comes from. */
static void the_peer_is_at_the_other_end(void **state)
{
    (void)state;
    for (int send = 0; send < 2; send++) {
        begin();
        facts.kind = send ? COLLECTIVE_SEND : COLLECTIVE_RECV;
        describe("{\"Src Rank\":2,\"Dst Rank\":5}", FACT_KERNEL);
        assert_int_equal(facts.peer, send ? 5 : 2);
    }
    begin();
    describe("{\"Src Rank\":2147483647}", FACT_KERNEL);
    assert_int_equal(facts.peer, -1);
    describe("[1]", FACT_KERNEL);
}

static void a_number_is_behind_or_before_the_tensors(void **state)
{
    (void)state;
    assert_int_equal(recorded_sequence(json("[[], 17, 3, 4, 5, 6, 7, 8]")), 17);
    assert_int_equal(recorded_sequence(json("[18, \"x\", 3, 4, 5, 6, 7, 8]")), 18);
    assert_int_equal(recorded_sequence(json("[[], 17, 3, 4, 5, 6, 7]")), -1);
    assert_int_equal(recorded_sequence(json("[[], [], 3, 4, 5, 6, 7, 8]")), -1);
}

static void elements_are_the_product_of_a_shape(void **state)
{
    (void)state;
    assert_int_equal(elements_of(json("[4, 1024]")), 4096);
    assert_int_equal(elements_of(json("[7]")), 7);
    assert_int_equal(elements_of(json("[]")), -1);
    assert_int_equal(elements_of(json("[4, 0]")), 0);
    assert_int_equal(elements_of(json("[4, -1]")), -1);
    assert_int_equal(elements_of(json("[[4], 2]")), -1);
    assert_int_equal(elements_of(json("[1000000000000, 9000000, 2]")), -1);
    assert_int_equal(elements_of(json("[1000000000001]")), -1);
}

static void the_name_says_what_nothing_else_does(void **state)
{
    (void)state;
    begin();
    read_name(&facts, S("ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgs)"));
    assert_int_equal(facts.kind, COLLECTIVE_ALL_GATHER);
    assert_int_equal(facts.s.kind_source, FACT_NAME);
    assert_false(facts.s.custom);
    begin();
    facts.kind = COLLECTIVE_ALL_REDUCE;
    facts.s.kind_source = FACT_OPERATOR;
    read_name(&facts, S("cross_device_reduce_1stage"));
    assert_int_equal(facts.kind, COLLECTIVE_ALL_REDUCE);
    assert_int_equal(facts.s.kind_source, FACT_OPERATOR);
    assert_true(facts.s.custom);
}

static void ranks_are(const struct capture_group *g, const char *source, int n,
                      const int32_t *want)
{
    assert_string_equal(str_c(&a, g->source), source);
    assert_int_equal(g->n_ranks, n);
    for (int i = 0; i < n; i++)
        assert_int_equal(g->ranks[i], want[i]);
}

static void ranks_are_sorted_and_distinct(void **state)
{
    struct capture_group g = {0};
    (void)state;
    assert_true(read_ranks(&a, json("[6, 2, 6, 0]"), &g, "collective"));
    ranks_are(&g, "collective", 3, (const int32_t[]){0, 2, 6});
    assert_false(read_ranks(&a, json("[]"), &g, "x"));
    assert_false(read_ranks(&a, json("[1, -1]"), &g, "x"));
    assert_false(read_ranks(&a, json("[1048577]"), &g, "x"));
    assert_true(read_ranks(&a, json("[1048576]"), &g, "x"));
}

/* The ranks as listed; a list that was cut is looked up; else start and stride. */
static void a_group_knows_its_ranks_by_one_of_three_ways(void **state)
{
    struct machine_group configured = {.name = S("dp"), .ranks = json("[1, 3, 5]")};
    struct machine m = {.groups = &configured, .n_groups = 1};
    struct names n = {.perm = &a, .machine = &m};
    (void)state;
    begin();
    facts.group_ranks = S("[0, 1]");
    struct capture_group g = {.name = S("dp"), .size = 3};
    find_ranks(&n, &facts, &g);
    ranks_are(&g, "collective", 2, (const int32_t[]){0, 1});
    facts.group_ranks = S("[0, 1, ..., 7]");
    g = (struct capture_group){.name = S("dp"), .size = 3};
    find_ranks(&n, &facts, &g);
    ranks_are(&g, "configuration", 3, (const int32_t[]){1, 3, 5});
    g = (struct capture_group){.name = S("tp"), .size = 3};
    find_ranks(&n, &facts, &g);
    assert_int_equal(g.n_ranks, 0);
    facts.first_rank = 8;
    facts.stride = 2;
    find_ranks(&n, &facts, &g);
    ranks_are(&g, "first rank and stride", 3, (const int32_t[]){8, 10, 12});
    g = (struct capture_group){.size = 1 << 20};
    find_ranks(&n, &facts, &g); /* 2^20 ranks two apart are more than any job has */
    assert_int_equal(g.n_ranks, 0);
}

/* One row for each group, and for each kind and size in it. */
static void equal_collectives_share_a_signature(void **state)
{
    struct capture_ranks r = {0};
    struct machine m = {0};
    struct names n = {.perm = &a, .r = &r, .machine = &m};
    (void)state;
    pool_open(&n.groups);
    pool_open(&n.signatures);
    begin();
    facts.kind = COLLECTIVE_ALL_REDUCE;
    facts.group_name = S("tp");
    facts.group_ranks = S("[2, 3]");
    facts.s.in_elements = 64;
    assert_int_equal(signature_row(&n, &facts), 0);
    assert_int_equal(signature_row(&n, &facts), 0);
    facts.s.in_elements = 65;
    assert_int_equal(signature_row(&n, &facts), 1);
    facts.s.custom = true;
    assert_int_equal(signature_row(&n, &facts), 2);
    assert_int_equal(r.n_groups, 1);
    facts.group_ranks = S("[4, 5]"); /* of the same name */
    assert_int_equal(signature_row(&n, &facts), 3);
    assert_int_equal(r.n_groups, 2);
    assert_int_equal(r.n_signatures, 4);
    assert_int_equal(r.signatures[3].group, 1);
    assert_string_equal(str_c(&a, r.signatures[0].kind), "all-reduce");
    assert_int_equal(r.groups[0].size, 2); /* as many as are listed */
    assert_true(r.groups[0].key != r.groups[1].key);
    facts.group_size = 16;
    assert_int_equal(group_row(&n, &facts), 2);
    assert_int_equal(r.groups[2].size, 16); /* as recorded */
    assert_true(r.groups[2].key == r.groups[1].key);
    pool_close(&n.groups);
    pool_close(&n.signatures);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wholes_are_not_negative),
        cmocka_unit_test(the_first_that_says_a_fact_counts),
        cmocka_unit_test(the_peer_is_at_the_other_end),
        cmocka_unit_test(a_number_is_behind_or_before_the_tensors),
        cmocka_unit_test(elements_are_the_product_of_a_shape),
        cmocka_unit_test(the_name_says_what_nothing_else_does),
        cmocka_unit_test(ranks_are_sorted_and_distinct),
        cmocka_unit_test(a_group_knows_its_ranks_by_one_of_three_ways),
        cmocka_unit_test(equal_collectives_share_a_signature),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
