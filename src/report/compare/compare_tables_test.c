#include "report/compare/compare_tables.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena_case.h"

static struct capture_node nodes[3];
static struct capture_row of[2];
static struct match match;
static struct compared_row row;
static struct compared_bar bars[2];
static struct capture sides[2];
static struct capture_step step;
static struct comparison c;

/* Every figure another number. */
static int begin(void **state)
{
    (void)state;
    of[0] = (struct capture_row){.dims = S("(8,)"), .base = S("GEMM")};
    of[1] = (struct capture_row){.dims = S("(9,)"), .base = S("GEMM_new"), .node = 2};
    nodes[1] = (struct capture_node){0, 1, S("nn.Module: Mlp"), true};
    nodes[2] = (struct capture_node){1, 2, S("aten::linear"), false};
    match = (struct match){.level = MATCH_TYPES,
                           .n = {1, 2},
                           .n_events = {3, 4},
                           .ns = {50, 60},
                           .category = WORK_NORM,
                           .name = {S("old"), S("new")},
                           .kernel = {S("k0"), S("k1")}};
    row =
        (struct compared_row){.match = &match,
                              .of = {&of[0], &of[1]},
                              .count_ns = 7,
                              .speed_ns = 8,
                              .only_ns = 9,
                              .median_ns = {11, 12},
                              .p90_ns = {13, 14},
                              .expected = {.ratio = 1.5,
                                           .low = 0.5,
                                           .high = 2.5,
                                           .dev = 0.75,
                                           .class = EXPLAINED_SLOWER,
                                           .severity = S("much")},
                              .judged = {.verdict = VERDICT_OBSERVED, .floor_pct = 3}};
    bars[0] = (struct compared_bar){.kind = BAR_CLASS,
                                    .name = S("GEMM"),
                                    .ns = {100, 130},
                                    .kernel_ns = {200, 250},
                                    .count_ns = 1,
                                    .speed_ns = 2,
                                    .only_ns = 3,
                                    .recast_ns = 4,
                                    .overlap_ns = 5};
    bars[1] = (struct compared_bar){.kind = BAR_COMM, .name = S("comm"), .ns = {0, 6}};
    step = (struct capture_step){.number = 17,
                                 .start_ns = 10,
                                 .end_ns = 30,
                                 .phase = S("decode"),
                                 .new_tokens = 5,
                                 .steady = true};
    for (int k = 0; k < 2; k++)
        sides[k] = (struct capture){.nodes = nodes, .n_nodes = 3, .label = S("cap")};
    sides[1].steps = &step;
    sides[1].n_steps = 1;
    c = (struct comparison){.bars = bars,
                            .n_bars = 2,
                            .rows = &row,
                            .n_rows = 1,
                            .window_ns = {1000, 1100},
                            .device_ns = {200, 400},
                            .of = {&sides[0], &sides[1]},
                            .captures = {&sides[0], &sides[1]},
                            .n_captures = {1, 1}};
    return 0;
}

static const struct cell *cell_of(const struct report_table *t, ptrdiff_t at,
                                  const char *title)
{
    const struct cell *cells = table_row(t, at, &a);
    for (ptrdiff_t k = 0; k < t->n_columns; k++)
        if (str_eq(t->columns[k].title, str_of(title)))
            return &cells[k];
    fail_msg("no column %s", title);
    return NULL;
}

struct want {
    const char *title, *text; /* text NULL: a number */
    double number;
};

static void row_is(const struct report_table *t, ptrdiff_t at, const struct want *want,
                   int n)
{
    for (int k = 0; k < n; k++) {
        const struct cell *x = cell_of(t, at, want[k].title);
        if (want[k].text) {
            assert_text(x->as.text, want[k].text);
            continue;
        }
        double v = x->kind == CELL_INT ? (double)x->as.i : x->as.r;
        if ((x->kind != CELL_INT && x->kind != CELL_REAL) || v != want[k].number)
            fail_msg("%s: %g, not %g", want[k].title, v, want[k].number);
    }
}
#define ROW_IS(t, at, ...)                                                             \
    row_is((t), (at), (const struct want[]){__VA_ARGS__},                              \
           (int)(sizeof((const struct want[]){__VA_ARGS__}) / sizeof(struct want)))

static void the_waterfall_ends_with_the_window(void **state)
{
    (void)state;
    struct report_table t = waterfall(&a, &c);
    assert_int_equal(t.n_rows, 3);
    ROW_IS(&t, 0, {"part", "GEMM", 0}, {"kind", "kernels", 0},
           {"reference_ns", NULL, 100}, {"candidate_ns", NULL, 130},
           {"diff_ns", NULL, 30}, {"diff_pct_of_reference", NULL, 30});
    ROW_IS(&t, 2, {"part", "window", 0}, {"kind", "window", 0},
           {"reference_ns", NULL, 1000}, {"diff_ns", NULL, 100},
           {"diff_pct_of_reference", NULL, 10});
    assert_int_equal(cell_of(&t, 1, "diff_pct_of_reference")->kind, CELL_NONE);
}

