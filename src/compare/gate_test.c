#include "gate.c"

#include "base/arena_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct gate_expr gate(const char *text)
{
    struct gate_expr g;
    struct err e = {0};
    assert_true(gate_read(text, &g, &e));
    return g;
}

static void test_forms(void **state)
{
    (void)state;
    struct gate_expr g = gate("regression>5%");
    assert_true(g.what == GATE_ON_DEVICE && g.limit == 5 && !g.warns && !g.or_equal);
    g = gate("warn: regression(wall) >= 10 %");
    assert_true(g.what == GATE_ON_WALL && g.limit == 10 && g.warns && g.or_equal);
    g = gate("fail:regression(category:GEMM)>1.5ms");
    assert_true(g.what == GATE_ON_CATEGORY && g.limit == 1.5e6 && g.unit == GATE_NS);
    assert_true(str_eq(g.category, S("GEMM")));
    g = gate("new-finding>=high");
    assert_true(g.what == GATE_ON_FINDING && g.level == PRIORITY_HIGH);
    g = gate("warn: high");
    assert_true(g.what == GATE_ON_LEVEL && g.level == PRIORITY_HIGH && g.warns);
    g = gate("window.idle_pct <= 30%");
    assert_true(g.what == GATE_ON_METRIC && g.unit == GATE_PERCENT && g.below);
    assert_true(str_eq(g.metric, S("window.idle_pct")));
    assert_true(gate("counts.high>2").unit == GATE_NUMBER);
    assert_true(gate("window.total_ns>2s").limit == 2e9);
    assert_true(gate("setup").what == GATE_ON_SETUP);
    assert_true(gate("unmatched>5%").what == GATE_ON_UNMATCHED);
    assert_true(str_eq(gate("a1.b_c-d>2").metric, S("a1.b_c-d")));
    static const enum priority levels[] = {PRIORITY_MEDIUM, PRIORITY_HIGH,
                                           PRIORITY_CRITICAL};
    for (int k = 0; k < 3; k++) {
        g = gate(str_c(&a, priority_word(levels[k])));
        assert_true(g.level == levels[k] && g.or_equal);
    }
    g = gate("new-finding");
    assert_true(g.level == PRIORITY_LOW && !g.or_equal);
}

static void test_no_forms(void **state)
{
    (void)state;
    const char *const wrong[] = {"",
                                 "regression",
                                 "regression>5",
                                 "regression>-5%",
                                 "regression>x%",
                                 "regression(category:)>5%",
                                 "regression(other)>5%",
                                 "setup>1%",
                                 "new-finding>5%",
                                 "new-finding<high",
                                 "low",
                                 "window>5%",
                                 ".window>5%",
                                 "Window.ns>5%",
                                 "window.ns/s>5%",
                                 "regression>%",
                                 "regression>inf%"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct gate_expr g;
        struct err e = {0};
        assert_false(gate_read(wrong[i], &g, &e));
        assert_int_equal(e.kind, ERR_USAGE);
    }
}

static void test_categories(void **state)
{
    (void)state;
    struct err e = {0};
    assert_true(gate_category_is_known(S("gemm"), false, S(""), &e));
    assert_true(gate_category_is_known(S("GEMM"), true, S(""), &e));
    assert_true(gate_category_is_known(S("communication"), false, S(""), &e));
    assert_false(gate_category_is_known(S("cpu_idle"), true, S("g"), &e));
    assert_int_equal(e.kind, ERR_USAGE);
    e = (struct err){0};
    assert_false(gate_category_is_known(S("GEMM"), false, S("g"), &e));
    assert_non_null(strstr(e.what, "(did you mean gemm?), as 'g' says"));
    e = (struct err){0};
    assert_false(gate_category_is_known(S("Normalisation"), true, S("g"), &e));
    assert_non_null(strstr(e.what, "(did you mean Normalization?)"));
}

static struct capture nothing;

