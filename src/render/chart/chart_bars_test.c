#include "render/chart/chart_bars.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { MOST = 32, WIDE = 1000 };

/* A canvas that keeps bars, dots, lines and where words begin. */
static struct chart_rect bars[MOST];
static struct chart_point dots[MOST];
static enum chart_fill fills[MOST];
static int n_bars, n_dots, n_lines, n_hundreds;

static void keep_bars(struct chart_canvas *c, const struct chart_rect *r, int n,
                      enum figure_slot slot, enum chart_fill fill)
{
    (void)c, (void)slot;
    for (int i = 0; i < n; i++) {
        fills[n_bars] = fill;
        bars[n_bars++] = r[i];
    }
}

static void keep_line(struct chart_canvas *c, const struct chart_point *p, int n,
                      enum chart_stroke stroke)
{
    (void)c, (void)p, (void)n;
    n_lines += stroke == STROKE_LINE;
}

static void keep_dot(struct chart_canvas *c, enum chart_shape shape,
                     struct chart_point at, double radius, enum figure_slot slot)
{
    (void)c, (void)shape, (void)radius, (void)slot;
    dots[n_dots++] = at;
}

static void count_hundreds(struct chart_canvas *c, struct chart_point at,
                           enum chart_anchor anchor, enum chart_style style,
                           struct str s)
{
    (void)c, (void)at, (void)anchor, (void)style;
    n_hundreds += str_eq(s, S("100"));
}

static struct chart_canvas canvas = {.rects = keep_bars,
                                     .polyline = keep_line,
                                     .shape = keep_dot,
                                     .text = count_hundreds};

static struct figure_mark marks[4];
static struct report_figure f;

static int begin(void **state)
{
    static const double values[] = {40, 20, 10, 5};
    (void)state;
    n_bars = n_dots = n_lines = n_hundreds = 0;
    for (int i = 0; i < 4; i++)
        marks[i] = (struct figure_mark){.label = S("gemm"),
                                        .letter = S(" "),
                                        .value_text = S("40 ms"),
                                        .slot = SLOT_COMPUTE,
                                        .value = values[i]};
    f = (struct report_figure){.marks = marks, .n_marks = 4};
    return 0;
}

static void near(double got, double want)
{
    if (!(fabs(got - want) < 1e-6))
        fail_msg("%g, not %g", got, want);
}

/* Parts of a whole of 100: the rest of the bar stays empty. */
static void a_stack_is_of_its_whole(void **state)
{
    (void)state;
    f.whole = 100;
    stack_draw(&canvas, &f, WIDE, 7);
    near(bars[0].x, 0);
    near(bars[0].w, 400);
    near(bars[1].x, 400);
    near(bars[3].x + bars[3].w, 750);
    near(bars[0].y, 7);
    near(bars[0].h, STACK_BAR_PX);
    begin(state);
    marks[1].value = -3; /* which is no part */
    near(sum_of(&f), 55);
    stack_draw(&canvas, &f, WIDE, 0);
    near(bars[0].w, 40 / 55.0 * WIDE);
}

static void a_legend_has_columns_that_fit(void **state)
{
    (void)state;
    assert_int_equal(legend_columns(&f, 2 * LEGEND_COLUMN_PX), 2);
    assert_int_equal(legend_columns(&f, 2 * LEGEND_COLUMN_PX - 1), 1);
    assert_int_equal(legend_columns(&f, 10), 1);
    assert_int_equal(legend_columns(&f, 5000), 4); /* no more than marks */
    near(stack_height(&f, 3 * LEGEND_COLUMN_PX),
         STACK_BAR_PX + GAP_PX + 2 * LEGEND_ROW_PX);
}

/* Bars begin at one line and are as long as their values. */
static void bars_are_as_long_as_their_values(void **state)
{
    (void)state;
    bars_draw(&canvas, &f, WIDE, 0);
    assert_int_equal(n_bars, 4);
    for (int i = 0; i < 4; i++) {
        near(bars[i].x, bars[0].x);
        near(bars[i].w / bars[0].w, marks[i].value / 40);
        near(bars[i].y - bars[0].y, i * ROW_PX);
        near(bars[i].h, BAR_PX);
    }
    assert_true(bars[0].x + bars[0].w < WIDE);
}

