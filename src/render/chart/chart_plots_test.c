#include "render/chart/chart_plots.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena_case.h"

enum { MOST = 64 };

/* A canvas that keeps what is drawn. */
static struct chart_rect rects[MOST];
static struct chart_point shapes[MOST];
static double radii[MOST];
static struct str texts[MOST];
static int n_rects, n_shapes, n_texts, n_lines, n_links, n_tabs;

static void keep_rects(struct chart_canvas *c, const struct chart_rect *r, int n,
                       enum figure_slot slot, enum chart_fill fill)
{
    (void)c, (void)slot, (void)fill;
    for (int i = 0; i < n && n_rects < MOST; i++)
        rects[n_rects++] = r[i];
}

static void keep_line(struct chart_canvas *c, const struct chart_point *p, int n,
                      enum chart_stroke stroke)
{
    (void)c, (void)p, (void)n;
    n_lines += stroke == STROKE_ROOF;
}

static void keep_shape(struct chart_canvas *c, enum chart_shape shape,
                       struct chart_point at, double radius, enum figure_slot slot)
{
    (void)c, (void)shape, (void)slot;
    shapes[n_shapes] = at;
    radii[n_shapes++] = radius;
}

static void keep_text(struct chart_canvas *c, struct chart_point at,
                      enum chart_anchor anchor, enum chart_style style, struct str s)
{
    (void)c, (void)at, (void)anchor, (void)style;
    texts[n_texts++ % MOST] = str_copy(&a, s);
}

static void keep_link(struct chart_canvas *c, const struct figure_mark *m, bool tab)
{
    (void)c, (void)m;
    n_links++;
    n_tabs += tab;
}

static void end_link(struct chart_canvas *c)
{
    (void)c;
}

static struct chart_canvas canvas = {.rects = keep_rects,
                                     .polyline = keep_line,
                                     .shape = keep_shape,
                                     .text = keep_text,
                                     .link_begin = keep_link,
                                     .link_end = end_link};

static int begin(void **state)
{
    (void)state;
    n_rects = n_shapes = n_texts = n_lines = n_links = n_tabs = 0;
    return 0;
}

static bool is_told(const char *text)
{
    for (int i = 0; i < n_texts && i < MOST; i++)
        if (str_eq(texts[i], str_of(text)))
            return true;
    return false;
}

/* A bar is as high as its share of the axis; a second panel where there is time. */
static void bins_are_as_high_as_their_counts(void **state)
{
    struct figure_mark marks[] = {{.low = 1, .high = 10, .value = 100},
                                  {.low = 10, .high = 100, .value = 50},
                                  {.low = 100, .high = 1000, .value = 0}};
    struct report_figure f = {.marks = marks, .n_marks = 3};
    (void)state;
    assert_false(has_second(&f));
    assert_true(histogram_height(&f, 600) == 150 + CHART_AXIS_PX);
    histogram_draw(&canvas, &f, 600, 0);
    assert_int_equal(n_rects, 2); /* nothing is drawn of none */
    assert_true(fabs(rects[0].h - 2 * rects[1].h) < 1e-9);
    assert_true(fabs(rects[0].y + rects[0].h - (PANEL_TOP_PX + PANEL_PX)) < 1e-9);
    assert_true(fabs(rects[0].w - rects[1].w) < 1e-9); /* decades are as wide */
    assert_true(fabs(rects[0].x - (AXIS_LEFT_PX + 0.5)) < 1e-9);
    marks[1].second = 3;
    assert_true(has_second(&f));
    assert_true(histogram_height(&f, 600) == 300 + CHART_AXIS_PX);
    begin(state);
    histogram_draw(&canvas, &f, 600, 0);
    assert_int_equal(n_rects, 3);
    assert_true(rects[2].y > PANEL_TOP_PX + PANEL_PX);
    assert_true(rects[2].h > PANEL_PX / 2.0); /* on an axis of its own */
    marks[2].value = 0.001;                   /* little is seen all the same */
    begin(state);
    histogram_draw(&canvas, &f, 600, 0);
    assert_true(rects[2].h == 1);
}

