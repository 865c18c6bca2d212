#include "svg_chart.c"

#include "base/arena.h"
#include "render/chart/chart_twin.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cjson/cJSON.h>
#include <cmocka.h>
#include <string.h>

static struct arena memory;
static struct theme theme;

#define HOSTILE S("</text><script>alert(1)</script>\0\xff\" onload='x'\xe2\x80\xae")

static struct figure_mark marks[CHART_MARKS_MAX];
enum { BINS = 500 };
static double bins[BINS];
static struct figure_series series[3];
static struct figure_roof roofs[] = {{.label = {"peak", 4}, .tflop_per_s = 708}};

/* A figure of each kind with n marks, all texts hostile. */
static struct report_figure hostile_figure(enum figure_kind kind, int n)
{
    for (int i = 0; i < n; i++)
        marks[i] = (struct figure_mark){.label = HOSTILE,
                                        .value_text = HOSTILE,
                                        .slot = (enum figure_slot)(i % FIGURE_SLOTS),
                                        .folded = i % 7 == 6,
                                        .value = 1 + i % 50,
                                        .low = 1 + i,
                                        .high = 2 + i,
                                        .x = 0.1 * (i + 1),
                                        .weight = 1.0 / (i + 1),
                                        .second = i};
    for (int i = 0; i < BINS; i++)
        bins[i] = i % 40;
    for (int i = 0; i < 3; i++)
        series[i] = (struct figure_series){HOSTILE, HOSTILE, (enum figure_slot)(9 + i),
                                           bins, i == 1};
    return (struct report_figure){.kind = kind,
                                  .series = series,
                                  .n_series = 3,
                                  .n_bins = n < BINS ? n : BINS,
                                  .x_high = 40,
                                  .borders = bins,
                                  .n_borders = n < BINS ? n : BINS,
                                  .id = S("c1"),
                                  .title = HOSTILE,
                                  .caption = HOSTILE,
                                  .description = HOSTILE,
                                  .x_title = HOSTILE,
                                  .y_title = HOSTILE,
                                  .second_title = HOSTILE,
                                  .label_title = HOSTILE,
                                  .value_title = HOSTILE,
                                  .whole = 500,
                                  .marks = marks,
                                  .n_marks = n,
                                  .roofs = roofs,
                                  .n_roofs = 1,
                                  .memory_tb_per_s = 5.3,
                                  .memory_label = HOSTILE};
}

static int count(struct str s, struct str part)
{
    int n = 0;
    for (ptrdiff_t at; (at = str_find(s, part)) >= 0; n++)
        s = str_skip(s, at + part.n);
    return n;
}

static void check_markup(struct str svg)
{
    assert_false(str_has(svg, S("<script")));
    assert_false(str_has(svg, S("style=")));
    assert_false(str_has(svg, S("<style")));
    assert_false(str_has(svg, S("\xe2\x80\xae")));
    assert_false(str_has(svg, S("nan")));
    assert_false(str_has(svg, S("inf")));
    assert_int_equal(memchr(svg.p, '\0', (size_t)svg.n) != NULL, 0);
    assert_int_equal(count(svg, S("<text")), count(svg, S("</text>")));
    assert_int_equal(count(svg, S("<svg")), count(svg, S("</svg>")));
}

static void no_text_breaks_out(void **state)
{
    (void)state;
    static const int sizes[] = {0, 1, 2, 13, 60, CHART_MARKS_MAX};
    for (int kind = 0; kind < FIGURE_KINDS; kind++)
        for (int i = 0; i < 6; i++) {
            struct report_figure f = hostile_figure((enum figure_kind)kind, sizes[i]);
            struct out o;
            out_memory(&o);
            chart_svg(&o, &f, &theme);
            check_markup(out_view(&o));
            out_free(&o);
            chart_svg_page(&o, &f, &theme);
            check_markup(out_view(&o));
            assert_int_equal(count(out_view(&o), S("<svg")), 3);
            assert_int_equal(count(out_view(&o), S(" display=\"none\"")), 2);
            out_free(&o);
        }
}