static enum gate_status status(const char *text, struct comparison *c)
{
    static struct gate_expr g;
    g = gate(text);
    c->of[0] = c->of[1] = &nothing;
    return gate_evaluate(&a, &g, c).status;
}

/* More time than the limit, and more than noise. */
static void test_device(void **state)
{
    (void)state;
    struct comparison c = {.device = {.verdict = VERDICT_OBSERVED,
                                      .value = {100e6, 107e6},
                                      .diff_pct = 7,
                                      .floor_pct = 1,
                                      .mde_pct = (double)NAN}};
    assert_int_equal(status("regression>5%", &c), GATE_FAILED);
    assert_int_equal(status("regression>8%", &c), GATE_PASSED);
    assert_int_equal(status("regression>5ms", &c), GATE_FAILED);
    assert_int_equal(status("regression>8ms", &c), GATE_PASSED);
    assert_int_equal(status("regression>0.5%", &c), GATE_FAILED); /* however fine */
    c.device.mde_pct = 6;
    assert_int_equal(status("regression>5%", &c), GATE_FAILED);
    assert_int_equal(status("regression>8%", &c), GATE_PASSED);
    c.device.verdict = VERDICT_NOT_DISTINGUISHABLE; /* beyond, and may be noise */
    assert_int_equal(status("regression>5%", &c), GATE_NOT_EVALUATED);
    c.device.diff_pct = 0.2;
    c.device.verdict = VERDICT_WITHIN_FLOOR;
    assert_int_equal(status("regression>5%", &c), GATE_NOT_EVALUATED); /* 0.2 + 6 */
    c.device.mde_pct = 2;
    assert_int_equal(status("regression>5%", &c), GATE_PASSED);
    assert_int_equal(status("regression>1%", &c), GATE_NOT_EVALUATED);
    c.device = (struct judgement){.verdict = VERDICT_OBSERVED,
                                  .value = {100e6, 90e6},
                                  .diff_pct = -10,
                                  .floor_pct = 1};
    assert_int_equal(status("regression>5%", &c), GATE_PASSED); /* less never fails */
    c.device = (struct judgement){.verdict = VERDICT_OBSERVED,
                                  .value = {100e6, 107e6},
                                  .diff_pct = 7,
                                  .floor_pct = 1,
                                  .chance_pct = 7.5};
    assert_int_equal(status("regression>5%", &c), GATE_NOT_EVALUATED); /* by chance */
    assert_int_equal(status("regression>8%", &c), GATE_PASSED);
}

/* The same task implemented differently is judged by its time; another task is not. */
static void test_other_work(void **state)
{
    (void)state;
    struct judgement more = {.verdict = VERDICT_OBSERVED,
                             .value = {100e6, 113e6},
                             .diff_pct = 13,
                             .floor_pct = 1,
                             .mde_pct = (double)NAN};
    struct comparison c = {.device = more,
                           .wall = more,
                           .parity = PARITY_OTHER_WORK,
                           .shared_gflop = {100, 101}};
    assert_int_equal(status("regression>5%", &c), GATE_FAILED);
    assert_int_equal(status("regression(wall)>5%", &c), GATE_FAILED);
    assert_int_equal(status("regression(row)>5%", &c), GATE_NOT_EVALUATED);
    c.shared_gflop[1] = 0; /* of replayed graphs nobody knows */
    assert_int_equal(status("regression(wall)>5%", &c), GATE_FAILED);
    c.shared_gflop[1] = 200;
    assert_int_equal(status("regression(wall)>5%", &c), GATE_NOT_EVALUATED);
    c.parity = PARITY_SAME; /* --allow-setup work */
    assert_int_equal(status("regression(wall)>5%", &c), GATE_FAILED);
}

