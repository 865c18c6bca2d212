#include "report/job/job_gates.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct arena perm;

static int set_up(void **state)
{
    (void)state;
    perm = arena_reserve(1 << 24);
    return 0;
}

enum { MS = 1000000 };

/* Runs of 100 ms and of 130 ms; computing takes 50 and 55 ms, the rest is waiting. */
static struct outline_rank named[2][1] = {{{.rank = 4}},
                                          {{.rank = 4, .is_named = true}}};

static struct job_outline made(int side)
{
    struct job_outline o = {.n_ranks = 2,
                            .n_expected = 2,
                            .n_nodes = 1,
                            .n_steps = 1,
                            .n_instances = 10,
                            .run_ns = side ? 130 * MS : 100 * MS,
                            .ranks = named[side],
                            .n_listed = 1};
    o.parts[JOB_PART_COMPUTE].sum_ns = side ? 110 * MS : 100 * MS;
    o.parts[JOB_PART_WAIT].sum_ns = side ? 150 * MS : 100 * MS;
    return o;
}

static struct gate_result gated(const char *text, struct job_outline *ref,
                                struct job_outline *cand)
{
    struct gate_expr *g = arena_new(&perm, struct gate_expr, 1);
    struct job_comparison c = job_compare(&perm, ref, cand);
    struct err e = {0};
    assert_true(job_compare_gate_read(text, g, &e));
    return job_compare_gate(&perm, g, &c);
}

static void test_times(void **state)
{
    (void)state;
    struct job_outline a = made(0), b = made(1);
    struct gate_result r = gated("regression>5%", &a, &b);
    assert_int_equal(r.status, GATE_FAILED);
    assert_non_null(strstr(r.says.p, "computing +10.0% of reference"));
    assert_int_equal(gated("regression>11%", &a, &b).status, GATE_PASSED);
    assert_int_equal(gated("regression>5%", &b, &a).status, GATE_PASSED);
    assert_int_equal(gated("regression>0.5%", &a, &b).status, GATE_FAILED);
    assert_int_equal(gated("regression>0.5%", &a, &a).status, GATE_NOT_EVALUATED);
    assert_int_equal(gated("regression(category:wait)>40%", &a, &b).status,
                     GATE_FAILED);
    assert_int_equal(gated("regression(wall)>20%", &a, &b).status, GATE_FAILED);
    b.run_ns = 110 * MS; /* within what one run a side shows */
    assert_int_equal(gated("regression(wall)>5%", &a, &b).status, GATE_NOT_EVALUATED);
}

static void test_ranks_and_setup(void **state)
{
    (void)state;
    struct job_outline a = made(0), b = made(1);
    struct gate_result r = gated("new-finding", &a, &b);
    assert_int_equal(r.status, GATE_FAILED);
    assert_non_null(strstr(r.says.p, "rank 4 is newly late"));
    named[0][0].rank = named[1][0].rank = 0;
    r = gated("new-finding", &a, &b);
    assert_int_equal(r.status, GATE_FAILED);
    assert_non_null(strstr(r.says.p, "rank 0 is newly late"));
    assert_int_equal(gated("new-finding", &b, &a).status, GATE_PASSED);
    assert_int_equal(gated("setup", &a, &b).status, GATE_PASSED);
    b.n_ranks = 3;
    r = gated("setup", &a, &b);
    assert_int_equal(r.status, GATE_FAILED);
    assert_non_null(strstr(r.says.p, "first: Ranks with a trace"));
    assert_int_equal(gated("regression>5%", &a, &b).status, GATE_NOT_EVALUATED);
}

static void test_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"unmatched>5%", "regression(row)>5%", "high",
                                        "regression(category:GEMM)>5%", "x"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct gate_expr g;
        struct err e = {0};
        assert_false(job_compare_gate_read(texts[i], &g, &e));
        assert_int_equal(e.kind, ERR_USAGE);
    }
}

/* Of a job alone. */
static void a_condition_of_a_job_is_read(void **state)
{
    static const struct {
        const char *text;
        enum job_measure measure;
        double limit;
        bool below;
    } good[] = {{"slowdown>1.15", MEASURE_SLOWDOWN, 1.15, false},
                {"straggler>5%", MEASURE_STRAGGLER, 5, false},
                {"missing>0", MEASURE_MISSING, 0, false},
                {"warn: missing>0", MEASURE_MISSING, 0, false},
                {"busbw(all-reduce)<120", MEASURE_BUS, 120, true}};
    static const char *const bad[] = {"slowdown",
                                      "slowdown>",
                                      "slowdown>5%",
                                      "straggler>5",
                                      "missing>0 ",
                                      "busbw(none)<1",
                                      "busbw(all-reduce<1",
                                      "wait>1",
                                      "slowdown>nan",
                                      "missing>1e999",
                                      ""};
    struct job_gate g;
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        struct err e = {0};
        assert_true(job_gate_read(good[i].text, &g, &e));
        assert_int_equal(g.measure, good[i].measure);
        assert_true(g.of.limit == good[i].limit);
        assert_int_equal(g.of.below, good[i].below);
        assert_int_equal(g.of.unit,
                         g.measure == MEASURE_STRAGGLER ? GATE_PERCENT : GATE_NUMBER);
        assert_int_equal(g.of.warns, good[i].text[0] == 'w');
    }
    assert_int_equal(g.kind, COLLECTIVE_ALL_REDUCE);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct err e = {0};
        assert_false(job_gate_read(bad[i], &g, &e));
        assert_int_equal(e.kind, ERR_USAGE);
    }
}

static bool holds(const char *text, const struct job *of, double want)
{
    struct job_gate g;
    struct err e = {0};
    assert_true(job_gate_read(text, &g, &e));
    struct gate_result r = job_gate(&perm, &g, of);
    if (isnan(want))
        assert_int_equal(r.status, GATE_NOT_EVALUATED);
    else
        assert_true(fabs(r.value - want) < 1e-9);
    return r.status != GATE_FAILED;
}

static void a_condition_of_a_job_holds_at_its_limit(void **state)
{
    struct job_rank of_ranks[2] = {{.has_whatif = true, .save_ns = 5},
                                   {.save_ns = 90}}; /* not asked of the second */
    struct job_bandwidth rates[2] = {{.kind = COLLECTIVE_ALL_GATHER, .bus_gb_s = 10},
                                     {.kind = COLLECTIVE_ALL_REDUCE, .bus_gb_s = 120}};
    struct job j = {.ranks = of_ranks,
                    .n_ranks = 2,
                    .n_missing = 1,
                    .identity_ns = 100,
                    .ideal_ns = 80,
                    .whatif_shown = true,
                    .bandwidth = rates,
                    .n_bandwidth = 2};
    (void)state;
    assert_true(holds("slowdown>1.25", &j, 1.25));
    assert_false(holds("slowdown>1.24", &j, 1.25));
    assert_true(holds("straggler>5%", &j, 5));
    assert_false(holds("straggler>4.9%", &j, 5));
    assert_false(holds("missing>0", &j, 1));
    assert_true(holds("busbw(all-reduce)<120", &j, 120));
    assert_false(holds("busbw(all-reduce)<121", &j, 120));
    assert_true(holds("busbw(broadcast)<1", &j, (double)NAN));
    j.whatif_shown = false; /* not known is no failure */
    assert_true(holds("slowdown>1", &j, (double)NAN));
    assert_true(holds("straggler>1%", &j, (double)NAN));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_condition_of_a_job_is_read),
        cmocka_unit_test(a_condition_of_a_job_holds_at_its_limit),
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_ranks_and_setup),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