static void odd_numbers_are_drawn_somewhere(void **state)
{
    (void)state;
    const double odd[] = {0, -5, (double)NAN, HUGE_VAL, -HUGE_VAL, 1e300, 1e-300};
    for (int kind = 0; kind < FIGURE_KINDS; kind++)
        for (int i = 0; i < 7; i++) {
            struct report_figure f = hostile_figure((enum figure_kind)kind, 3);
            marks[1].value = marks[1].low = marks[1].x = odd[i];
            marks[1].weight = marks[1].second = odd[i];
            f.whole = f.x_high = bins[1] = odd[i];
            f.memory_tb_per_s = i % 2 ? odd[i] : 0;
            struct out o;
            out_memory(&o);
            chart_svg(&o, &f, &theme);
            check_markup(out_view(&o));
            out_free(&o);
        }
}

/* 30 of 40 ms: the scale ends at 40 and the bar is 3/4 of 800 px. */
static void a_stack_is_to_scale(void **state)
{
    (void)state;
    struct figure_mark parts[] = {
        {.label = S("Computation"), .slot = SLOT_COMPUTE, .value = 30},
        {.label = S("Copies"), .slot = SLOT_COPY, .value = 5},
        {.label = S("Communication"), .slot = SLOT_COMMUNICATION, .value = 5}};
    struct report_figure f = {
        .kind = FIGURE_STACK, .id = S("c1"), .whole = 40, .marks = parts, .n_marks = 3};
    struct out o;
    out_memory(&o);
    chart_svg(&o, &f, &theme);
    struct str svg = out_view(&o);
    assert_true(str_has(svg, S("<rect x=\"0\" y=\"0\" width=\"600\" height=\"32\" "
                               "class=\"s-compute\" fill=\"#0b5cad\"/>")));
    assert_true(str_has(svg, S("<rect x=\"600\" y=\"0\" width=\"100\" height=\"32\" "
                               "class=\"o-copy\" stroke=\"#6e7781\" "
                               "fill=\"url(#c1-f-dotted)\"/>")));
    assert_true(str_has(svg, S("<rect x=\"700\" y=\"0\" width=\"100\" height=\"32\" "
                               "class=\"s-communication\" fill=\"#6e7781\"/>")));
    assert_true(str_has(svg, S("<pattern id=\"c1-f-dotted\"")));
    assert_false(str_has(svg, S("diagonal")));
    out_free(&o);
}

/* Eight things counted from 0: 0 to 7, each number in the middle of its bin. The area
 * is 748 px wide from x 44, so bins are 93.5 px, and 6 is at 44 + 6.5 * 93.5 = 651.8.
 */
static void things_are_counted_from_zero(void **state)
{
    (void)state;
    double values[8] = {50, 50, 50, 50, 50, 50, 50, 50};
    struct figure_series of_each = {
        .label = S("computing"), .slot = SLOT_COMPUTE, .values = values};
    struct report_figure f = {.kind = FIGURE_BINS,
                              .id = S("c"),
                              .series = &of_each,
                              .n_series = 1,
                              .n_bins = 8,
                              .x_high = 8,
                              .numbered = true};
    struct out o;
    out_memory(&o);
    chart_svg(&o, &f, &theme);
    struct str svg = out_view(&o);
    assert_true(str_has(svg, S(">0</text>")) && str_has(svg, S(">6</text>")));
    assert_true(str_has(svg, S("x=\"651.8\"")));
    assert_false(str_has(svg, S(">8</text>")));
    f.numbered = false;
    out_free(&o);
    out_memory(&o);
    chart_svg(&o, &f, &theme);
    assert_true(str_has(out_view(&o), S(">8</text>")));
    out_free(&o);
}

/* Two series of 4 bins over 4 ms at 800 px: the area is 748 px wide from x 44, 160 px
 * high from y 24. 50 % then nothing twice then 50 %: two areas, from half way up (104)
 * to the floor (184), each 187 px wide. The second series stands on the first. */
