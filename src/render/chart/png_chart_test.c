#include "png_chart.c"

#include "base/arena.h"

#include <png.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct theme theme;

/* A text that a static object may start with: S() is not a constant. */
#define START(lit)                                                                     \
    {                                                                                  \
        (lit), sizeof(lit) - 1                                                         \
    }

static struct figure_mark parts[] = {
    {.label = START("Computation \xff <b>"), .slot = SLOT_COMPUTE, .value = 30},
    {.label = START("Communication"), .slot = SLOT_COMMUNICATION, .value = 6},
    {.label = START("Copies"), .slot = SLOT_COPY, .value = 4}};

static struct report_figure stack(void)
{
    return (struct report_figure){.kind = FIGURE_STACK,
                                  .id = S("c1"),
                                  .whole = 40,
                                  .caption = S("The caption"),
                                  .marks = parts,
                                  .n_marks = 3};
}

static struct str draw_it(const struct report_figure *f, struct out *o)
{
    struct err e = {0};
    struct arena memory = arena_reserve(1 << 27);
    char *memory_start = memory.at;
    out_memory(o);
    struct png_painter *p = png_painter_open(&memory, &e);
    if (!p || !chart_png(f, p, &theme, o, &e))
        fail_msg("%s", e.what);
    png_painter_close(p);
    arena_release(memory_start, &memory);
    return out_view(o);
}

static void the_same_figure_is_the_same_bytes(void **state)
{
    (void)state;
    struct report_figure f = stack();
    struct out a, b;
    struct str first = draw_it(&f, &a), second = draw_it(&f, &b);
    assert_true(str_eq(first, second));
    assert_true(str_starts(first, S("\x89PNG\r\n\x1a\n")));
    out_free(&b);
    parts[0].label = S("Other");
    assert_false(str_eq(first, draw_it(&f, &b)));
    parts[0].label = S("Computation");
    out_free(&a);
    out_free(&b);
}

/* A painter of many pictures makes of each what a painter of none before makes of it.
 */
static void what_was_drawn_before_does_not_show(void **state)
{
    (void)state;
    struct err e = {0};
    struct arena memory = arena_reserve(1 << 27);
    char *memory_start = memory.at;
    memset(memory_start, 0xaa, 1 << 22);
    struct png_painter *p = png_painter_open(&memory, &e);
    assert_non_null(p);
    for (int round = 0; round < 2; round++)
        for (int kind = 0; kind < FIGURE_KINDS; kind++) {
            struct report_figure f = stack();
            struct out again, fresh;
            f.kind = (enum figure_kind)kind;
            out_memory(&again);
            assert_true(chart_png(&f, p, &theme, &again, &e));
            assert_true(str_eq(draw_it(&f, &fresh), out_view(&again)));
            out_free(&again);
            out_free(&fresh);
        }
    png_painter_close(p);
    arena_release(memory_start, &memory);
}

struct source {
    struct str rest;
};

static void take(png_structp png, png_bytep to, size_t n)
{
    struct source *s = png_get_io_ptr(png);
    if ((ptrdiff_t)n > s->rest.n)
        png_error(png, "cut");
    memcpy(to, s->rest.p, n);
    s->rest = str_skip(s->rest, (ptrdiff_t)n);
}

struct picture {
    png_structp png;
    png_infop info;
    png_bytepp rows;
    struct out o;
};

static struct picture picture_of(const struct report_figure *f)
{
    struct picture p;
    struct source s = {draw_it(f, &p.o)};
    p.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    p.info = png_create_info_struct(p.png);
    png_set_read_fn(p.png, &s, take);
    png_read_png(p.png, p.info, PNG_TRANSFORM_EXPAND, NULL);
    p.rows = png_get_rows(p.png, p.info);
    assert_int_equal(png_get_image_width(p.png, p.info), 1680);
    return p;
}

static void picture_free(struct picture *p)
{
    png_destroy_read_struct(&p->png, &p->info, NULL);
    out_free(&p->o);
}

