#include "render/text/compare_context.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena_case.h"

enum { MS = 1000000, ROWS = 4 };

static struct capture sides[2];
static struct capture_row of[2][ROWS];
static struct match matches[ROWS];
static struct compared_row rows[ROWS];
static struct compared_bar bars[5];
static struct setup_difference setup[3];
static struct comparison c;
static struct compare_report r;
static struct writer w;

/* Two steps of a reference of 100 ms and a candidate of 120 ms in all. */
static int begin(void **state)
{
    (void)state;
    memset(matches, 0, sizeof matches);
    memset(rows, 0, sizeof rows);
    memset(of, 0, sizeof of);
    c = (struct comparison){.rows = rows,
                            .bars = bars,
                            .setup = setup,
                            .window_ns = {200 * MS, 240 * MS},
                            .device_ns = {100 * MS, 100 * MS},
                            .n_captures = {1, 2}};
    c.selection.n_steps = 2;
    for (int side = 0; side < 2; side++) {
        sides[side] =
            (struct capture){.label = side ? S("new") : S("old"), .n_steps = 2};
        c.of[side] = &sides[side];
    }
    r = (struct compare_report){.c = &c, .label = {S("old"), S("new")}};
    w = (struct writer){&a, &r, &c, json_new()};
    return 0;
}

static int end(void **state)
{
    (void)state;
    cJSON_Delete(w.root);
    return 0;
}

static void row(enum match_level level, int64_t ms_0, int64_t ms_1)
{
    int k = c.n_rows++;
    matches[k] = (struct match){
        .level = level, .n = {4, 2}, .n_events = {8, 6}, .ns = {ms_0 * MS, ms_1 * MS}};
    for (int side = 0; side < 2; side++) {
        of[side][k] = (struct capture_row){.flop = 1e9 * (side + 1), .byte = 4e6};
        matches[k].name[side] = S("aten::mm");
        matches[k].kernel[side] = side ? S("") : S("gemm");
    }
    rows[k] = (struct compared_row){.match = &matches[k],
                                    .of = {&of[0][k], &of[1][k]},
                                    .expected = {.low = 1, .high = 1, .ratio = 1.5}};
}

/* A value below the root, by names parted by dots; numbers are of lists. */
static const cJSON *at(const char *path)
{
    const cJSON *o = w.root;
    struct str rest = str_of(path);
    while (o && rest.n) {
        const char *name = str_c(&a, str_take(&rest, S(".")));
        o = *name >= '0' && *name <= '9' ? cJSON_GetArrayItem(o, *name - '0')
                                         : cJSON_GetObjectItem(o, name);
    }
    if (!o)
        fail_msg("no %s", path);
    return o;
}

static void is_number(const char *path, double want)
{
    const cJSON *o = at(path);
    if (!cJSON_IsNumber(o) || fabs(o->valuedouble - want) > 1e-6)
        fail_msg("%s: %g, not %g", path, o->valuedouble, want);
}

static void is_text(const char *path, const char *want)
{
    const cJSON *o = at(path);
    assert_true(cJSON_IsString(o));
    assert_string_equal(o->valuestring, want);
}

static void a_change_is_of_the_reference(void **state)
{
    (void)state;
    assert_text(change(&w, 80, 100), "+25.0%");
    assert_text(change(&w, 100, 80), "-20.0%");
    assert_text(change(&w, 0, 80), "—");
    assert_text(change_pct(&w, 80, 100), "+25.0");
}

/* A quarter of the last step behind its end is more than its end. */
static void a_last_step_may_be_cut(void **state)
{
    struct capture_step step = {.start_ns = 0, .end_ns = 100};
    (void)state;
    sides[1].steps = &step;
    sides[1].n_steps = 1;
    sides[1].end_ns = 125;
    assert_false(has_cut_step(&sides[1]));
    sides[1].end_ns = 126;
    assert_true(has_cut_step(&sides[1]));
    c.selection.n_steps = 1;
    put_side(&w, "candidate", 1);
    is_text("candidate.recorded",
            "2 captures, all 1 whole steps; the last one is cut off");
    is_text("candidate.label", "new");
    is_number("candidate.captures", 2);
    sides[0].n_steps = 9;
    sides[0].steps = NULL;
    sides[0].n_steps = 0;
    c.selection.n_steps = 0;
    put_side(&w, "reference", 0);
    is_text("reference.recorded", "1 capture, all of it");
}

