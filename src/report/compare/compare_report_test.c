#include "compare_report.c"

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

/* One product that takes far longer than the hardware explains, and idle time. */
static struct capture sides[2];
static struct match matches[2];
static struct compared_row rows[2];
static struct compared_bar bars[2];

static struct comparison made(void)
{
    sides[0] = (struct capture){.label = S("old")};
    sides[1] = (struct capture){.label = S("new")};
    matches[0] = (struct match){.level = MATCH_CALL,
                                .n = {4, 4},
                                .ns = {10000000, 30000000},
                                .n_events = {4, 4},
                                .name = {S("aten::mm"), S("aten::mm")}};
    matches[1] = (struct match){.level = MATCH_ONLY_CANDIDATE,
                                .n = {0, 1},
                                .ns = {0, 1000000},
                                .n_events = {0, 1},
                                .name = {S(""), S("aten::new")}};
    rows[0] = (struct compared_row){.match = &matches[0],
                                    .expected = {.class = EXPLAINED_SLOWER,
                                                 .ratio = 3,
                                                 .low = 1,
                                                 .high = 1,
                                                 .saving_ns = 20000000},
                                    .judged = {.verdict = VERDICT_OBSERVED}};
    rows[1] = (struct compared_row){.match = &matches[1],
                                    .expected = {.saving_ns = (double)NAN}};
    bars[0] = (struct compared_bar){
        .kind = BAR_CLASS, .name = S("GEMM"), .ns = {10000000, 31000000}};
    bars[1] = (struct compared_bar){
        .kind = BAR_IDLE, .name = S("idle"), .ns = {5000000, 4000000}};
    struct comparison c = {.of = {&sides[0], &sides[1]},
                           .n_captures = {1, 1},
                           .window_ns = {15000000, 35000000},
                           .device_ns = {10000000, 31000000},
                           .idle_ns = {5000000, 4000000},
                           .bars = bars,
                           .n_bars = 2,
                           .rows = rows,
                           .n_rows = 2};
    c.level_ns[MATCH_ONLY_CANDIDATE][1] = 1000000;
    c.device.verdict = VERDICT_OBSERVED;
    c.wall.verdict = VERDICT_LARGE_ONCE;
    return c;
}

static struct compare_report report_of(const struct comparison *c)
{
    return compare_report_make(&perm, c, NULL, 0, S("Model"), S("tool"));
}

static void test_verdict(void **state)
{
    (void)state;
    struct comparison c = made();
    struct compare_report r = report_of(&c);
    assert_string_equal(
        r.verdict[0].p,
        "`new` takes 2.33 times as long as `old` (35.000 ms against 15.000 ms; one "
        "recording each): `aten::mm` takes 200.0% longer per call, 20.000 ms more.");
    assert_string_equal(r.result.p,
                        "`new` takes 2.33 times as long as `old` (35.000 ms against "
                        "15.000 ms; one recording each).");
    assert_string_equal(r.cause.p,
                        "`aten::mm` takes 200.0% longer per call, 20.000 ms more.");
    assert_string_equal(
        r.verdict[2].p,
        "Device work is 31.000 ms, 210.0% more than the 10.000 ms of `old`.");
    assert_int_equal(r.n_verdict, 3);
    assert_int_equal(r.n_lead, 2);
    c.n_captures[1] = 2; /* the words of the verdict then say how sure it is */
    c.window_ns[1] = 12000000;
    r = report_of(&c);
    assert_true(str_starts(r.result, S("`new` takes 20.0% less time than `old` (12.000 "
                                       "ms against 15.000 ms; large, but few")));
    assert_true(str_ends(r.verdict[2], S(" of `old` (observed difference).")));
}

/* Of steps, each figure is of one. */
static void test_steps(void **state)
{
    (void)state;
    struct comparison c = made();
    c.selection.n_steps = 5;
    struct compare_report r = report_of(&c);
    assert_non_null(
        strstr(r.verdict[0].p, "(7.000 ms against 3.000 ms a step, mean of 5; one "));
}