static void roofs_are_in_the_order_of_rates(void **state)
{
    struct figure_roof roofs[] = {{.tflop_per_s = 700},
                                  {.tflop_per_s = 80},
                                  {.tflop_per_s = 700},
                                  {.tflop_per_s = 160}};
    struct report_figure f = {.roofs = roofs, .n_roofs = 4};
    (void)state;
    int order[5] = {-1, -1, -1, -1, -1}, at = -1;
    for (int k = 0; k < 5; k++)
        order[k] = at = next_roof(&f, at);
    static const int want[] = {1, 3, 0, 2, -1};
    assert_memory_equal(order, want, sizeof want);
    assert_true(highest_roof(&f) == 700);
}

static void the_heaviest_points_are_labelled(void **state)
{
    struct figure_mark marks[] = {
        {.weight = 0.1}, {.weight = 0.4}, {.weight = 0.2}, {.weight = 0.4}};
    struct report_figure f = {.marks = marks, .n_marks = 4};
    int pick[LABELLED_WIDE];
    (void)state;
    assert_int_equal(heaviest(&f, 3, pick), 3);
    assert_int_equal(pick[0], 1);
    assert_int_equal(pick[1], 3);
    assert_int_equal(pick[2], 2);
    assert_int_equal(heaviest(&f, 12, pick), 4);
    assert_int_equal(pick[3], 0);
    assert_true(point_radius(&marks[0]) == 3.5 + 5 * sqrt(0.1));
    marks[0].weight = 4;
    assert_true(point_radius(&marks[0]) == 8.5);
    marks[0].weight = -1;
    assert_true(point_radius(&marks[0]) == 3.5);
}

/* With its first argument where another that is labelled has the same name. */
static void points_of_one_name_have_an_argument(void **state)
{
    struct figure_mark marks[] = {{.label = S("mm (8,8) bf16")},
                                  {.label = S("mm (4,4) bf16")},
                                  {.label = S("add (8)")},
                                  {.label = S("plain")}};
    struct report_figure f = {.marks = marks, .n_marks = 4};
    const int all[] = {0, 1, 2, 3}, few[] = {0, 2};
    (void)state;
    assert_text(point_words(&f, all, 4, 0, 500), "mm (8,8)");
    assert_text(point_words(&f, all, 4, 0, 10), "mm"); /* no room */
    assert_text(point_words(&f, few, 2, 0, 500), "mm");
    assert_text(point_words(&f, all, 4, 2, 500), "add");
    assert_text(point_words(&f, all, 4, 3, 500), "plain");
}

static void boxes_overlap_if_they_share_an_area(void **state)
{
    struct chart_rect box = {10, 10, 20, 10};
    (void)state;
    assert_true(overlaps(box, (struct chart_rect){29, 19, 5, 5}));
    assert_false(overlaps(box, (struct chart_rect){30, 10, 5, 5})); /* beside it */
    assert_false(overlaps(box, (struct chart_rect){10, 20, 5, 5}));
    assert_true(overlaps(box, (struct chart_rect){0, 0, 100, 100}));
}

/* Right, left, above and below of a point at 100, 50 with a radius of 8. */
static void labels_stand_beside_their_points(void **state)
{
    (void)state;
    assert_true(label_box(0, 100, 50, 8, 30).x == 108);
    assert_true(label_box(1, 100, 50, 8, 30).x == 100 - 8 - 30);
    assert_true(label_box(2, 100, 50, 8, 30).x == 85);
    assert_true(label_box(2, 100, 50, 8, 30).y == 50 - 8 - 13);
    assert_true(label_box(3, 100, 50, 8, 30).y == 57);
    assert_true(label_box(4, 100, 50, 8, 30).x == 100 + 8 - 30);
    assert_true(label_box(5, 100, 50, 8, 30).x == 92);
    assert_true(label_box(6, 100, 50, 8, 30).y == 57);
    struct chart_rect lead = lead_of((struct chart_rect){120, 40, 30, 14}, 100, 50);
    assert_true(lead.x == 100 && lead.w == 20 && lead.y == 50 && lead.h == 0);
    assert_true(lead_is_free(NULL, 0, lead));
    struct chart_rect taken = {105, 45, 5, 10};
    assert_false(lead_is_free(&taken, 1, lead));
    lead.h = 3; /* only straight lines lead */
    assert_false(lead_is_free(NULL, 0, lead));
}

