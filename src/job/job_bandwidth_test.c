#include "job/job_bandwidth.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/near_case.h"

enum { BETWEEN = 4, RANKS = 8, INSIDE = 8, GROUPS = BETWEEN + INSIDE };

/* Four nodes of two ranks, and a pair of ranks of each two neighbouring nodes as a
 * group: 0-1, 1-2, 2-3, 3-0; of each two collectives, of the second one the latter
 * lacks a rank. Then, if asked for, two groups inside each node. */
struct case_job {
    struct arena perm, tmp;
    struct job j;
    struct job_rank ranks[RANKS];
    struct job_group groups[GROUPS];
    struct job_instance instances[2 * GROUPS];
    int32_t in[GROUPS][2];
};

static void make_with(struct case_job *c, const int64_t *transfer_ns,
                      const int64_t *inside_ns)
{
    int n = inside_ns ? GROUPS : BETWEEN;
    *c = (struct case_job){.perm = arena_reserve(1 << 20),
                           .tmp = arena_reserve(1 << 20)};
    for (int i = 0; i < RANKS; i++)
        c->ranks[i] = (struct job_rank){.rank = i, .node = i / 2};
    for (int g = 0; g < n; g++) {
        bool between = g < BETWEEN;
        int64_t ns = between ? transfer_ns[g] : inside_ns[g - BETWEEN];
        c->in[g][0] = between ? 2 * g : (g - BETWEEN) / 2 * 2;
        c->in[g][1] = between ? (2 * g + 2) % RANKS : c->in[g][0] + 1;
        c->groups[g] = (struct job_group){.ranks = c->in[g],
                                          .n_ranks = 2,
                                          .first_instance = 2 * g,
                                          .n_instances = 2,
                                          .crosses_nodes = between,
                                          .slow_ratio = (double)NAN};
        for (int k = 0; k < 2; k++)
            c->instances[2 * g + k] =
                (struct job_instance){.is_decomposed = true,
                                      .is_complete = g != 1 || k == 0,
                                      .min_dur_ns = ns + (g == 1 ? 0
                                                          : k    ? 900
                                                                 : -900),
                                      .even_frac = 1};
    }
    c->j = (struct job){.ranks = c->ranks,
                        .n_ranks = RANKS,
                        .groups = c->groups,
                        .n_groups = n,
                        .instances = c->instances,
                        .n_instances = 2 * n,
                        .n_nodes = 4};
    job_slow_links(&c->perm, c->tmp, &c->j);
}

static void make(struct case_job *c, const int64_t *transfer_ns)
{
    make_with(c, transfer_ns, NULL);
}

/* Groups inside nodes have wires of their own: both of node 1 are slow against those of
 * other nodes, though far quicker than any between nodes. */