static void bins_are_to_scale(void **state)
{
    (void)state;
    static const double first[] = {50, 0, 0, 50}, second[] = {25, 0, 0, 0};
    struct figure_series two[] = {
        {S_INIT("a"), S_INIT(""), SLOT_COMPUTE, first, false},
        {S_INIT("b"), S_INIT(""), SLOT_COMMUNICATION, second, false}};
    struct report_figure f = {.kind = FIGURE_BINS,
                              .id = S("c7"),
                              .series = two,
                              .n_series = 2,
                              .n_bins = 4,
                              .x_high = 4};
    struct out o;
    out_memory(&o);
    chart_svg(&o, &f, &theme);
    struct str svg = out_view(&o);
    assert_true(str_has(svg, S("<path d=\"M44 104H231V184H44z\" class=\"s-compute\"")));
    assert_true(
        str_has(svg, S("<path d=\"M605 104H792V184H605z\" class=\"s-compute\"")));
    assert_true(str_has(svg, S("<path d=\"M44 64H231V104H44z\" "
                               "class=\"o-communication\"")));
    out_free(&o);

    /* Names of steps and gaps; the host below, in the hatching of its slot. */
    static const double border[] = {2}, half[] = {50, 50, 0, 100};
    static const struct str step[] = {S_INIT("step <8>")};
    struct figure_span gap = {1, 3, S_INIT("gap 2 ms")};
    struct figure_series host = {S_INIT("host: waiting"), S_INIT(""), SLOT_WAITING,
                                 half, false};
    struct report_figure g = f;
    g.borders = border;
    g.border_labels = step;
    g.n_borders = g.n_spans = g.n_under = 1;
    g.spans = &gap;
    g.under = &host;
    g.under_title = S("the host");
    out_memory(&o);
    chart_svg(&o, &g, &theme);
    svg = out_view(&o);
    assert_true(str_has(svg, S(">step &lt;8&gt;</text>")));
    assert_true(str_has(svg, S(">gap 2 ms</text>")));
    assert_true(str_has(svg, S(">the host</text>")));
    assert_true(str_has(svg, S("class=\"o-waiting\"")));
    assert_true(str_has(svg, S("<pattern id=\"c7-f-diagonal\"")));
    out_free(&o);

    /* The same as a band: no upright axis, 84 px high, and what the pointer reads. */
    struct figure_mark row = {.label = S("0 to 4"), .value_text = S("<busy>")};
    f.low = true;
    f.label_title = S("Time, ms");
    f.marks = &row;
    f.n_marks = 1;
    out_memory(&o);
    chart_svg(&o, &f, &theme);
    svg = out_view(&o);
    assert_true(str_has(svg, S("<path d=\"M0 42H200V84H0z\" class=\"s-compute\"")));
    assert_false(str_has(svg, S("idle-")));
    assert_true(str_has(svg, S("width=\"800\" height=\"84\" fill=\"#fff\" "
                               "fill-opacity=\"0\"><title>Time, ms: 0 to 4 - "
                               "&lt;busy&gt;</title>")));
    out_free(&o);
}

/* Idle for a cause is hatched by a pattern of its own, without an outline; idle for
 * none is not drawn, but in the legend. */
static void idle_time_is_hatched_by_cause(void **state)
{
    (void)state;
    static const double half[] = {50, 50}, quarter[] = {25, 0}, rest[] = {25, 50};
    struct figure_series three[] = {
        {S_INIT("a"), S_INIT(""), SLOT_COMPUTE, half, false},
        {S_INIT("idle: Python"), S_INIT("12%"), SLOT_PYTHON, quarter, true},
        {S_INIT("idle: other causes"), S_INIT("38%"), SLOT_IDLE, rest, true}};
    struct report_figure f = {.kind = FIGURE_BINS,
                              .low = true,
                              .id = S("c7"),
                              .series = three,
                              .n_series = 3,
                              .n_bins = 2,
                              .x_high = 4};
    struct out o;
    out_memory(&o);
    chart_svg(&o, &f, &theme);
    struct str svg = out_view(&o);
    assert_true(str_has(svg, S("<pattern id=\"c7-f-idle-python\"")));
    assert_true(str_has(svg, S("class=\"o-python\" stroke=\"#")));
    assert_true(str_has(
        svg, S("<path d=\"M0 21H400V42H0z\" fill=\"url(#c7-f-idle-python)\"/>")));
    assert_true(str_has(svg, S(">idle: other causes</text>")));
    ptrdiff_t outline = str_find(svg, S("class=\"o-idle\""));
    assert_true(outline > 0); /* the swatch, and no area */
    assert_false(str_has(str_skip(svg, outline + 1), S("class=\"o-idle\"")));
    out_free(&o);
    /* Each cause has lines of its own, and none those of communication. */
    static const enum figure_slot causes[] = {SLOT_PYTHON, SLOT_DISPATCH, SLOT_RUNTIME,
                                              SLOT_WAITING};
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < i; k++)
            assert_true(chart_hatch(causes[i]) != chart_hatch(causes[k]) &&
                        chart_hatch(causes[i]) != HATCH_UP && chart_hatch(causes[k]));
    assert_int_equal(chart_hatch(SLOT_IDLE), 0);
}

