/* Charts of a small comparison made by hand. */
#include "report/compare/compare_figure.h"

#include "base/arena_case.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct capture_node nodes[] = {{.parent = -1},
                                      {0, 1, S_INIT("nn.Module: Model"), true},
                                      {1, 2, S_INIT("nn.Module: Attention"), true},
                                      {1, 2, S_INIT("nn.Module: Mlp"), true}};
static struct capture_row rows[2][3];
static struct match matches[2];
static struct compared_row compared[2];
static struct capture sides[2];
static struct step_span span = {0, 9000000};

/* Attention is 1 ms longer, and has a copy that only the candidate has; the rest is
 * 2 ms shorter. */
static struct comparison made(void)
{
    struct comparison c = {.of = {&sides[0], &sides[1]},
                           .captures = {&sides[0], &sides[1]},
                           .n_captures = {1, 1},
                           .rows = compared,
                           .n_rows = 2};
    for (int side = 0; side < 2; side++) {
        rows[side][0] = (struct capture_row){
            .name = S("bmm"), .node = 2, .kernel_ns = side ? 3000000 : 2000000};
        rows[side][1] = (struct capture_row){
            .name = S("mm"), .node = 3, .kernel_ns = side ? 4000000 : 6000000};
        rows[side][2] =
            (struct capture_row){.name = S("copy"), .node = 2, .kernel_ns = 500000};
        sides[side] = (struct capture){.label = side ? S("b") : S("a"),
                                       .rows = rows[side],
                                       .n_rows = 2 + side,
                                       .nodes = nodes,
                                       .n_nodes = 4};
        c.selection.spans[side] = &span;
        c.selection.n_spans[side] = 1;
    }
    for (int i = 0; i < 2; i++) {
        matches[i] = (struct match){.level = MATCH_PATH,
                                    .n = {10, 10},
                                    .n_events = {10, 10},
                                    .ns = {rows[0][i].kernel_ns, rows[1][i].kernel_ns},
                                    .name = {rows[0][i].name, rows[1][i].name}};
        compared[i] = (struct compared_row){
            .match = &matches[i],
            .of = {&rows[0][i], &rows[1][i]},
            .judged = {.verdict = i ? VERDICT_WITHIN_FLOOR : VERDICT_OBSERVED}};
    }
    return c;
}

static const struct figure_mark *cell(const struct report_figure *f, const char *name)
{
    for (int i = 0; i < f->n_marks; i++)
        if (str_eq(f->marks[i].label, str_of(name)))
            return &f->marks[i];
    fail_msg("no cell %s", name);
    return NULL;
}

/* A cell is as wide as the longer side; what one side lacks stays. */
static void test_icicle(void **state)
{
    (void)state;
    struct comparison c = made();
    struct report_figure f = compare_icicle(&a, &c);
    assert_int_equal(f.n_marks, 6);
    const struct figure_mark *model = cell(&f, "Model"), *copy = cell(&f, "copy"),
                             *mlp = cell(&f, "Mlp");
    assert_true(fabs(model->high - model->low - 9.5) < 1e-9);
    assert_true(fabs(copy->high - copy->low - 0.5) < 1e-9 && copy->second == 0.5);
    assert_text(copy->value_text, "+0.500 ms, only in b");
    assert_text(mlp->value_text, "-2.000 ms, -33.3% of a");
    assert_text(mlp->letter, "-");
    assert_int_equal((int)mlp->x, 1);
    assert_text(f.caption, "Mlp -2.000 ms, Attention +1.500 ms");
}

/* Dashed is what is within the noise; points are per call. */
static void test_rows(void **state)
{
    (void)state;
    struct comparison c = made();
    struct report_figure f = compare_slopes(&a, &c);
    assert_int_equal(f.n_marks, 2);
    assert_true(!f.marks[0].folded && f.marks[1].folded);
    assert_true(f.marks[1].low == 6 && f.marks[1].high == 4);
    f = compare_scatter(&a, &c);
    assert_int_equal(f.n_marks, 2);
    assert_true(f.marks[0].x == 200 && f.marks[0].value == 300);
    assert_int_equal(f.n_roofs, 1);
    assert_text(f.caption, "1 of 2 matched operations take longer in b: "
                           "those above the line of equal time");
    assert_true(compare_steps(&a, &c).empty.n > 0);
}

static void test_steps(void **state)
{
    (void)state;
    struct comparison c = made();
    struct capture_step steps[] = {{.end_ns = 5000000, .steady = false},
                                   {.end_ns = 1000000, .steady = true},
                                   {.end_ns = 3000000, .steady = true}};
    sides[0].steps = steps;
    sides[0].n_steps = 3;
    struct report_figure f = compare_steps(&a, &c);
    assert_int_equal(f.n_marks, 1);
    assert_text(f.marks[0].label, "reference: a");
    assert_text(f.marks[0].value_text, "2.000 ms, 2 steps from 1.000 to 3.000");
}

/* The same on both sides: no line, no colour. */
static void test_same(void **state)
{
    (void)state;
    struct comparison c = made();
    c.of[1] = c.captures[1] = &sides[0];
    for (int i = 0; i < 2; i++)
        matches[i].ns[1] = matches[i].ns[0];
    assert_true(compare_slopes(&a, &c).empty.n > 0);
    struct report_figure f = compare_icicle(&a, &c);
    for (int i = 0; i < f.n_marks; i++)
        assert_true(f.marks[i].slot == SLOT_IDLE && f.marks[i].second == 0);
    assert_text(f.caption, "Every module takes the same time on both sides");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_icicle),
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_same),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