static void classes_have_their_reasons(void **state)
{
    (void)state;
    struct report_table t = classes(&a, &c);
    assert_int_equal(t.n_rows, 1); /* communication is none */
    ROW_IS(&t, 0, {"category", "GEMM", 0}, {"kernel_reference_ns", NULL, 200},
           {"kernel_candidate_ns", NULL, 250},
           {"kernel_diff_pct_of_reference", NULL, 25}, {"count_ns", NULL, 1},
           {"speed_ns", NULL, 2}, {"only_ns", NULL, 3}, {"recast_ns", NULL, 4},
           {"overlap_ns", NULL, 5}, {"diff_ns", NULL, 30});
    c.sums = &bars[1]; /* of tables alone: all of them */
    c.n_sums = 1;
    assert_int_equal(classes(&a, &c).n_rows, 2);
}

static void rows_have_both_sides(void **state)
{
    (void)state;
    struct report_table t = rows(&a, &c);
    ROW_IS(&t, 0, {"name", "new", 0}, {"Input Dims", "(9,)", 0},
           {"op category", "GEMM_new", 0}, {"category", "Normalization", 0},
           {"level", "L2", 0}, {"calls_reference", NULL, 1},
           {"calls_candidate", NULL, 2}, {"kernels_reference", NULL, 3},
           {"kernels_candidate", NULL, 4}, {"total_reference_ns", NULL, 50},
           {"total_candidate_ns", NULL, 60}, {"diff_ns", NULL, 10},
           {"diff_pct_of_reference", NULL, 20}, {"count_ns", NULL, 7},
           {"speed_ns", NULL, 8}, {"only_ns", NULL, 9});
    ROW_IS(&t, 0, {"ratio", NULL, 1.5}, {"expected_low", NULL, 0.5},
           {"expected_high", NULL, 2.5}, {"dev", NULL, 0.75}, {"expected", "No", 0},
           {"reason", "much", 0}, {"noise_floor_pct", NULL, 3},
           {"verdict", "observed difference", 0}, {"median_reference_ns", NULL, 11},
           {"median_candidate_ns", NULL, 12}, {"p90_reference_ns", NULL, 13},
           {"p90_candidate_ns", NULL, 14}, {"kernel_reference", "k0", 0},
           {"kernel_candidate", "k1", 0});
    row.expected.reason = S("no model");
    row.judged.verdict = VERDICT_NONE;
    t = rows(&a, &c);
    ROW_IS(&t, 0, {"reason", "no model", 0});
    assert_int_equal(cell_of(&t, 0, "noise_floor_pct")->kind, CELL_NONE);
}

/* The candidate describes what it has; of a category no operator speaks for all. */
static void a_row_is_told_by_one_side(void **state)
{
    (void)state;
    assert_text(compared_name(&row), "new");
    match.n[1] = match.n_events[1] = 0;
    assert_text(compared_name(&row), "old");
    assert_text(compared_args(&row), "(8,)");
    match.level = MATCH_NAME; /* of other shapes */
    assert_text(compared_args(&row), "");
    match.level = MATCH_ONLY_REFERENCE;
    assert_text(compared_args(&row), "(8,)");
    match.level = MATCH_CATEGORY;
    assert_text(compared_name(&row), "Normalization");
    begin(state);
    assert_text(compared_module(&c, &row), ""); /* of many modules */
    match.level = MATCH_PATH;
    assert_text(compared_module(&c, &row), "Mlp"); /* around its operator */
}

static void levels_have_shares(void **state)
{
    (void)state;
    c.level_rows[MATCH_CALL] = 5;
    c.level_ns[MATCH_CALL][0] = 150;
    c.level_ns[MATCH_CALL][1] = 100;
    struct report_table t = levels(&a, &c);
    assert_int_equal(t.n_rows, 1);
    ROW_IS(&t, 0, {"level", "L1", 0}, {"rows", NULL, 5},
           {"share_reference_pct", NULL, 75}, {"share_candidate_pct", NULL, 25});
}

static void steps_are_of_all_captures(void **state)
{
    (void)state;
    struct report_table t = steps(&a, &c);
    assert_int_equal(t.n_rows, 1);
    ROW_IS(&t, 0, {"side", "candidate", 0}, {"capture", "cap", 0}, {"step", NULL, 17},
           {"length_ns", NULL, 20}, {"phase", "decode", 0}, {"new_tokens", NULL, 5});
    assert_true(cell_of(&t, 0, "steady")->as.b);
}

static void words_are_those_of_their_values(void **state)
{
    (void)state;
    assert_text(bar_word(BAR_COPY), "copy");
    assert_text(bar_word(BAR_IDLE), "idle");
    assert_text(explained_word(EXPLAINED_BY_HARDWARE), "Yes");
    assert_text(explained_word(EXPLAINED_FASTER), "No (faster)");
    assert_true(isnan(compare_share_pct(1, 0)) && compare_share_pct(1, 4) == 25);
}

#define CASE(test) cmocka_unit_test_setup(test, begin)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(the_waterfall_ends_with_the_window),
        CASE(classes_have_their_reasons),
        CASE(rows_have_both_sides),
        CASE(a_row_is_told_by_one_side),
        CASE(levels_have_shares),
        CASE(steps_are_of_all_captures),
        CASE(words_are_those_of_their_values),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