/* The number of attribute `name` of the text that says `words`. */
static double attribute_of(struct str svg, struct str words, const char *name)
{
    ptrdiff_t at = str_find(svg, words);
    assert_true(at > 0);
    const char *tag = svg.p + at;
    while (tag > svg.p && strncmp(tag, "<text", 5) != 0)
        tag--;
    const char *value = strstr(tag, name);
    assert_non_null(value);
    assert_true(value < svg.p + at);
    return strtod(value + strlen(name), NULL);
}

/* Peaks of 708 and 700 TFLOP/s share a pixel; their words do not. Both end where the
 * slope of 5.3 TB/s reaches them, at 134 FLOP/byte, left of the points at 200. */
static void words_of_roofs_keep_off_each_other(void **state)
{
    (void)state;
    struct figure_roof two[] = {{.label = S("first peak"), .tflop_per_s = 700},
                                {.label = S("second peak"), .tflop_per_s = 708}};
    struct figure_mark points[] = {
        {.label = S("a"), .x = 200, .value = 600, .weight = 0.5},
        {.label = S("b"), .x = 0.1, .value = 0.2, .weight = 0.5}};
    struct report_figure f = {.kind = FIGURE_ROOFLINE,
                              .id = S("c13"),
                              .marks = points,
                              .n_marks = 2,
                              .roofs = two,
                              .n_roofs = 2,
                              .memory_tb_per_s = 5.3,
                              .memory_label = S("memory: 5.3 TB/s")};
    struct out o;
    out_memory(&o);
    chart_svg(&o, &f, &theme);
    struct str svg = out_view(&o);
    double lower = attribute_of(svg, S(">first peak<"), " y=\"");
    double upper = attribute_of(svg, S(">second peak<"), " y=\"");
    assert_true(lower - upper >= 12.9);
    double end = attribute_of(svg, S(">first peak<"), " x=\"");
    assert_true(end < attribute_of(svg, S(">a<"), " x=\""));
    assert_true(str_has(svg, S(">memory: 5.3 TB/s<")));
    out_free(&o);
}

/* Cells of a page are links that say what they are; those of a file lead nowhere. */
static void cells_are_links(void **state)
{
    (void)state;
    struct figure_mark cells[] = {
        {.label = S("a<b>"),
         .value_text = S("10 ms"),
         .high = 10,
         .href = S("#n-1"),
         .slot = SLOT_GEMM},
        {.label = S("narrow"),
         .low = 9.9,
         .high = 10,
         .x = 1,
         .href = S("#n-2"),
         .slot = SLOT_NORM},
        {.label = S("deep"), .high = 9, .x = 3, .href = S("#n-3")}};
    struct report_figure f = {
        .kind = FIGURE_ICICLE, .id = S("t"), .whole = 10, .marks = cells, .n_marks = 3};
    struct out o;
    out_memory(&o);
    chart_svg_page(&o, &f, &theme);
    struct str svg = out_view(&o);
    assert_true(str_has(svg, S("role=\"group\"")));
    assert_true(str_has(svg, S("<a href=\"#n-1\"><title>a&lt;b&gt; - 10 ms</title>"
                               "<rect x=\"0.5\" y=\"0.5\" width=\"959\"")));
    assert_true(str_has(svg, S("class=\"s-gemm o-gemm\" fill-opacity=\".25\"")));
    /* Too narrow to be met, or deep: reached in the tree, not by the tabulator. */
    assert_true(str_has(svg, S("<a href=\"#n-2\" tabindex=\"-1\">")));
    assert_true(str_has(svg, S("<a href=\"#n-3\" tabindex=\"-1\">")));
    out_free(&o);
    out_memory(&o);
    chart_svg(&o, &f, &theme);
    assert_false(str_has(out_view(&o), S("href")));
    out_free(&o);
}

