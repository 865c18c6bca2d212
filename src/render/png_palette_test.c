#include "render/png_palette.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct png_palette p;

static void start(void)
{
    p = (struct png_palette){.n = 0};
}

/* 300 pixels of one colour are flat and stay; a blend that occurs once is rounded to
 * steps of 16: 0x1b -> 0x20, 0x17 -> 0x10 (23 + 8 = 31), 0xfb -> 255. */
static void test_flat_stays_and_blends_round(void **state)
{
    (void)state;
    uint32_t row[301];
    uint8_t to[301];
    start();
    for (int i = 0; i < 300; i++)
        row[i] = 0xff1b17fb; /* the top byte does not count */
    row[300] = 0x1b17fa;
    assert_true(palette_count(&p, row, 301, 1));
    assert_true(palette_choose(&p));
    palette_map(&p, row, to, 301);
    assert_int_equal(p.n, 2);
    assert_int_equal(p.colour[to[0]], 0x1b17fb);
    assert_int_equal(p.colour[to[299]], 0x1b17fb);
    assert_int_equal(p.colour[to[300]], 0x2010ff);
}

/* 2,000 blends between black and one colour share a table. */
static void test_many_blends_fit(void **state)
{
    (void)state;
    uint32_t row[2000];
    uint8_t to[2000];
    start();
    for (uint32_t i = 0; i < 2000; i++)
        row[i] = (i * 255 / 2000) << 16 | (i * 131 / 2000) << 8 | i % 3;
    assert_true(palette_count(&p, row, 2000, 1));
    assert_true(palette_choose(&p));
    palette_map(&p, row, to, 2000);
    for (int i = 0; i < 2000; i++) {
        int red = (int)(p.colour[to[i]] >> 16) - (int)(row[i] >> 16);
        assert_true(red >= -32 && red <= 32);
    }
}

/* More colours than could be blends of a drawing, or 257 flat ones: no table. */
static void test_too_many(void **state)
{
    (void)state;
    uint32_t row[FLAT_PIXELS];
    start();
    bool counted = true;
    for (uint32_t i = 0; i <= KEYS_MAX && counted; i++) {
        row[0] = i;
        counted = palette_count(&p, row, 1, 1);
    }
    assert_false(counted);
    start();
    for (uint32_t colour = 0; colour < 257; colour++) {
        for (int i = 0; i < FLAT_PIXELS; i++)
            row[i] = colour * 1021;
        assert_true(palette_count(&p, row, 20, FLAT_PIXELS / 20));
    }
    assert_false(palette_choose(&p));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flat_stays_and_blends_round),
        cmocka_unit_test(test_many_blends_fit), cmocka_unit_test(test_too_many)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
