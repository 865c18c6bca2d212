#include "indexed_image.c"

#include "base/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { WIDTH = 50, HEIGHT = 40, BLACK = 0, RED = 1, GREY = 2 };

static struct indexed_image image;
static const uint32_t inks[IMAGE_INKS] = {0x000000, 0xff0000, 0x808080};

static struct arena memory;
static char *memory_start;

static int open_image(void **state)
{
    (void)state;
    memory = arena_reserve(1 << 16);
    memory_start = memory.at;
    memset(memory_start, 0xaa, 1 << 12); /* what was there before does not show */
    image_open(&image, &memory, WIDTH, HEIGHT);
    return 0;
}

static int close_image(void **state)
{
    (void)state;
    arena_release(memory_start, &memory);
    return 0;
}

static uint32_t at(int x, int y)
{
    return image.colour[image.rows[image.stride * y + 1 + x]];
}

static void start(void)
{
    image_start(&image, HEIGHT, 0xffffff, inks);
}

/* Covered alike from (left, top) to (right, bottom). */
static void fill(int left, int top, int right, int bottom, int cover, int ink)
{
    static uint8_t all[WIDTH * HEIGHT];
    struct image_box box = {left, top, right - left, bottom - top};
    memset(all, cover, sizeof all);
    image_mask(&image, box, all, WIDTH, ink);
}

/* Left and top are the first pixels of it, right and bottom the first outside. */
static void a_rectangle_on_whole_pixels(void **state)
{
    (void)state;
    start();
    fill(10, 5, 20, 8, 255, RED);
    assert_int_equal(at(10, 5), 0xff0000);
    assert_int_equal(at(19, 7), 0xff0000);
    assert_int_equal(at(9, 5), 0xffffff);
    assert_int_equal(at(20, 7), 0xffffff);
    assert_int_equal(at(10, 4), 0xffffff);
    assert_int_equal(at(19, 8), 0xffffff);
}

/* 7/15 of black over red: 255 * 8/15 = 136. Over white that is 0x888888, which stays
 * apart from the grey of its own. */
static void a_mask_blends_with_what_is_under_it(void **state)
{
    (void)state;
    const uint8_t cover[] = {0, 7 * 17, 255, 0, 0, 7 * 17, 255, 0};
    start();
    fill(0, 1, WIDTH, 2, 255, RED);
    image_mask(&image, (struct image_box){10, 0, 4, 2}, cover, 4, BLACK);
    assert_int_equal(at(10, 0), 0xffffff);
    assert_int_equal(at(11, 0), 0x888888);
    assert_int_equal(at(12, 0), 0x000000);
    assert_int_equal(at(10, 1), 0xff0000);
    assert_int_equal(at(11, 1), 0x880000);
    assert_int_equal(at(12, 1), 0x000000);
    image_mask(&image, (struct image_box){-2, -1, 4, 2}, cover, 4, GREY);
    assert_int_equal(at(0, 0), 0x808080);
    assert_int_equal(at(1, 0), 0xffffff);
}

/* A letter of three pixels on the ground, on a line, and half outside. */
static void a_letter_is_the_same_everywhere(void **state)
{
    (void)state;
    const uint8_t parts[8] = {15, 5, 10};
    const struct image_box box = {20, 5, 3, 1};
    start();
    fill(0, 10, WIDTH, 11, 255, RED);
    image_stamp(&image, box, parts, 8, BLACK);
    image_stamp(&image, (struct image_box){20, 10, 3, 1}, parts, 8, BLACK);
    image_stamp(&image, (struct image_box){WIDTH - 2, 39, 3, 1}, parts, 8, BLACK);
    image_stamp(&image, (struct image_box){-1, 39, 3, 1}, parts, 8, BLACK);
    const uint32_t white[] = {0x000000, 0xaaaaaa, 0x555555},
                   red[] = {0x000000, 0xaa0000, 0x550000};
    for (int x = 0; x < 3; x++) {
        assert_int_equal(at(20 + x, 5), white[x]);
        assert_int_equal(at(20 + x, 10), red[x]);
    }
    assert_int_equal(at(23, 5), 0xffffff);
    assert_int_equal(at(WIDTH - 2, 39), white[0]);
    assert_int_equal(at(WIDTH - 1, 39), white[1]);
    assert_int_equal(at(0, 39), white[1]);
    assert_int_equal(at(1, 39), white[2]);
    assert_int_equal(image.rows[image.stride * HEIGHT], 0); /* the pad, as it was */
}

/* All inks in all parts over all others are more than a table holds. Each comes out
 * near to what it is, and none is another ink. */
static void a_full_table_takes_the_nearest(void **state)
{
    (void)state;
    uint32_t many[IMAGE_INKS];
    for (uint32_t k = 0; k < IMAGE_INKS; k++)
        many[k] = (k * 53 % 256) << 16 | (k * 101 % 256) << 8 | (k * 199 % 256);
    image_start(&image, HEIGHT, 0xffffff, many);
    for (int under = 0; under < IMAGE_INKS; under++)
        for (int ink = 0; ink < IMAGE_INKS; ink++) {
            fill(under, ink, under + 1, ink + 1, 255, under);
            fill(under, ink, under + 1, ink + 1, 128, ink);
        }
    assert_int_equal(image.n_colours, IMAGE_COLOURS);
    for (int ink = 0; ink < IMAGE_INKS; ink++) {
        fill(40, 1, 41, 2, 255, ink);
        assert_in_range(distance(at(40, 1), many[ink]), 0, 3 * 24 * 24);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rectangle_on_whole_pixels),
        cmocka_unit_test(a_mask_blends_with_what_is_under_it),
        cmocka_unit_test(a_letter_is_the_same_everywhere),
        cmocka_unit_test(a_full_table_takes_the_nearest),
    };
    return cmocka_run_group_tests(tests, open_image, close_image);
}
