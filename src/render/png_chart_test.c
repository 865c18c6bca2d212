#include "png_chart.c"

#include "base/arena.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct theme theme;

/* A text that a static object may start with: S() is no constant. */
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
    struct png_font font;
    out_memory(o);
    if (!png_font_open(&font, &e) || !chart_png(f, &font, &theme, o, &e))
        fail_msg("%s", e.what);
    png_font_close(&font);
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

/* The title is 20 + 12 px, and the bar begins below it: at 2x, with a margin of 20 px,
 * its middle is at y = 2 * (20 + 32 + 20) = 144, and x = 2 * (20 + 300) lies in the
 * first part, which is 600 px long. The corner is the ground. */
static void pixels_are_where_they_belong(void **state)
{
    (void)state;
    struct report_figure f = stack();
    struct out o;
    struct source s = {draw_it(&f, &o)};
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    png_set_read_fn(png, &s, take);
    png_read_png(png, info, PNG_TRANSFORM_EXPAND, NULL);
    assert_int_equal(png_get_image_width(png, info), 1680);
    png_bytepp rows = png_get_rows(png, info);
    assert_memory_equal(rows[0], "\xff\xff\xff", 3);
    assert_memory_equal(rows[144] + 3 * 640, "\x0b\x5c\xad", 3);
    png_destroy_read_struct(&png, &info, NULL);
    out_free(&o);
}

static void every_kind_is_drawn(void **state)
{
    (void)state;
    struct figure_roof roofs[] = {{S("peak"), 100}};
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

int main(void)
{
    struct err e = {0};
    struct arena memory = arena_reserve(1 << 22);
    if (!theme_builtin(&memory, S("default"), &theme, &e))
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_figure_is_the_same_bytes),
        cmocka_unit_test(pixels_are_where_they_belong),
        cmocka_unit_test(every_kind_is_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
