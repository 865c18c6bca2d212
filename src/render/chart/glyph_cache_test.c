#include "glyph_cache.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

static struct glyph_cache cache;

static int open_cache(void **state)
{
    (void)state;
    struct err e = {0};
    return glyph_cache_open(&cache, &e) ? 0 : -1;
}

static int close_cache(void **state)
{
    (void)state;
    glyph_cache_close(&cache);
    return 0;
}

/* An "l" is a stem: upright, from the base line to 0.76 em above it, black within. */
static void a_letter_is_where_it_belongs(void **state)
{
    (void)state;
    const struct glyph *g = glyph_find(&cache, 'l', 24);
    assert_int_equal(g->top + g->h, 0);
    assert_in_range(g->h, 18, 19);
    assert_in_range(g->w, 2, 4);
    assert_int_equal(g->parts[g->stride * 9 + 1], IMAGE_FULL);
    /* 569 of 2048 units. */
    assert_true(g->advance_px > 6.667 && g->advance_px < 6.669);
    assert_true(glyph_find(&cache, 'g', 24)->top + glyph_find(&cache, 'g', 24)->h > 3);
    assert_int_equal(glyph_find(&cache, ' ', 24)->w, 0);
    assert_true(glyph_find(&cache, ' ', 24)->advance_px > 7);
}

/* Rows are words for image_stamp, and what is behind them is not ink. */
static void rows_end_in_nothing(void **state)
{
    (void)state;
    for (int32_t code = '!'; code < 0x250; code++) {
        const struct glyph *g = glyph_find(&cache, code, 30);
        assert_int_equal(g->stride % 8, 0);
        for (int y = 0; y < g->h; y++)
            for (ptrdiff_t x = 0; x < g->stride; x++)
                assert_in_range(g->parts[y * g->stride + x], 0,
                                x < g->w ? IMAGE_FULL : 0);
    }
}

/* Names of many scripts are more letters than are kept: what is drawn anew is what was
 * drawn before, and letters of no script of the font are its sign for none. */
static void letters_come_back_the_same(void **state)
{
    (void)state;
    uint8_t first[1024];
    const struct glyph *g = glyph_find(&cache, 'M', 24);
    ptrdiff_t n = g->stride * g->h;
    assert_in_range(n, 100, sizeof first);
    memcpy(first, g->parts, (size_t)n);
    for (int32_t code = 0x100; code < 0x100 + 3 * GLYPH_SLOTS; code++) {
        assert_int_equal(glyph_find(&cache, code, 24)->code, code);
        assert_in_range(cache.n, 1, KEPT_MAX);
    }
    g = glyph_find(&cache, 'M', 24);
    assert_int_equal(g->stride * g->h, n);
    assert_memory_equal(g->parts, first, (size_t)n);
    struct glyph none = *glyph_find(&cache, 0x10ffff, 24);
    assert_int_equal(none.w, glyph_find(&cache, 0xe000, 24)->w);
    assert_non_null(none.parts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_letter_is_where_it_belongs),
        cmocka_unit_test(rows_end_in_nothing),
        cmocka_unit_test(letters_come_back_the_same),
    };
    return cmocka_run_group_tests(tests, open_cache, close_cache);
}