/* Wall time that was seen once is judged beyond its floor alone. */
static void test_wall(void **state)
{
    (void)state;
    struct comparison c = {.wall = {.verdict = VERDICT_NOT_JUDGED,
                                    .value = {100e6, 112e6},
                                    .diff_pct = 12,
                                    .floor_pct = 15}};
    assert_int_equal(status("regression(wall)>10%", &c), GATE_NOT_EVALUATED);
    assert_int_equal(status("regression(wall)>30%", &c), GATE_PASSED);
    c.wall.diff_pct = -12;
    assert_int_equal(status("regression(wall)>10%", &c), GATE_PASSED); /* less time */
    c.wall = (struct judgement){.verdict = VERDICT_LARGE_ONCE,
                                .value = {100e6, 120e6},
                                .diff_pct = 20,
                                .floor_pct = 15};
    assert_int_equal(status("regression(wall)>10%", &c), GATE_FAILED);
    assert_int_equal(status("regression(wall)>25%", &c), GATE_PASSED);
}

/* What would show whether it is a difference. */
static void test_says(void **state)
{
    (void)state;
    struct capture old = {.label = S("old")}, new = {.label = S("new")};
    struct gate_expr g = gate("regression>5%");
    struct comparison c = {.of = {&old, &new},
                           .device = {.verdict = VERDICT_OBSERVED,
                                      .value = {100e6, 107e6},
                                      .diff_pct = 7,
                                      .floor_pct = 1,
                                      .chance_pct = 7.5,
                                      .mde_pct = (double)NAN}};
    assert_true(
        str_eq(gate_evaluate(&a, &g, &c).says,
               S("device work +7.0% of old; observed difference: these captures "
                 "show no less than 7.5%; more captures of each side show "
                 "less")));
    c.device.by_few_steps = true;
    assert_true(
        str_eq(gate_evaluate(&a, &g, &c).says,
               S("device work +7.0% of old; observed difference: few steps have "
                 "most of it; more captures of each side show whether they "
                 "recur")));
}

/* Rows of half a per cent of the reference's time and more. */
static void test_rows(void **state)
{
    (void)state;
    struct match m[2] = {{.ns = {40, 80}, .n = {1, 1}},
                         {.ns = {9960, 10000}, .n = {1, 1}}};
    struct compared_row rows[2] = {
        {.match = &m[0], .judged = {.verdict = VERDICT_OBSERVED, .diff_pct = 100}},
        {.match = &m[1], .judged = {.verdict = VERDICT_WITHIN_FLOOR, .diff_pct = 0.4}}};
    struct comparison c = {.rows = rows, .n_rows = 2, .device_ns = {10000, 10080}};
    assert_int_equal(status("regression(row)>5%", &c), GATE_PASSED);
    m[0].ns[0] = 60;
    assert_int_equal(status("regression(row)>5%", &c), GATE_FAILED);
}

static void test_limits(void **state)
{
    (void)state;
    static const struct {
        const char *gate;
        bool under, at, over; /* whether 4, 5 and 6 are beyond */
    } cases[] = {{"regression>5%", false, false, true},
                 {"regression>=5%", false, true, true},
                 {"regression<5%", true, false, false},
                 {"regression<=5%", true, true, false}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct gate_expr g = gate(cases[k].gate);
        assert_int_equal(gate_beyond(&g, 4), cases[k].under);
        assert_int_equal(gate_beyond(&g, 5), cases[k].at);
        assert_int_equal(gate_beyond(&g, 6), cases[k].over);
    }
    assert_text(gate_status_key(GATE_PASSED), "passed");
    assert_text(gate_status_key(GATE_FAILED), "failed");
    assert_text(gate_status_key(GATE_NOT_EVALUATED), "not_evaluated");
}

static void test_sides(void **state)
{
    (void)state;
    struct capture x = {.label = S("a")}, y = {.label = S("b")};
    struct comparison c = {.of = {&x, &y}};
    assert_text(side_of(&c, 0), "a");
    assert_text(side_of(&c, 1), "b");
    y.label = S("a");
    assert_text(side_of(&c, 0), "reference");
    assert_text(side_of(&c, 1), "candidate");
    y.label = S("");
    assert_text(side_of(&c, 1), "candidate");
    c.n_history = 1;
    assert_text(side_of(&c, 0), "earlier captures");
}