/* The curve of a transfer: half its rate where the start takes as long. */
static void a_curve_bends_at_its_start(void **state)
{
    struct figure_curve curve = {.start = 2, .rate = 100};
    (void)state;
    assert_true(curve_at(&curve, 200) == 50);
    assert_true(curve_at(&curve, 0) == 0);
}

static void a_ratio_runs_through_the_area(void **state)
{
    struct chart_scale x = {.low = 1, .high = 100}, y = {.low = 1, .high = 100};
    double from, to;
    (void)state;
    assert_true(ratio_line(&x, &y, 1, &from, &to) && from == 1 && to == 100);
    assert_true(ratio_line(&x, &y, 2, &from, &to) && from == 1 && to == 50);
    assert_true(ratio_line(&x, &y, 0.5, &from, &to) && from == 2 && to == 100);
    assert_false(ratio_line(&x, &y, 100, &from, &to));
    assert_false(ratio_line(&x, &y, 0, &from, &to));
}

/* Points of 1, 10 and 100 FLOP/byte: as far from each other; the middle one has no
 * link. The last lies on the first, so that the keyboard stops at one of them. */
static void points_are_where_their_figures_say(void **state)
{
    struct figure_mark marks[] = {
        {.x = 1, .value = 1, .weight = 1, .href = S("a"), .label = S("one")},
        {.x = 10, .value = 10, .weight = 0.25, .label = S("two")},
        {.x = 100, .value = 100, .weight = 0, .href = S("b")},
        {.x = 1, .value = 1, .weight = 1, .href = S("c")}};
    struct figure_roof roof = {.label = S("bf16: 200"), .tflop_per_s = 200};
    struct report_figure f = {.marks = marks,
                              .n_marks = 4,
                              .roofs = &roof,
                              .n_roofs = 1,
                              .memory_tb_per_s = 2,
                              .memory_label = S("memory: 2 TB/s"),
                              .x_title = S("FLOP/byte"),
                              .y_title = S("TFLOP/s")};
    (void)state;
    roofline_draw(&canvas, &f, 800, 0);
    assert_int_equal(n_links, 3);
    assert_int_equal(n_tabs, 2);
    assert_int_equal(n_lines, 2); /* the slope, and one roof */
    assert_true(is_told("bf16: 200") && is_told("memory: 2 TB/s"));
    assert_true(is_told("two"));
    /* Without a link first, then the others. */
    assert_true(radii[0] == 6 && radii[1] == 8.5 && radii[2] == 3.5);
    assert_true(fabs((shapes[0].x - shapes[1].x) - (shapes[2].x - shapes[0].x)) < 1e-6);
    assert_true(fabs((shapes[1].y - shapes[0].y) - (shapes[0].y - shapes[2].y)) < 1e-6);
    assert_true(shapes[2].y < shapes[1].y); /* more is further up */
}

#define CASE(test) cmocka_unit_test_setup(test, begin)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(bins_are_as_high_as_their_counts),
        CASE(roofs_are_in_the_order_of_rates),
        CASE(the_heaviest_points_are_labelled),
        CASE(points_of_one_name_have_an_argument),
        CASE(boxes_overlap_if_they_share_an_area),
        CASE(labels_stand_beside_their_points),
        CASE(a_curve_bends_at_its_start),
        CASE(a_ratio_runs_through_the_area),
        CASE(points_are_where_their_figures_say),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