/* Of a step: parts by their kind, and idle time in points of the whole. */
static void the_executive_has_the_parts(void **state)
{
    static const struct compared_bar made[] = {
        {.kind = BAR_CLASS, .ns = {100 * MS, 90 * MS}},
        {.kind = BAR_CLASS, .ns = {20 * MS, 30 * MS}},
        {.kind = BAR_COMM, .ns = {30 * MS, 40 * MS}},
        {.kind = BAR_COPY, .ns = {10 * MS, 8 * MS}},
        {.kind = BAR_IDLE, .ns = {40 * MS, 72 * MS}}};
    static const struct {
        const char *metric;
        double ref_ms, cand_ms;
        const char *change;
    } want[] = {{"Total Compute", 60, 60, "+0.0%"},
                {"Total Time", 100, 120, "+20.0%"},
                {"Memory Copy (exposed)", 5, 4, "-20.0%"},
                {"Communication (exposed)", 15, 20, "+33.3%"},
                {"Idle Time", 20, 36, "+80.0%"}};
    (void)state;
    memcpy(bars, made, sizeof made);
    c.n_bars = 5;
    c.idle_ns[0] = 40 * MS;
    c.idle_ns[1] = 72 * MS;
    put_executive(&w);
    for (int i = 0; i < 5; i++) {
        const char *of_row = str_c(&a, str_printf(&a, "executive.%d.", i));
        is_text(str_c(&a, str_printf(&a, "%smetric", of_row)), want[i].metric);
        is_number(str_c(&a, str_printf(&a, "%sref_ms", of_row)), want[i].ref_ms);
        is_number(str_c(&a, str_printf(&a, "%scand_ms", of_row)), want[i].cand_ms);
        is_text(str_c(&a, str_printf(&a, "%schange", of_row)), want[i].change);
    }
    is_text("executive.4.more", ", +10.0 points of the time"); /* 20 and 30 % */
}

/* Four calls in 80 ms and two in 60: 20 and 30 ms each, of 1 and 2 GFLOP. */
static void a_row_has_both_sides(void **state)
{
    (void)state;
    row(MATCH_CALL, 80, 60);
    cJSON_AddItemToObject(w.root, "row", row_context(&w, &rows[0]));
    is_number("row.ref.ms", 40);
    is_number("row.cand.ms", 30);
    is_number("row.ref.us", 20000);
    is_number("row.cand.us", 30000);
    is_number("row.ref.n", 4);
    is_number("row.cand.kernels", 6);
    is_number("row.ref.tflops", 0.05);
    is_number("row.cand.tflops", 2e9 * 2 / 60e6 / 1e3);
    is_number("row.ref.tbs", 4e6 * 4 / 80e6 / 1e3);
    is_number("row.diff_ms", -10);
    is_text("row.change", "-25.0%");
    is_text("row.ref.kernel", "gemm");
    assert_true(cJSON_IsTrue(at("row.ref.has_kernel")));
    assert_true(cJSON_IsFalse(at("row.cand.has_kernel")));
    assert_true(cJSON_IsFalse(at("row.interval")));
    rows[0].judged.verdict = VERDICT_WITHIN_FLOOR;
    rows[0].expected.high = 2;
    cJSON_AddItemToObject(w.root, "other", row_context(&w, &rows[0]));
    assert_true(cJSON_IsTrue(at("other.less_than_floor")));
    assert_true(cJSON_IsTrue(at("other.interval")));
}

