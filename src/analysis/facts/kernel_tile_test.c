#include "kernel_tile.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/near_case.h"

/* 256 x 512 = M x N with MT256x128: the first side tiles N, so ceil(512/256)
 * ceil(256/128) = 2 x 2 tiles, all full; on 304 units 4 of 304 are busy. */
static void few_tiles(void **state)
{
    (void)state;
    struct kernel_tile t =
        kernel_tile_of(S("Cijk_Alik_Bljk_BBS_MT256x128x64_PostGSU2"));
    assert_int_equal(t.m, 256);
    assert_int_equal(t.n, 128);
    assert_int_equal(t.depth, 64);
    assert_true(t.split_k);
    assert_true(t.a_transposed);
    assert_false(t.b_transposed);
    struct tile_use u = tile_use_of(t, 1, 256, 512, 304);
    assert_near(u.tiles, 4, 1e-9);
    assert_near(u.tile_eff, 1, 1e-9);
    assert_near(u.wave_eff, 4.0 / 304, 1e-9);
}

/* 100 x 100 with 64 x 64: 4 tiles of 4096 elements for 10000. */
static void edges_are_padded(void **state)
{
    (void)state;
    struct kernel_tile t = {.m = 64, .n = 64, .depth = 32};
    struct tile_use u = tile_use_of(t, 3, 100, 100, 0);
    assert_near(u.tiles, 12, 1e-9);
    assert_near(u.tile_eff, 10000.0 / 16384, 1e-9);
    assert_true(isnan(u.wave_eff));
}

static void names_that_say_nothing(void **state)
{
    (void)state;
    assert_int_equal(kernel_tile_of(S("MT")).m, 0);
    assert_int_equal(kernel_tile_of(S("MT64")).m, 0);
    assert_int_equal(kernel_tile_of(S("MT64x")).m, 0);
    assert_int_equal(kernel_tile_of(S("MT64x64")).m, 0);
    assert_int_equal(kernel_tile_of(S("MTx64x64 MT16x32x8")).m, 16);
    assert_int_equal(kernel_tile_of(S("")).m, 0);
    assert_true(kernel_tile_of(S("MT99999999999x64x64")).m <= 999999);
    assert_false(kernel_splits_k(S("_GSU1_")));
    assert_true(kernel_splits_k(S("_GSU4_")));
    assert_false(kernel_splits_k(S("GSU")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(few_tiles),
                                       cmocka_unit_test(edges_are_padded),
                                       cmocka_unit_test(names_that_say_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