static void the_twin_says_the_same(void **state)
{
    (void)state;
    for (int kind = 0; kind < FIGURE_KINDS; kind++) {
        struct report_figure f = hostile_figure((enum figure_kind)kind, 100);
        cJSON *c = cJSON_CreateObject();
        chart_twin(c, "twin", &f, memory);
        cJSON *twin = cJSON_GetObjectItem(c, "twin");
        cJSON *rows = cJSON_GetObjectItem(twin, "rows"), *row;
        int columns = cJSON_GetArraySize(cJSON_GetObjectItem(twin, "columns"));
        bool named = kind == FIGURE_ROWS; /* a row for each series */
        assert_int_equal(cJSON_GetArraySize(rows),
                         named ? f.n_series : CHART_TWIN_ROWS_MAX);
        cJSON_ArrayForEach(row, rows) assert_int_equal(
            cJSON_GetArraySize(cJSON_GetObjectItem(row, "cells")), columns);
        if (named) {
            cJSON_Delete(c);
            continue;
        }
        cJSON *last = cJSON_GetArrayItem(rows, CHART_TWIN_ROWS_MAX - 1);
        cJSON *cell = cJSON_GetArrayItem(cJSON_GetObjectItem(last, "cells"), 0);
        /* 59 rows of 100, so 41 are left. */
        assert_string_equal(cJSON_GetObjectItem(cell, "text")->valuestring,
                            kind == FIGURE_ICICLE ? "and 41 more in the tree itself"
                                                  : "and 41 more in the CSV file");
        cJSON_Delete(c);
    }
}

/* Points that have a row lead to it; Tab stops at those that stand apart. On a phone
 * the words of four roofs, of which two are equal, are a line each, without their unit.
 */
static void points_lead_to_their_rows(void **state)
{
    (void)state;
    struct figure_roof roofs4[] = {
        {S("matrix bf16: 708 TFLOP/s"), 708, S("matrix bf16: 708")},
        {S("vector bf16: 163 TFLOP/s"), 163, S("vector bf16: 163")},
        {S("matrix fp32: 163 TFLOP/s"), 163, S("matrix fp32: 163")},
        {S("vector fp32: 81 TFLOP/s"), 81, S("vector fp32: 81")}};
    struct figure_mark points[] = {
        {.label = S("aten::mm (8,8)"),
         .value_text = S("1"),
         .x = 400,
         .value = 500,
         .weight = 0.5,
         .href = S("operations.html#op-1")},
        {.label = S("aten::bmm"),
         .value_text = S("2"),
         .x = 402,
         .value = 500,
         .weight = 0.3,
         .href = S("operations.html#op-2")},
        {.label = S("aten::add"),
         .value_text = S("3"),
         .x = 0.2,
         .value = 0.5,
         .weight = 0.2,
         .href = S("operations-2.html#op-3")},
        {.label = S("aten::sub"), .x = 0.1, .value = 0.01, .weight = 0.1}};
    struct report_figure f = {.kind = FIGURE_ROOFLINE,
                              .id = S("c13"),
                              .marks = points,
                              .n_marks = 4,
                              .roofs = roofs4,
                              .n_roofs = 4,
                              .memory_tb_per_s = 5.3};
    struct out o;
    out_memory(&o);
    chart_svg_page(&o, &f, &theme);
    struct str svg = out_view(&o);
    assert_true(str_has(svg, S("<a href=\"operations.html#op-1\"><title>aten::mm "
                               "(8,8) - 1</title>")));
    assert_true(str_has(svg, S("<a href=\"operations.html#op-2\" tabindex=\"-1\">")));
    assert_true(str_has(svg, S("<a href=\"operations-2.html#op-3\"><title>")));
    assert_true(str_has(svg, S("role=\"group\"")));
    assert_false(str_has(svg, S("role=\"img\"")));
    assert_true(
        str_has(svg, S(">aten::mm</text>"))); /* its arguments are in the hint */
    struct str phone = str_skip(svg, str_find(svg, S("chart-narrow")));
    static const char *const upwards[] = {">vector fp32: 81<", ">vector bf16: 163<",
                                          ">matrix fp32: 163<", ">matrix bf16: 708<"};
    for (size_t k = 0; k + 1 < sizeof upwards / sizeof *upwards; k++)
        assert_true(attribute_of(phone, str_of(upwards[k]), " y=\"") -
                        attribute_of(phone, str_of(upwards[k + 1]), " y=\"") >=
                    13.9);
    out_free(&o);
    out_memory(&o);
    chart_svg(&o, &f, &theme); /* a file leads nowhere */
    assert_false(str_has(out_view(&o), S("<a ")));
    out_free(&o);
}

