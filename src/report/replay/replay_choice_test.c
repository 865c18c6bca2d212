#include "replay_choice.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "report/op_case.h"

#include <cmocka.h>
#include <math.h>

static struct arena perm;

enum { FINDINGS = 6 };
static struct op_call_row firsts[FINDINGS];
static struct op_group groups[FINDINGS];
static struct work_row rows[FINDINGS];
static const struct work_row *of_finding[FINDINGS][1];
static struct finding findings[FINDINGS];
static struct analysis analysis;

static void add(const char *op, double compute_pct, double efficiency_pct)
{
    int i = analysis.n_findings++;
    firsts[i].name = rows[i].name = str_of(op);
    groups[i].first = &firsts[i];
    rows[i].group = &groups[i];
    of_finding[i][0] = &rows[i];
    findings[i] = (struct finding){.tier = TIER_COMPUTE,
                                   .rows = of_finding[i],
                                   .n_rows = 1,
                                   .compute_pct = compute_pct,
                                   .efficiency_pct = efficiency_pct,
                                   .replay_recommended = true};
    analysis.findings = findings;
}

static int start(void **state)
{
    (void)state;
    analysis = (struct analysis){0};
    return 0;
}

static struct replay_request *choose(const char *mode, int32_t *n)
{
    return replay_choose(&perm, perm, &analysis, mode, n);
}

/* The seeds: more than 10 % of compute and below 30 % of peak. */
static void the_rule_is_that_of_the_seeds(void **state)
{
    int32_t n;
    (void)state;
    add("aten::mm", 10.1, 29.9);
    add("aten::bmm", 10.0, 5.0);  /* not more than 10 */
    add("aten::add", 50.0, 30.0); /* not below 30 */
    add("aten::mul", 50.0, (double)NAN);
    add("aten::mm", 20.0, 1.0); /* once */
    add("aten::exp", 90.0, 1.0);
    findings[5].tier = TIER_SYSTEM;
    struct replay_request *r = choose("auto", &n);
    assert_int_equal(n, 1);
    assert_true(str_eq(r[0].op, S("aten::mm")));
    findings[0].replay_recommended = findings[4].replay_recommended = false;
    choose("auto", &n);
    assert_int_equal(n, 0);
}

static void what_the_user_says_comes_before_the_rule(void **state)
{
    int32_t n;
    (void)state;
    add("aten::mm", 90.0, 1.0);
    assert_null(choose("none", &n));
    assert_int_equal(n, 0);
    struct replay_request *r = choose("aten::neg,aten::exp", &n);
    assert_int_equal(n, 2);
    assert_true(str_eq(r[1].op, S("aten::exp")));
}

static void a_finding_has_its_package_or_the_reason_why_not(void **state)
{
    struct report_op ops[] = {op_case(S("aten::mm"), 0, 0),
                              op_case(S("aten::add"), 0, 0)};
    int of[] = {0};
    struct finding found[] = {
        {.tier = TIER_COMPUTE, .op = S("aten::mm")},
        {.tier = TIER_COMPUTE, .op = S("aten::add")},
        {.tier = TIER_COMPUTE, .op = S("aten::index")},
        {.tier = TIER_COMPUTE, .op = S("triton_poi_fused_0")},
        {.tier = TIER_COMPUTE, .op = S("triton_poi_fused_0")},
        {.tier = TIER_SYSTEM, .op = S("cudaMemcpyAsync")},
    };
    struct report_finding f[6] = {{.ops = of, .n_ops = 1}};
    struct replay_package p = {.op = S("aten::mm"),
                               .file = S("replay_packages/x.zip"),
                               .n_calls = 3,
                               .total_us = 4000.0};
    struct replay_refusal refusal = {S("aten::index"), S("no shapes are recorded"), 0,
                                     0};
    struct replay_set s = {&p, &refusal, 1, 1};
    struct report r = {.ops = ops,
                       .n_ops = 2,
                       .findings = f,
                       .n_findings = 6,
                       .meta.has_shapes = true};
    (void)state;
    for (int i = 0; i < 6; i++) {
        found[i].replay_recommended = true;
        f[i].of = &found[i];
    }
    replay_mark_report(&perm, &r, &s);
    assert_int_equal(r.n_kits, 1);
    assert_int_equal(r.kits[0].sets, 3);
    assert_true(r.kits[0].time_ms == 4.0);
    assert_true(str_eq(ops[0].kit, p.file) && ops[1].kit.n == 0);
    assert_true(str_eq(f[0].kit, p.file) && f[0].no_kit.n == 0);
    assert_true(f[1].kit.n == 0 && f[1].no_kit.n == 0); /* nobody asked */
    assert_true(str_eq(f[2].no_kit, refusal.reason));
    assert_true(str_starts(f[3].no_kit, S("a kernel generated for one compiled")));
    assert_true(f[4].no_kit.n > 0);
    assert_int_equal(f[5].no_kit.n, 0);
    /* Each operation once. */
    assert_int_equal(r.n_no_kits, 2);
    assert_true(str_eq(r.no_kits[1].name, S("triton_poi_fused_0")));
    assert_int_equal(r.n_refused, 1);
    r.meta.has_shapes = false;
    replay_mark_report(&perm, &r, &s);
    assert_true(str_starts(f[1].no_kit, S("no shapes")));
    assert_true(f[0].no_kit.n == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_rule_is_that_of_the_seeds, start),
        cmocka_unit_test_setup(what_the_user_says_comes_before_the_rule, start),
        cmocka_unit_test_setup(a_finding_has_its_package_or_the_reason_why_not, start),
    };
    perm = arena_reserve(1 << 26);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