static bool is_rgb(const struct picture *p, int x, int y, const char *rgb)
{
    return memcmp(p->rows[y] + 3 * x, rgb, 3) == 0;
}

/* The title is 20 + 12 px, and the bar begins below it: at 2x, with a margin of 20 px,
 * its middle is at y = 2 * (20 + 32 + 20) = 144, and x = 2 * (20 + 300) lies in the
 * first part, which is 600 px long. The corner is the ground. From 600 px to 720 is
 * communication, plain, and from there to 800 copies, dotted: neither all of their
 * colour nor all ground. */
static void pixels_are_where_they_belong(void **state)
{
    (void)state;
    struct report_figure f = stack();
    struct picture p = picture_of(&f);
    assert_true(is_rgb(&p, 0, 0, "\xff\xff\xff"));
    assert_true(is_rgb(&p, 40, 144, "\x0b\x5c\xad"));
    assert_true(is_rgb(&p, 640, 144, "\x0b\x5c\xad"));
    assert_true(is_rgb(&p, 39, 144, "\xff\xff\xff"));
    for (int x = 1250; x < 1470; x++)
        assert_true(is_rgb(&p, x, 144, "\x6e\x77\x81"));
    int ground = 0;
    for (int x = 1490; x < 1630; x++)
        ground += is_rgb(&p, x, 144, "\xff\xff\xff");
    assert_in_range(ground, 30, 130);
    picture_free(&p);
}

/* Lines 6 px apart, 1 px wide, from 3 px below the top of the band: level ones for
 * operators, so a row between them is ground all along. The band is 56 px high from y
 * 20, doubled 40 to 152. */
static void idle_time_is_hatched(void **state)
{
    (void)state;
    static const double whole[] = {100, 100};
    struct figure_series one = {S_INIT("idle: operators"), S_INIT(""), SLOT_DISPATCH,
                                whole, true};
    struct report_figure f = {.kind = FIGURE_BINS,
                              .low = true,
                              .id = S("c7"),
                              .series = &one,
                              .n_series = 1,
                              .n_bins = 2,
                              .x_high = 4};
    struct picture p = picture_of(&f);
    int lines = 0, ground = 0;
    for (int y = 42; y < 206; y++) {
        lines += is_rgb(&p, 500, y, "\x6b\x88\xad");
        ground += is_rgb(&p, 500, y, "\xff\xff\xff");
    }
    assert_in_range(lines, 14, 42);
    assert_in_range(ground, 110, 145);
    picture_free(&p);
}

/* The title is "The caption" in 15 px, 30 in the picture: its T begins a pixel or two
 * right of the margin and stands on the base line, 15 px below the top. */
static void the_title_is_there_to_read(void **state)
{
    (void)state;
    struct report_figure f = stack();
    struct picture p = picture_of(&f);
    char text[3] = {(char)(theme.token[THEME_LIGHT][TOKEN_TEXT] >> 16),
                    (char)(theme.token[THEME_LIGHT][TOKEN_TEXT] >> 8),
                    (char)theme.token[THEME_LIGHT][TOKEN_TEXT]};
    int inked = 0, base = 2 * (20 + 15);
    for (int y = base - 22; y < base; y++)
        for (int x = 40; x < 220; x++)
            inked += is_rgb(&p, x, y, text);
    assert_in_range(inked, 400, 1500);
    assert_true(is_rgb(&p, 40 + 9, base - 2, text)); /* the stem of T */
    assert_true(is_rgb(&p, 40 + 9, base + 2, "\xff\xff\xff"));
    picture_free(&p);
}

static void every_kind_is_drawn(void **state)
{
    (void)state;
    struct figure_roof roofs[] = {{.label = S("peak"), .tflop_per_s = 100}};
    for (int kind = 0; kind < FIGURE_KINDS; kind++) {
        struct report_figure f = stack();
        struct out o;
        f.kind = (enum figure_kind)kind;
        f.roofs = roofs;
        f.n_roofs = 1;
        f.memory_tb_per_s = 1;
        assert_true(draw_it(&f, &o).n > 1000);
        assert_true(out_view(&o).n < 120000);
        out_free(&o);
    }
}