static void test_idle_first(void **state)
{
    (void)state;
    struct comparison c = made();
    c.idle_ns[1] = 24000000;
    bars[0].ns[1] = 10000000;
    struct compare_report r = report_of(&c);
    assert_non_null(strstr(r.verdict[0].p, ": the GPU is idle for 19.000 ms more."));
}

/* Both sides of one vendor: its word; of two, the common one. */
static void test_other_devices(void **state)
{
    (void)state;
    struct comparison c = made();
    struct capture of[2] = {*c.of[0], *c.of[1]};
    of[0].origin.vendor = of[1].origin.vendor = S("Intel XPU");
    c.of[0] = &of[0];
    c.of[1] = &of[1];
    c.idle_ns[1] = 24000000;
    bars[0].ns[1] = 10000000;
    struct compare_report r = report_of(&c);
    assert_non_null(strstr(r.verdict[0].p, ": the XPU is idle for 19.000 ms more."));
    of[1].origin.vendor = S("");
    r = report_of(&c);
    assert_non_null(strstr(r.verdict[0].p, ": the GPU is idle for 19.000 ms more."));
}

static void test_other_work_and_drift(void **state)
{
    (void)state;
    struct comparison c = made();
    c.parity = PARITY_OTHER_WORK;
    c.drift = (struct drift){true, 1.05, 30, 1};
    struct compare_report r = report_of(&c);
    assert_int_equal(r.n_verdict, 4);
    assert_non_null(strstr(r.verdict[0].p, "ran different work: work with the same"));
    assert_non_null(strstr(r.verdict[1].p, ": kernels that both run take 5.0% longer: "
                                           "clock, power or temperature"));
    assert_non_null(strstr(r.verdict[1].p, "The times do not compare like with like"));
    assert_ptr_equal(r.cause.p, r.verdict[1].p);
    assert_null(strstr(r.verdict[1].p, "calls that both make"));
    c.drift.found = false; /* 30 ms against 10 ms for as many calls */
    r = report_of(&c);
    assert_non_null(strstr(r.verdict[1].p, "of calls that both make"));
    assert_non_null(strstr(r.verdict[1].p, "takes 200.0% longer per call."));
}

/* Two parts that both grew, and device work that is mostly waiting for others. */
static void test_two_parts(void **state)
{
    (void)state;
    struct comparison c = made();
    static const struct capture_row collective = {.part = DEVICE_COMM};
    bars[1].ns[1] = 18000000;
    bars[1].kind = BAR_COPY;
    bars[1].name = S("exposed copies");
    rows[0].of[0] = rows[0].of[1] = &collective;
    struct compare_report r = report_of(&c);
    assert_non_null(strstr(r.verdict[2].p, "30.000 ms of it is communication, against "
                                           "10.000 ms"));
    c.n_rows = 0;
    c.window_ns[1] = 49000000;
    r = report_of(&c);
    assert_non_null(strstr(r.verdict[0].p,
                           ": GEMM takes 21.000 ms more, and computation hides 13.000 "
                           "ms less of the copies."));
    c.window_ns[1] = 90000000; /* neither they nor anything else has most of it */
    r = report_of(&c);
    assert_non_null(
        strstr(r.verdict[3].p, "10.000 ms, then exposed copies: 18.000 ms"));
}