static void wires_inside_a_node_are_told_apart(void **state)
{
    struct case_job c;
    (void)state;
    make_with(&c, (int64_t[]){100000, 100000, 100000, 100000},
              (int64_t[]){20000, 20000, 30000, 32000, 20000, 20000, 20000, 20000});
    for (int g = 0; g < GROUPS; g++)
        assert_int_equal(c.groups[g].is_slow, g == BETWEEN + 2 || g == BETWEEN + 3);
    assert_int_equal(c.j.n_suspects, 1);
    const struct job_suspect *s = &c.j.suspects[0];
    assert_true(s->inside);
    assert_int_equal(s->node, 1);
    assert_int_equal(s->n_slow, 2);
    assert_int_equal(s->n_groups, 2);
    assert_near(s->frac, 1, 0);
    assert_near(s->other_frac, 0, 0);
    assert_near(s->ratio, 1.55, 1e-9);
    make_with(&c, (int64_t[]){100000, 150000, 150000, 100000},
              (int64_t[]){20000, 20000, 20000, 20000, 20000, 20000, 20000, 20000});
    assert_int_equal(c.j.n_suspects, 1);
    assert_false(c.j.suspects[0].inside);
    assert_int_equal(c.j.suspects[0].node, 2);
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
    for (int g = 0; g < BETWEEN; g++)
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
    for (int g = 0; g < BETWEEN; g++) {
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

/* Rows by kind, ranks, wires and size, the largest first; a fit needs four sizes, the
 * largest eight times the smallest. */
static void rows_are_of_what_is_alike(void **state)
{
    (void)state;
    struct arena perm = arena_reserve(1 << 20), tmp = arena_reserve(1 << 20);
    struct job_group groups[] = {
        {.size = 4}, {.size = 4, .crosses_nodes = true}, {.size = 2}};
    struct job_signature signatures[] = {
        {.kind = COLLECTIVE_ALL_REDUCE, .dtype = S("bf16"), .bytes = 100},
        {.kind = COLLECTIVE_ALL_REDUCE, .dtype = S("bf16"), .bytes = 400},
        {.kind = COLLECTIVE_ALL_REDUCE, .dtype = S("fp32"), .bytes = 400},
        {.kind = COLLECTIVE_ALL_GATHER, .dtype = S("bf16"), .bytes = 400},
        {.kind = COLLECTIVE_ALL_REDUCE, .dtype = S("bf16"), .bytes = 800},
        {.kind = COLLECTIVE_ALL_REDUCE, .dtype = S("bf16"), .bytes = 200}};
    static const struct {
        int signature, group;
    } calls[] = {{1, 0}, {0, 0}, {2, 0}, {1, 1}, {3, 0},
                 {1, 2}, {1, 0}, {5, 0}, {4, 0}};
    static const struct {
        int signature, group, n;
        int64_t transfer_ns;
    } want[] = {{1, 2, 1, 1400}, {4, 0, 1, 1800}, {1, 0, 2, 1400}, {2, 0, 1, 1400},
                {5, 0, 1, 1200}, {0, 0, 1, 1100}, {1, 1, 1, 1400}, {3, 0, 1, 1400}};
    struct job_instance instances[10] = {{0}};
    for (int k = 0; k < 9; k++)
        instances[k] = (struct job_instance){
            .signature = calls[k].signature,
            .group = calls[k].group,
            .min_dur_ns = 1000 + signatures[calls[k].signature].bytes,
            .is_decomposed = true};
    struct job j = {.groups = groups,
                    .signatures = signatures,
                    .instances = instances,
                    .n_instances = 10,
                    .options.first_step = -1};
    job_bandwidths(&perm, tmp, &j);
    assert_int_equal(j.n_bandwidth, 8);
    bool gathers_first = COLLECTIVE_ALL_GATHER < COLLECTIVE_ALL_REDUCE;
    for (int k = 0; k < 8; k++) {
        const struct job_bandwidth *b = &j.bandwidth[(k + gathers_first) % 8];
        const struct job_signature *s = &signatures[want[k].signature];
        assert_int_equal(b->kind, s->kind);
        assert_int_equal(b->bytes, s->bytes);
        assert_true(str_eq(b->dtype, s->dtype));
        assert_int_equal(b->ranks, groups[want[k].group].size);
        assert_int_equal(b->crosses_nodes, groups[want[k].group].crosses_nodes);
        assert_int_equal(b->n, want[k].n);
        assert_int_equal(b->transfer_ns, want[k].transfer_ns);
    }
    assert_int_equal(j.n_fits, 1);
    assert_int_equal(j.fits[0].n_sizes, 5);
    assert_near(j.fits[0].latency_us, 1, 1e-9);
    assert_near(j.fits[0].gb_s, 1, 1e-9);
    j.n_fits = 0;
    signatures[0].bytes = 101; /* not a range of eight */
    j.n_bandwidth = 0;
    job_bandwidths(&perm, tmp, &j);
    assert_int_equal(j.n_fits, 0);
    signatures[0].bytes = 100;
    instances[7].is_decomposed = instances[2].is_decomposed = false; /* three sizes */
    j.n_bandwidth = 0;
    job_bandwidths(&perm, tmp, &j);
    assert_int_equal(j.n_fits, 0);
    instances[7].is_decomposed = true; /* four */
    j.n_bandwidth = 0;
    job_bandwidths(&perm, tmp, &j);
    assert_int_equal(j.n_fits, 1);
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
        cmocka_unit_test(a_row_has_all_that_its_samples_say),
        cmocka_unit_test(wires_inside_a_node_are_told_apart),
        cmocka_unit_test(rows_are_of_what_is_alike)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