/* Rectangles by pixels of the picture, in inks of the test's own. */
enum { BLACK = 0, RED = 1 };
static struct png_painter *canvas;

static void blank(void)
{
    static const uint32_t inks[IMAGE_INKS] = {0x000000, 0xff0000};
    image_start(&canvas->image, 40, 0xffffff, inks);
}

static void pixels(double left, double top, double right, double bottom, int ink)
{
    struct chart_rect r = {left / SCALE - MARGIN_PX, top / SCALE - MARGIN_PX,
                           (right - left) / SCALE, (bottom - top) / SCALE};
    draw_rects(&canvas->base, &r, 1, (enum figure_slot)ink, FILL_SOLID);
}

static uint32_t at(int x, int y)
{
    return canvas->image.colour[canvas->image.rows[canvas->image.stride * y + 1 + x]];
}

/* Black over white: 1/5 covered is 3 of 15 parts, 255 * 12/15 = 204; a corner of 1/5 by
 * 2/5 is 0.08 * 15 = 1.2, so 1 part: 238. The ends at .6 and .8 are 9 parts (102) and
 * 12 (51). */
static void edges_between_pixels(void **state)
{
    (void)state;
    blank();
    pixels(10.8, 5.6, 20.6, 8.8, BLACK);
    assert_int_equal(at(11, 6), 0x000000);
    assert_int_equal(at(10, 6), 0xcccccc);
    assert_int_equal(at(20, 6), 0x666666);
    assert_int_equal(at(11, 5), 0x999999);
    assert_int_equal(at(11, 8), 0x333333);
    assert_int_equal(at(10, 5), 0xeeeeee);
    blank();
    pixels(3.2, 3, 3.6, 4, BLACK); /* within one pixel: 6 of 15 */
    assert_int_equal(at(3, 3), 0x999999);
    assert_int_equal(at(4, 3), 0xffffff);
    assert_int_equal(at(2, 3), 0xffffff);
}

static void nothing_outside_is_drawn(void **state)
{
    (void)state;
    blank();
    pixels(-1e9, -5.5, 1e9, 2, RED);
    pixels(45, 38, 1e300, 1e300, RED);
    pixels(-20, 10, -10, 20, RED);
    pixels(1690, 10, 1700, 20, RED);
    pixels(10, 50, 20, 60, RED);
    pixels(20, 20, 10, 10, RED);
    pixels((double)NAN, 10, 20, (double)NAN, RED);
    for (int y = 0; y < 40; y++)
        for (int x = 0; x < 60; x++)
            assert_int_equal(at(x, y),
                             y < 2 || (x >= 45 && y >= 38) ? 0xff0000 : 0xffffff);
    for (int y = 0; y < 40; y++)
        assert_int_equal(canvas->image.rows[canvas->image.stride * y],
                         0); /* PNG's filter */
}

int main(void)
{
    struct err e = {0};
    struct arena memory = arena_reserve(1 << 22);
    if (!theme_builtin(&memory, S("default"), &theme, &e))
        return 1;
    struct arena paper = arena_reserve(1 << 27);
    if (!(canvas = png_painter_open(&paper, &e)))
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_figure_is_the_same_bytes),
        cmocka_unit_test(what_was_drawn_before_does_not_show),
        cmocka_unit_test(pixels_are_where_they_belong),
        cmocka_unit_test(idle_time_is_hatched),
        cmocka_unit_test(the_title_is_there_to_read),
        cmocka_unit_test(every_kind_is_drawn),
        cmocka_unit_test(edges_between_pixels),
        cmocka_unit_test(nothing_outside_is_drawn),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    png_painter_close(canvas);
    return failed;
}