/* Below zero they go to the left of it. */
static void what_is_less_than_nothing_goes_left(void **state)
{
    (void)state;
    marks[1].value = -20;
    bars_draw(&canvas, &f, WIDE, 0);
    near(bars[1].x + bars[1].w, bars[0].x);
    near(bars[0].w, 2 * bars[1].w);
    near(bars[2].x, bars[0].x);
}

/* Nothing is too small to see, but nothing itself; an outline lies inside. */
static void a_bar_is_seen_if_there_is_something(void **state)
{
    (void)state;
    marks[0].value = 0.001;
    draw_bar(&canvas, &marks[0], (struct chart_rect){3, 0, 0.1, 16}, FILL_SOLID);
    near(bars[0].w, 1);
    marks[0].value = 0;
    draw_bar(&canvas, &marks[0], (struct chart_rect){3, 0, 0, 16}, FILL_SOLID);
    assert_int_equal(n_bars, 1);
    marks[0].value = 5;
    draw_bar(&canvas, &marks[0], (struct chart_rect){3, 0, 10, 16}, FILL_OUTLINE);
    near(bars[1].x, 3.5);
    near(bars[1].y, 0.5);
    near(bars[1].w, 9);
    near(bars[1].h, 15);
}

/* Labels go above their bars below 400 px, and up to 800 where words take more than
 * three fifths. */
static void rows_are_tall_where_there_is_little_room(void **state)
{
    (void)state;
    assert_true(rows_tall(&f, 399));
    assert_false(rows_tall(&f, 400));
    near(row_height(&f, 400), ROW_PX);
    near(row_height(&f, 399), ROW_TALL_PX);
    marks[2].label =
        S("a label that is as long as labels of kernels are, and then some, "
          "so that it takes most of the width");
    assert_true(rows_tall(&f, 799));
    assert_false(rows_tall(&f, 800));
    near(row_height(&f, 399), ROW_TALL_PX + VALUE_LINE_PX);
    near(row_height(&f, 800), ROW_PX);
    near(rows_height(&f, 800), 4 * ROW_PX + 4 + CHART_AXIS_PX);
}

static void letters_have_a_column_if_there_are_any(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++)
        marks[i].letter = S("A");
    double wide = letters_px(&f);
    assert_true(wide > LETTER_GAP_PX && wide < 40 + LETTER_GAP_PX);
    near(widest(&f, true, 1e9), chart_text_px(S("40 ms"), CHART_TEXT_PX) + 4);
    near(widest(&f, true, 5), 5);
}

/* Dots are where the sum is: 40, 60, 70 and 75 of 75. */
static void sums_run_from_row_to_row(void **state)
{
    (void)state;
    pareto_draw(&canvas, &f, WIDE, 0);
    assert_int_equal(n_dots, 4);
    double left = bars[0].x, whole = dots[3].x - left;
    near((dots[0].x - left) / whole, 40 / 75.0);
    near((dots[1].x - left) / whole, 60 / 75.0);
    near((dots[2].x - left) / whole, 70 / 75.0);
    near(bars[1].w / bars[0].w, 0.5);
    near(dots[0].y, bars[0].y + BAR_PX / 2.0);
    assert_int_equal(n_lines, 3);
    near(pareto_height(&f, WIDE), rows_height(&f, WIDE) + TOP_AXIS_PX);
    assert_int_equal(n_hundreds, 0);
    begin(state);
    f.whole = 75; /* in per cent of that, too */
    pareto_draw(&canvas, &f, WIDE, 0);
    assert_int_equal(n_hundreds, 1);
}

/* From the least to the most, and no less than 2 px. */
static void ranges_have_both_ends(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        marks[i].low = marks[i].value / 2;
        marks[i].high = i ? marks[i].value : 80;
    }
    marks[3].low = marks[3].high;
    ranges_draw(&canvas, &f, WIDE, 0);
    near(bars[0].w, 6 * bars[1].w); /* 20 to 80, and 10 to 20 */
    near(bars[3].w, 2);
    near(bars[0].h, BAR_PX - 6);
}

#define CASE(test) cmocka_unit_test_setup(test, begin)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_stack_is_of_its_whole),
        CASE(a_legend_has_columns_that_fit),
        CASE(bars_are_as_long_as_their_values),
        CASE(what_is_less_than_nothing_goes_left),
        CASE(a_bar_is_seen_if_there_is_something),
        CASE(rows_are_tall_where_there_is_little_room),
        CASE(letters_have_a_column_if_there_are_any),
        CASE(sums_run_from_row_to_row),
        CASE(ranges_have_both_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
