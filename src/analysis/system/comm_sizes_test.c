#include "comm_sizes.c"

#include "analysis/trace_case.h"

#include <math.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void collective(struct trace_case *c, double at, double us, long elements, int k)
{
    char more[400];
    snprintf(more, sizeof more,
             "\"correlation\":%d,\"stream\":20,\"Collective name\":\"allreduce\","
             "\"Process Group Name\":\"0\",\"Process Group Ranks\":\"[0, 1, 2, 3]\","
             "\"Group size\":4,\"dtype\":\"Float\",\"In msg nelems\":%ld,"
             "\"Out msg nelems\":%ld,\"In split size\":\"[]\","
             "\"Out split size\":\"[]\"",
             k, elements, elements);
    case_call(c, "cudaLaunchKernelExC", 2 * k, 1, k);
    case_event(c, "kernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL", 20, at, us,
               more);
}

static void compute(struct trace_case *c, const char *kernel, double at, double us,
                    int k)
{
    char more[120];
    snprintf(more, sizeof more,
             "\"correlation\":%d,\"stream\":7,\"grid\":[80,1,1],\"block\":[128,1,1]",
             k);
    case_call(c, "cudaLaunchKernel", 2 * k, 1, k);
    case_event(c, "kernel", kernel, 7, at, us, more);
}

static struct comm_sizes find(struct trace_case *c, double link_gb_s)
{
    struct device_spec device = {.peer_link_gb_per_s = link_gb_s};
    case_open(c, &device);
    struct analysis a = {.tables = &c->tables};
    return comm_sizes_of(&c->perm, c->tmp, &a);
}

/* 40 MB among 4 ranks in 400 us at best: 100 GB/s, 150 on the bus. 400 B in 8 us: at
 * that rate 4 ns; 600 KB would take 6 us, 840 KB 8.4. */
static void rates_are_of_the_shortest_call(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    collective(&c, 1000, 400, 10000000, 1);
    collective(&c, 2000, 500, 10000000, 2);
    collective(&c, 3000, 700, 10000000, 3);
    collective(&c, 4000, 8, 100, 4);
    collective(&c, 5000, 20, 150000, 5);
    collective(&c, 6000, 21, 210000, 6);
    struct comm_sizes f = find(&c, 450);
    struct analysis a = {.tables = &c.tables};
    struct comm_size most = comm_size_most(&a, COMM_ALL_REDUCE);
    assert_near(most.bytes, 4e7, 1);
    assert_near(most.median_bus_gb_s, 120, 1e-6);
    assert_true(isnan(comm_size_most(&a, COMM_ALL_GATHER).bytes));
    assert_int_equal(f.n, 4);
    assert_near(f.best_link_pct, 100.0 / 3, 1e-6);
    assert_int_equal(f.rows[0].kind, COLLECTIVE_ALL_REDUCE);
    assert_int_equal(f.rows[0].ranks, 4);
    assert_near(f.rows[0].bytes, 4e7, 1);
    assert_near(f.rows[0].algorithm_gb_s, 100, 1e-6);
    assert_near(f.rows[0].bus_gb_s, 150, 1e-6);
    assert_near(f.rows[0].median_bus_gb_s, 120, 1e-6);
    assert_near(f.rows[0].link_pct, 100.0 / 3, 1e-6);
    assert_false(f.rows[0].small);
    for (int k = 1; k < 4; k++)
        assert_int_equal(f.rows[k].small, f.rows[k].bytes < 800000);
    assert_int_equal(f.n_small, 2);
    assert_near(f.small_ms, 0.028, 1e-9);
    assert_true(isnan(f.slowed_pct));
    case_close(&c);
}

/* Of one kernel three calls alone of 100 us, three beside a collective of 130; of
 * another 50 and 60. One that is half beside it counts for neither. */
static void kernels_beside_are_compared_with_those_alone(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    collective(&c, 1000, 400, 10000000, 1);
    for (int k = 0; k < 3; k++) {
        compute(&c, "gemm", 1000 + 131 * k, 130, 10 + k);
        compute(&c, "gemm", 2000 + 101 * k, 100, 20 + k);
        compute(&c, "conv", 3000 + 61 * k, 60, 40 + k);
        compute(&c, "conv", 4000 + 51 * k, 50, 50 + k);
    }
    compute(&c, "gemm", 1395, 100, 30);
    collective(&c, 3000, 400, 10000000, 2);
    struct comm_sizes f = find(&c, 0);
    assert_int_equal(f.n_beside, 6);
    assert_near(f.slowed_pct, 100 * 0.12 / 0.45, 1e-9);
    assert_near(f.lost_ms, 0.12, 1e-9);
    assert_near(f.beside_ms, 0.57, 1e-9);
    assert_true(isnan(f.rows[0].link_pct));
    case_close(&c);
}

/* One rank, no bytes or no time have no rate; more than 8 ranks are in several nodes.
 */
static void what_has_a_rate(void **state)
{
    (void)state;
    struct comm_size r = {.bytes = 1, .min_us = 1, .ranks = 2}, x = r;
    assert_true(is_sized(&x));
    x.ranks = 1;
    assert_false(is_sized(&x));
    x = r;
    x.bytes = 0;
    assert_false(is_sized(&x));
    x = r;
    x.min_us = 0;
    assert_false(is_sized(&x));
    x.ranks = 8;
    assert_false(comm_size_is_far(&x));
    x.ranks = 9;
    assert_true(comm_size_is_far(&x));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_are_of_the_shortest_call),
        cmocka_unit_test(what_has_a_rate),
        cmocka_unit_test(kernels_beside_are_compared_with_those_alone)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