/* A row of 100 ns in two steps that takes 80 more. A few captures move as much by
 * chance; what differs goes before what may be noise, then what differs more. */
static void test_worst_row(void **state)
{
    (void)state;
    struct match m[3] = {{.ns = {100, 180}, .name = {S("mm"), S("mm")}},
                         {.ns = {100, 190}, .name = {S("add"), S("add")}},
                         {.ns = {100, 900}, .name = {S("cat"), S("cat")}}};
    struct judgement more = {.verdict = VERDICT_OBSERVED, .diff_pct = 80, .n = {4, 4}};
    struct compared_row rows[3] = {{.match = &m[0], .judged = more},
                                   {.match = &m[1], .judged = more},
                                   {.match = &m[2], .judged = more}};
    struct comparison c = {.of = {&nothing, &nothing},
                           .rows = rows,
                           .n_rows = 1,
                           .device_ns = {10000, 100000},
                           .selection.n_steps = 2};
    assert_int_equal(status("regression(row)>39ns", &c), GATE_FAILED);
    assert_int_equal(status("regression(row)>40ns", &c), GATE_PASSED);
    struct gate_expr g = gate("regression(row)>5%");
    assert_text(gate_evaluate(&a, &g, &c).says,
                "mm +80.0% of reference; observed difference");
    rows[0].judged.diff_pct = PART_CHANCE_PCT;
    assert_int_equal(status("regression(row)>1%", &c), GATE_FAILED);
    rows[0].judged.n[0] = 3;
    assert_int_equal(status("regression(row)>1%", &c), GATE_NOT_EVALUATED);
    rows[0].judged.n[0] = 4;
    rows[0].judged.n[1] = 3;
    assert_int_equal(status("regression(row)>1%", &c), GATE_NOT_EVALUATED);
    rows[0].judged = more;
    rows[1].judged.diff_pct = 90;
    rows[2].judged = (struct judgement){
        .verdict = VERDICT_WITHIN_FLOOR, .diff_pct = 800, .n = {4, 4}};
    c.n_rows = 3;
    assert_true(str_starts(gate_evaluate(&a, &g, &c).says, S("add +90.0% ")));
}

static void test_category(void **state)
{
    (void)state;
    struct judgement more = {.verdict = VERDICT_OBSERVED,
                             .value = {100e6, 107e6},
                             .diff_pct = 7,
                             .floor_pct = 1,
                             .mde_pct = (double)NAN};
    struct compared_bar bars[] = {
        {.kind = BAR_IDLE, .name = S("GEMM")},
        {.kind = BAR_CLASS,
         .name = work_category_display(WORK_SDPA_FWD),
         .category = WORK_SDPA_FWD,
         .judged = more},
        {.kind = BAR_CLASS, .name = S("computation"), .category = WORK_CATEGORIES}};
    struct comparison c = {.of = {&nothing, &nothing}, .bars = bars, .n_bars = 3};
    static const char *const names[] = {"sdpa_fwd", "SDPA", "sdpa"};
    for (int k = 0; k < 3; k++) {
        struct gate_expr g =
            gate(str_c(&a, str_printf(&a, "regression(category:%s)>5%%", names[k])));
        struct gate_result r = gate_evaluate(&a, &g, &c);
        assert_int_equal(r.status, GATE_FAILED);
        assert_text(r.says, "SDPA +7.0% of reference; observed difference");
    }
    struct gate_expr g = gate("regression(category:gemm)>5%");
    assert_int_equal(gate_evaluate(&a, &g, &c).status, GATE_NOT_EVALUATED);
    struct capture tables = {.n_rows = 1};
    c.of[1] = &tables;
    assert_true(str_starts(gate_evaluate(&a, &g, &c).says,
                           S("of candidate there are the tables of a report")));
    c.parity = PARITY_OTHER_WORK;
    c.shared_gflop[0] = c.shared_gflop[1] = 100;
    g = gate("regression(category:sdpa_fwd)>5%");
    assert_true(str_ends(gate_evaluate(&a, &g, &c).says,
                         S("; regression(wall) and regression(device) are evaluated "
                           "all the same")));
}

