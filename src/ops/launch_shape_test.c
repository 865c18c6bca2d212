#include "launch_shape.c"

#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct launch_shape shape(const char *args, struct launch_units units)
{
    struct trace_case c;
    char more[300];
    snprintf(more, sizeof more, "\"correlation\":1,\"stream\":7%s", args);
    case_begin(&c);
    case_call(&c, "cudaLaunchKernel", 0, 1, 1);
    case_event(&c, "kernel", "k", 7, 10, 5, more);
    case_open(&c, NULL);
    event_id gpu = case_find(&c, "k", 0);
    struct launch_shapes all =
        launch_shapes_of(&c.perm, c.tmp, &c.store, &gpu, 1, units);
    const struct launch_shape *found = launch_shape_find(&all, &c.store, gpu);
    struct launch_shape l = {.blocks_per_unit = -1};
    if (found)
        l = *found;
    case_close(&c);
    return l;
}

/* A kernel of ddp-ncclmeta-a100: 16 blocks of 128 threads fill the 2,048 of an SM, so
 * that 12,544 blocks on 108 SMs take 7.26 rounds. */
static void waves_follow_from_occupancy(void **state)
{
    (void)state;
    struct launch_shape l =
        shape(",\"registers per thread\":22,\"shared memory\":0,\"blocks per SM\":"
              "116.148148,\"grid\":[12544,1,1],\"block\":[128,1,1],\"est. achieved "
              "occupancy %\":100",
              (struct launch_units){108, 2048});
    assert_near(l.blocks_per_unit, 116.148148, 1e-9);
    assert_near(l.waves, 8, 0);
    assert_near(l.tail_pct, 74.074075, 1e-4);
    assert_near(l.occupancy_pct, 100, 0);
    assert_near(l.threads, 128, 0);
    assert_near(l.registers, 22, 0);
    assert_near(l.shared_bytes, 0, 0);
}

/* Where no more blocks are launched than fit, the estimate is of those, and tells
 * nothing of how many would. Ten blocks an SM of 1,024 threads are five rounds of two.
 */
static void an_estimate_tells_what_fits_only_of_full_units(void **state)
{
    (void)state;
    const struct launch_units v100 = {80, 2048};
    struct launch_shape l = shape(",\"blocks per SM\":0.625,\"block\":[256,1,1],"
                                  "\"est. achieved occupancy %\":8",
                                  v100);
    assert_near(l.waves, 1, 0);
    assert_near(l.tail_pct, 37.5, 1e-9);
    l = shape(",\"blocks per SM\":4.27,\"block\":[128,1,1],\"est. achieved occupancy "
              "%\":27",
              v100);
    assert_near(l.waves, 1, 0);
    assert_near(l.tail_pct, 0, 0);
    l = shape(",\"blocks per SM\":10,\"block\":[32,32,1],\"est. achieved occupancy "
              "%\":100",
              v100);
    assert_near(l.waves, 5, 0);
    assert_near(l.tail_pct, 0, 0);
}

/* The profiler writes 0 where it does not know. */
static void unknown_occupancy_leaves_waves_unknown(void **state)
{
    (void)state;
    const struct launch_units h100 = {132, 2048};
    struct launch_shape l = shape(",\"blocks per SM\":1.818182,\"block\":[256,1,1],"
                                  "\"est. achieved occupancy %\":0",
                                  h100);
    assert_true(isnan(l.waves) && isnan(l.tail_pct) && isnan(l.occupancy_pct));
    l = shape(",\"blocks per SM\":0.227273,\"block\":[384,1,1],\"est. achieved "
              "occupancy %\":0",
              h100);
    assert_near(l.waves, 1, 0);
    assert_near(l.tail_pct, 77.2727, 1e-4);
}

/* 608 workgroups on 304 compute units, and one more. */
static void a_grid_is_divided_by_the_units_of_the_device(void **state)
{
    (void)state;
    const struct launch_units mi300 = {304, 0};
    struct launch_shape l = shape(",\"grid\":[304,2,1],\"block\":[256,1,1]", mi300);
    assert_near(l.blocks_per_unit, 2, 0);
    assert_near(l.waves, 2, 0);
    assert_near(l.tail_pct, 0, 0);
    l = shape(",\"grid\":[609,1,1],\"block\":[256,1,1]", mi300);
    assert_near(l.waves, 3, 0);
    assert_near(l.tail_pct, 100 - 100.0 / 304, 1e-9);
    assert_true(isnan(l.occupancy_pct) && isnan(l.registers));
}

static void what_no_launch_can_have_is_not_known(void **state)
{
    (void)state;
    static const char *const args[] = {",\"grid\":[0,0,0]", ",\"grid\":[1e300,1,1]",
                                       ",\"grid\":\"x\"", ",\"blocks per SM\":-3",
                                       ",\"blocks per SM\":1e300"};
    for (size_t i = 0; i < sizeof args / sizeof *args; i++) {
        struct launch_shape l = shape(args[i], (struct launch_units){80, 2048});
        assert_true(isnan(l.blocks_per_unit) && isnan(l.waves));
    }
    assert_true(isnan(shape(",\"grid\":[9,1,1]", (struct launch_units){0, 0}).waves));
    assert_near(shape("", (struct launch_units){80, 2048}).blocks_per_unit, -1, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waves_follow_from_occupancy),
        cmocka_unit_test(an_estimate_tells_what_fits_only_of_full_units),
        cmocka_unit_test(unknown_occupancy_leaves_waves_unknown),
        cmocka_unit_test(a_grid_is_divided_by_the_units_of_the_device),
        cmocka_unit_test(what_no_launch_can_have_is_not_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
