#include "job/job_bandwidth.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/near_case.h"

enum { GROUPS = 4, RANKS = 8 };

/* Four nodes of two ranks, and a pair of ranks of each two neighbouring nodes as a
 * group: 0-1, 1-2, 2-3, 3-0; one collective each. */
struct case_job {
    struct arena perm, tmp;
    struct job j;
    struct job_rank ranks[RANKS];
    struct job_group groups[GROUPS];
    struct job_instance instances[GROUPS];
    int32_t in[GROUPS][2];
};

static void make(struct case_job *c, const int64_t *transfer_ns)
{
    *c = (struct case_job){.perm = arena_reserve(1 << 20),
                           .tmp = arena_reserve(1 << 20)};
    for (int i = 0; i < RANKS; i++)
        c->ranks[i] = (struct job_rank){.rank = i, .node = i / 2};
    for (int g = 0; g < GROUPS; g++) {
        c->in[g][0] = 2 * g;
        c->in[g][1] = (2 * g + 2) % RANKS;
        c->groups[g] = (struct job_group){.ranks = c->in[g],
                                          .n_ranks = 2,
                                          .first_instance = g,
                                          .n_instances = 1,
                                          .crosses_nodes = true,
                                          .slow_ratio = (double)NAN};
        c->instances[g] = (struct job_instance){.is_decomposed = true,
                                                .is_complete = true,
                                                .min_dur_ns = transfer_ns[g],
                                                .even_frac = 1};
    }
    c->j = (struct job){.ranks = c->ranks,
                        .n_ranks = RANKS,
                        .groups = c->groups,
                        .n_groups = GROUPS,
                        .instances = c->instances,
                        .n_instances = GROUPS,
                        .n_nodes = 4};
    job_slow_links(&c->perm, c->tmp, &c->j);
}

static void a_node_all_of_whose_groups_are_slow_is_told(void **state)
{
    struct case_job c;
    (void)state;
    make(&c, (int64_t[]){100000, 150000, 150000, 100000});
    assert_int_equal(c.j.n_suspects, 1);
    assert_int_equal(c.j.suspects[0].node, 2);
    assert_int_equal(c.j.suspects[0].n_slow, 2);
    assert_false(c.j.suspects[0].inside);
    assert_int_equal((int)(10 * c.j.suspects[0].ratio), 15);
}

static void one_slow_group_tells_no_node(void **state)
{
    struct case_job c;
    (void)state;
    make(&c, (int64_t[]){100000, 150000, 100000, 100000});
    assert_true(c.groups[1].is_slow);
    assert_int_equal(c.j.n_suspects, 0);
}

static void equal_groups_are_not_slow(void **state)
{
    struct case_job c;
    (void)state;
    make(&c, (int64_t[]){100000, 110000, 119000, 100000});
    for (int g = 0; g < GROUPS; g++)
        assert_false(c.groups[g].is_slow);
    make(&c, (int64_t[]){1000, 5000, 5000, 1000}); /* a few us are nothing */
    assert_int_equal(c.j.n_suspects, 0);
}

/* Three of four are slow: what is usual is what the quicker ones take. */
static void most_groups_may_be_slow(void **state)
{
    struct case_job c;
    (void)state;
    make(&c, (int64_t[]){150000, 150000, 100000, 150000});
    for (int g = 0; g < GROUPS; g++) {
        assert_int_equal(c.groups[g].is_slow, g != 2);
        assert_near(c.groups[g].slow_ratio, g == 2 ? 1 : 1.5, 1e-9);
    }
}

/* 20 us and 1 ns for each 50 bytes: the size that is off moves neither. */
static void sizes_tell_latency_and_rate(void **state)
{
    (void)state;
    struct arena perm = arena_reserve(1 << 20), tmp = arena_reserve(1 << 20);
    struct job_bandwidth b[] = {{.bytes = 100000, .transfer_ns = 22000},
                                {.bytes = 500000, .transfer_ns = 30000},
                                {.bytes = 1000000, .transfer_ns = 40000},
                                {.bytes = 2000000, .transfer_ns = 60000},
                                {.bytes = 3000000, .transfer_ns = 95000}};
    for (int k = 0; k < 5; k++)
        b[k].ranks = 4;
    struct job j = {0};
    fit_rows(&perm, tmp, &j, b, 5);
    assert_int_equal(j.n_fits, 1);
    assert_int_equal(j.fits[0].ranks, 4);
    assert_int_equal(j.fits[0].n_sizes, 5);
    assert_near(j.fits[0].latency_us, 20, 1e-6);
    assert_near(j.fits[0].gb_s, 50, 1e-6);
}

/* More bytes that take no longer tell nothing of a rate. */
static void equal_times_tell_no_rate(void **state)
{
    (void)state;
    struct arena perm = arena_reserve(1 << 20), tmp = arena_reserve(1 << 20);
    struct job_bandwidth b[] = {{.bytes = 100, .transfer_ns = 20000},
                                {.bytes = 200, .transfer_ns = 20000}};
    struct job j = {0};
    fit_rows(&perm, tmp, &j, b, 2);
    b[1].bytes = 100;
    fit_rows(&perm, tmp, &j, b, 2);
    assert_int_equal(j.n_fits, 0);
}

/* What each column is of: four all-reduces of 3 MB among four ranks, of which the bus
 * carries one and a half times as much; one does not count for the skew. Between nodes
 * the peak is that of links between nodes. */
static void a_row_has_all_that_its_samples_say(void **state)
{
    (void)state;
    struct arena tmp = arena_reserve(1 << 20);
    struct job j = {.options.link_gb_s = {400, 50}};
    struct sample s[4];
    static const int64_t transfer_ns[] = {300000, 100000, 900000, 200000},
                         skew_ns[] = {-1, 7, 5, 9}, wait_ns[] = {1, 20, 300, 4000};
    for (int k = 0; k < 4; k++)
        s[k] = (struct sample){{.kind = COLLECTIVE_ALL_REDUCE,
                                .dtype = S("bf16"),
                                .bytes = 3000000,
                                .ranks = 4},
                               transfer_ns[k],
                               skew_ns[k],
                               wait_ns[k],
                               k};
    for (int crosses = 0; crosses < 2; crosses++) {
        s[0].key.crosses_nodes = crosses;
        struct job_bandwidth b = row_of(tmp, &j, s, 4);
        assert_int_equal(b.n, 4);
        assert_int_equal(b.transfer_ns, 250000); /* between the middle ones */
        assert_int_equal(b.p95_ns, 300000);      /* of four that is the third */
        assert_int_equal(b.wait_ns, 4321);
        assert_int_equal(b.skew_ns, 7);
        assert_near(b.algorithm_gb_s, 12, 1e-9);
        assert_near(b.bus_gb_s, 18, 1e-9);
        assert_near(b.peak_frac, crosses ? 0.36 : 0.045, 1e-9);
    }
    s[0].key.bytes = -1;
    assert_true(isnan(row_of(tmp, &j, s, 4).algorithm_gb_s));
    assert_int_equal(row_of(tmp, &j, s, 1).skew_ns, -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_node_all_of_whose_groups_are_slow_is_told),
        cmocka_unit_test(one_slow_group_tells_no_node),
        cmocka_unit_test(equal_groups_are_not_slow),
        cmocka_unit_test(most_groups_may_be_slow),
        cmocka_unit_test(sizes_tell_latency_and_rate),
        cmocka_unit_test(equal_times_tell_no_rate),
        cmocka_unit_test(a_row_has_all_that_its_samples_say)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