/* What shows the other work, and a side without device work. */
static void test_why_other_work(void **state)
{
    (void)state;
    struct comparison c = made();
    c.parity = PARITY_NEITHER;
    sides[0].has_operators = true;
    sides[0].backlog_ns = 2000000;
    struct compare_report r = report_of(&c);
    assert_non_null(strstr(r.verdict[1].p, "`new` has no operators recorded"));
    assert_non_null(
        strstr(r.verdict[1].p, "Whether the two ran the same work is unkn"));
    sides[0].has_shapes = sides[1].has_operators = true;
    assert_non_null(strstr(report_of(&c).verdict[1].p, "`new` has no shapes recorded"));
    sides[0].has_shapes = sides[1].has_operators = false;
    c.idle_ns[1] = 30000000; /* of another run, so it is longer than nothing */
    assert_int_equal(report_of(&c).idle_advice.n, 0);
    assert_non_null(strstr(r.verdict[1].p, "2.000 ms of which are left out of `old`"));
    c.matched_frac[0] = c.matched_frac[1] = 0.99;
    sides[1].has_operators = true;
    r = report_of(&c);
    assert_non_null(strstr(r.verdict[0].p, "`new` calls them 5 times and `old` 4"));
    c.matched_frac[0] = 0.1;
    c.level_ns[MATCH_NAME][0] = c.device_ns[0];
    c.level_ns[MATCH_NAME][1] = c.device_ns[1];
    r = report_of(&c);
    assert_non_null(strstr(r.verdict[0].p,
                           "same operators, but with the same shapes only for "
                           "10.0% of the kernel time of `old`"));
    c.device_ns[0] = 0;
    r = report_of(&c);
    assert_int_equal(r.n_verdict, 1);
    assert_non_null(strstr(r.verdict[0].p, "No device work is recorded in `old`"));
}

/* Listed: slower than explained, more than noise, and worth half a per cent. */
static void test_opportunities(void **state)
{
    (void)state;
    struct comparison c = made();
    struct compare_report r = report_of(&c);
    assert_int_equal(r.n_opportunities, 1);
    assert_true(r.opportunities[0].saving_pct > 57.1 &&
                r.opportunities[0].saving_pct < 57.2);
    rows[0].expected.saving_ns = 100000;
    assert_int_equal(report_of(&c).n_opportunities, 0);
    rows[0].expected.saving_ns = 20000000;
    rows[0].judged.verdict = VERDICT_WITHIN_FLOOR;
    assert_int_equal(report_of(&c).n_opportunities, 0);
}

/* Those of one side that the other lacks, but for remarks. */
static void test_missing_findings(void **state)
{
    (void)state;
    struct finding of[] = {{.id = S("gemm.slow.mm.memory")},
                           {.id = S("gemm.new.mm.memory")},
                           {.id = S("gemm.remark.mm.memory"), .informational = true}},
                   others[] = {{.id = S("gemm.slow.mm.compute")}};
    const struct capture x = {.findings = of, .n_findings = 3},
                         y = {.findings = others, .n_findings = 1};
    int n = 0;
    const struct finding **list = missing_from(&perm, &x, &y, &n);
    assert_int_equal(n, 1);
    assert_ptr_equal(list[0], &of[1]);
    n = 0;
    (void)missing_from(&perm, &y, &x, &n);
    assert_int_equal(n, 0);
}

static void test_key_findings(void **state)
{
    (void)state;
    struct comparison c = made();
    struct compare_report r = report_of(&c);
    assert_int_equal(r.n_key_findings, 4);
    assert_non_null(
        strstr(r.key_findings[2].p, "Largest unexpected gap: `aten::mm`, 3.00"));
    assert_non_null(
        strstr(r.key_findings[2].p, "per call (7500.00 µs against 2500.00 µs)"));
    assert_non_null(strstr(r.key_findings[3].p, "0.000 ms of kernels are only in"));
}

static void test_nothing(void **state)
{
    (void)state;
    struct comparison c = {.of = {&sides[0], &sides[1]}};
    struct compare_report r = report_of(&c);
    assert_int_equal(r.n_opportunities, 0);
    assert_non_null(strstr(r.verdict[0].p, "Neither capture has device work"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_verdict),
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_idle_first),
        cmocka_unit_test(test_other_devices),
        cmocka_unit_test(test_other_work_and_drift),
        cmocka_unit_test(test_two_parts),
        cmocka_unit_test(test_why_other_work),
        cmocka_unit_test(test_opportunities),
        cmocka_unit_test(test_missing_findings),
        cmocka_unit_test(test_key_findings),
        cmocka_unit_test(test_nothing),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