/* Of operations with one name the first argument is told; the heaviest, among others on
 * all sides, has a line to its label. */
static void the_heaviest_points_have_a_name(void **state)
{
    (void)state;
    static const double around[][2] = {{100, 100}, {80, 100},  {125, 100}, {100, 60},
                                       {100, 170}, {80, 60},   {125, 60},  {80, 170},
                                       {125, 170}, {300, 100}, {30, 100}};
    struct figure_mark points[12];
    for (int i = 0; i < 11; i++)
        points[i] = (struct figure_mark){
            .label = S("x"), .x = around[i][0], .value = around[i][1], .weight = 0.01};
    points[0].label = S("aten::mm (512,8) bf16, (8,8) bf16");
    points[0].weight = 0.9;
    points[11] = (struct figure_mark){.label = S("aten::mm (64,8) bf16, (8,8) bf16"),
                                      .x = 2,
                                      .value = 2,
                                      .weight = 0.5};
    struct report_figure f = {.kind = FIGURE_ROOFLINE,
                              .id = S("c14"),
                              .marks = points,
                              .n_marks = 12,
                              .memory_tb_per_s = 5.3};
    struct out o;
    out_memory(&o);
    chart_svg(&o, &f, &theme);
    assert_true(str_has(out_view(&o), S(">aten::mm (512,8)</text>")));
    assert_true(str_has(out_view(&o), S(">aten::mm (64,8)</text>")));
    out_free(&o);
}

/* On a phone a value that does not fit beside its label is below it, both whole. */
static void long_rows_take_three_lines(void **state)
{
    (void)state;
    struct figure_mark rows[] = {{.label = S("S1 the host launches too slowly"),
                                  .value_text = S("292.9 to 366.9 ms, 25.0%"),
                                  .value = 300,
                                  .low = 292.9,
                                  .high = 366.9}};
    struct report_figure f = {.kind = FIGURE_RANGES,
                              .id = S("c15"),
                              .marks = rows,
                              .n_marks = 1,
                              .whole = 1171};
    struct out o;
    out_memory(&o);
    chart_svg_page(&o, &f, &theme);
    struct str svg = out_view(&o);
    struct str phone = str_skip(svg, str_find(svg, S("chart-narrow")));
    double label = attribute_of(phone, S(">S1 the host launches too slowly<"), " y=\"");
    double value = attribute_of(phone, S(">292.9 to 366.9 ms, 25.0%<"), " y=\"");
    assert_true(value >= label + 14);
    out_free(&o);
}

int main(void)
{
    struct err e = {0};
    memory = arena_reserve(1 << 24);
    if (!theme_builtin(&memory, S("default"), &theme, &e))
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_text_breaks_out),
        cmocka_unit_test(odd_numbers_are_drawn_somewhere),
        cmocka_unit_test(a_stack_is_to_scale),
        cmocka_unit_test(things_are_counted_from_zero),
        cmocka_unit_test(bins_are_to_scale),
        cmocka_unit_test(idle_time_is_hatched_by_cause),
        cmocka_unit_test(words_of_roofs_keep_off_each_other),
        cmocka_unit_test(points_lead_to_their_rows),
        cmocka_unit_test(the_heaviest_points_have_a_name),
        cmocka_unit_test(long_rows_take_three_lines),
        cmocka_unit_test(cells_are_links),
        cmocka_unit_test(the_twin_says_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