/* An opportunity saves its share of the window; half of it at the least. */
static void opportunities_have_their_savings(void **state)
{
    struct compare_opportunity list[] = {{&rows[0], 5}, {&rows[1], 2}, {&rows[2], 1.9}};
    (void)state;
    for (int k = 0; k < 3; k++)
        row(MATCH_CALL, 80, 60);
    rows[0].expected.high = 1.25;
    rows[0].expected.saving_ns = 20 * MS;
    rows[1].expected.ratio = 0.9;
    rows[1].expected.high = 0.8;
    r.opportunities = list;
    r.n_opportunities = 3;
    put_opportunities(&w);
    is_number("opportunities.0.slower_pct", 50);
    is_text("opportunities.0.slower_way", "slower");
    is_number("opportunities.0.expected_pct", 25);
    is_text("opportunities.0.expected_way", "slower");
    is_number("opportunities.1.slower_pct", 10);
    is_text("opportunities.1.slower_way", "faster");
    is_text("opportunities.1.expected_way", "faster");
    is_text("opportunities.0.icon", "🔴");
    is_text("opportunities.1.icon", "🟡");
    is_text("opportunities.2.icon", "🟢");
    is_number("opportunities.2.number", 3);
    put_details(&w); /* those first, then the other rows */
    assert_int_equal(cJSON_GetArraySize(at("details")), 3);
}

static void rows_of_one_side_are_apart(void **state)
{
    (void)state;
    row(MATCH_CALL, 80, 60);
    row(MATCH_ONLY_CANDIDATE, 0, 60);
    row(MATCH_ONLY_REFERENCE, 80, 0);
    put_rows(&w);
    assert_int_equal(cJSON_GetArraySize(at("rows")), 1);
    assert_int_equal(cJSON_GetArraySize(at("unmatched")), 2);
    is_text("unmatched.0.side", "new");
    is_text("unmatched.1.side", "old");
    assert_true(cJSON_IsTrue(at("any_unmatched")));
}

/* What a side has not recorded is no difference, and named. */
static void the_setup_tells_what_differs(void **state)
{
    (void)state;
    setup[0] =
        (struct setup_difference){S("device"), {S("H100"), S("A100")}, true, false};
    setup[1] = (struct setup_difference){S("driver"), {S("550"), S("")}, false, false};
    c.n_setup = 2;
    c.parity = PARITY_OTHER_HARDWARE;
    put_setup(&w);
    is_text("setup.0.ref", "H100");
    is_text("setup.0.cand", "A100");
    is_text("setup.1.cand", "not recorded");
    assert_true(cJSON_IsTrue(at("setup.0.told")) && cJSON_IsFalse(at("setup.1.told")));
    assert_true(cJSON_IsTrue(at("any_difference")));
    is_text("parity", "same work, different hardware");
    put_unknown(&w);
    is_text("unknown.0.of", "in `new`");
    is_text("unknown.0.list", "driver");
    setup[0].value[1] = S("");
    assert_text(parity_of(&w), "same work; the hardware is not recorded on both sides");
}

static void levels_have_shares_of_device_time(void **state)
{
    (void)state;
    c.level_rows[MATCH_CALL] = 7;
    c.level_ns[MATCH_CALL][0] = 75 * MS;
    c.level_ns[MATCH_CALL][1] = 50 * MS;
    c.matches.periods = (struct match_periods){{3, 4}, {6, 5}, false};
    put_levels(&w);
    is_text("levels.0.level", "L1");
    is_number("levels.0.rows", 7);
    is_number("levels.0.ref_pct", 75);
    is_number("levels.0.cand_pct", 50);
    is_text("sequence", "6 repeated blocks of 3 kernels in `old`, 5 of 4 in `new`");
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_change_is_of_the_reference),     CASE(a_last_step_may_be_cut),
        CASE(the_executive_has_the_parts),      CASE(a_row_has_both_sides),
        CASE(opportunities_have_their_savings), CASE(rows_of_one_side_are_apart),
        CASE(the_setup_tells_what_differs),     CASE(levels_have_shares_of_device_time),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