/* New: no finding of the reference has its id but for what binds it, and nobody waived
 * it. */
static void test_findings(void **state)
{
    (void)state;
    struct finding before[] = {{.id = S("gemm.other.mm.compute")},
                               {.id = S("gemm.slow.mm.compute")}},
                   after[] = {
                       {.id = S("gemm.slow.mm.memory"), .priority = PRIORITY_CRITICAL},
                       {.id = S("gemm.slow.bmm.memory"),
                        .title = S("Fuse it"),
                        .priority = PRIORITY_HIGH}};
    struct capture x = {.n_events = 1, .findings = before, .n_findings = 2},
                   y = {.n_events = 1, .findings = after, .n_findings = 2};
    struct str waived[] = {S("none"), S("other")};
    struct comparison c = {.of = {&x, &y}, .waived = waived, .n_waived = 2};
    static const struct {
        const char *gate;
        enum gate_status want;
    } cases[] = {{"new-finding", GATE_FAILED},
                 {"new-finding>=high", GATE_FAILED},
                 {"new-finding>high", GATE_PASSED},
                 {"new-finding>medium", GATE_FAILED},
                 {"high", GATE_FAILED},
                 {"critical", GATE_PASSED}};
    struct gate_expr g;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        g = gate(cases[k].gate);
        assert_int_equal(gate_evaluate(&a, &g, &c).status, cases[k].want);
    }
    g = gate("new-finding");
    assert_text(gate_evaluate(&a, &g, &c).says, "only in candidate: \"Fuse it\"");
    waived[1] = after[1].id;
    assert_int_equal(gate_evaluate(&a, &g, &c).status, GATE_PASSED);
    waived[1] = S("other");
    after[1].informational = true;
    assert_int_equal(gate_evaluate(&a, &g, &c).status, GATE_PASSED);
    x.n_findings = 1;
    assert_int_equal(gate_evaluate(&a, &g, &c).status, GATE_FAILED);
    y.n_events = 0;
    assert_int_equal(gate_evaluate(&a, &g, &c).status, GATE_NOT_EVALUATED);
    y.n_events = 1;
    x.n_events = 0;
    assert_int_equal(gate_evaluate(&a, &g, &c).status, GATE_NOT_EVALUATED);
}

static void test_setup(void **state)
{
    (void)state;
    struct setup_difference lines[] = {{S_INIT("device"), {{0}}, true, false},
                                       {S_INIT("driver"), {{0}}, false, false}};
    struct comparison c = {.setup = lines, .n_setup = 2};
    assert_int_equal(status("setup", &c), GATE_FAILED);
    lines[0].allowed = true;
    assert_int_equal(status("setup", &c), GATE_PASSED);
    c.device_ns[1] = 100;
    c.level_ns[MATCH_ONLY_CANDIDATE][1] = 20;
    assert_int_equal(status("unmatched>10%", &c), GATE_FAILED);
    assert_int_equal(status("unmatched>20%", &c), GATE_PASSED);
    c.device_ns[0] = 200;
    c.level_ns[MATCH_ONLY_REFERENCE][0] = 60;
    assert_int_equal(status("unmatched>20%", &c), GATE_FAILED);
    assert_int_equal(status("unmatched>30%", &c), GATE_PASSED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forms),      cmocka_unit_test(test_no_forms),
        cmocka_unit_test(test_categories), cmocka_unit_test(test_device),
        cmocka_unit_test(test_wall),       cmocka_unit_test(test_rows),
        cmocka_unit_test(test_setup),      cmocka_unit_test(test_other_work),
        cmocka_unit_test(test_says),       cmocka_unit_test(test_limits),
        cmocka_unit_test(test_sides),      cmocka_unit_test(test_worst_row),
        cmocka_unit_test(test_category),   cmocka_unit_test(test_findings),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
