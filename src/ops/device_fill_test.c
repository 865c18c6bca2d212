#include "device_fill.c"

#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void launch(struct trace_case *c, const char *name, int k, double dur_us,
                   const char *args)
{
    char more[200];
    snprintf(more, sizeof more, "\"correlation\":%d,\"stream\":7%s", k, args);
    case_call(c, "cudaLaunchKernel", 10 * k, 1, k);
    case_event(c, "kernel", name, 7, 1000 * k, dur_us, more);
}

/* 300 us with 40 of 80 SMs, 100 us with 4 blocks each at 50 %, 100 us of nothing known,
 * and 500 us of a collective with 8 blocks. */
static void shares_are_of_kernel_time(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    launch(&c, "narrow", 1, 300, ",\"grid\":[40,1,1],\"block\":[128,1,1]");
    launch(&c, "wide", 2, 100,
           ",\"grid\":[320,1,1],\"block\":[64,1,1],\"est. achieved occupancy %\":50");
    launch(&c, "silent", 3, 100, "");
    launch(&c, "ncclDevKernel_AllReduce_Sum_f32_RING_LL", 4, 500, ",\"grid\":[8,1,1]");
    case_open(&c, NULL);
    struct device_fill f = device_fill_of(&c.perm, c.tmp, &c.view, 80);
    assert_int_equal(f.all.kernel_ns, 1000000);
    assert_near(f.all.few_pct, 80, 1e-9);
    assert_near(f.all.known_pct, 90, 1e-9);
    assert_near(f.work.few_pct, 60, 1e-9);
    assert_near(f.work.empty_pct, 37.5, 1e-9); /* half of them for 300 of 400 us */
    assert_near(f.all.occupancy_pct, 50, 1e-9);
    assert_near(f.all.occupancy_known_pct, 10, 1e-9);
    assert_near(f.work.threads, 128, 0);
    assert_false(f.says_sm);
    assert_text(device_fill_units(&f), "compute units");

    device_fill_rows(&c.perm, c.tmp, &f, &c.view, &c.tables.kernels);
    for (int32_t i = 0; i < c.tables.kernels.n; i++) {
        struct str name = c.tables.kernels.rows[i].kernel;
        if (str_eq(name, S("narrow"))) {
            assert_near(f.rows[i].few_pct, 100, 0);
            assert_near(f.rows[i].blocks_per_unit, 0.5, 1e-9);
        } else if (str_eq(name, S("silent"))) {
            assert_int_equal(f.rows[i].known_ns, 0);
            assert_true(isnan(f.rows[i].blocks_per_unit));
        }
    }
    case_close(&c);
}

/* 300, 100 and 100 ns, of the last of which neither waves nor occupancy are known, and
 * 500 of which nothing is: means by time, of what is known. */
static void time_weighs(void **state)
{
    (void)state;
    static const struct launch_shape shapes[] = {
        {.has_grid = true,
         .blocks_per_unit = 0.5,
         .waves = 1,
         .tail_pct = 50,
         .occupancy_pct = 40,
         .threads = 128,
         .registers = 32,
         .shared_bytes = (double)NAN},
        {.has_grid = true,
         .blocks_per_unit = 4,
         .waves = 3,
         .tail_pct = 10,
         .occupancy_pct = 80,
         .threads = 64,
         .registers = 64,
         .shared_bytes = 1000},
        {.blocks_per_unit = 2, .waves = (double)NAN, .occupancy_pct = (double)NAN}};
    struct filling f = begin();
    add(&f, &shapes[0], 300);
    add(&f, &shapes[1], 100);
    add(&f, &shapes[2], 100);
    add(&f, NULL, 500);
    struct fill_sum s = done(&f);
    assert_int_equal(s.kernel_ns, 1000);
    assert_int_equal(s.grid_ns, 400);
    assert_near(s.known_pct, 50, 1e-9);
    assert_near(s.few_pct, 30, 1e-9);
    assert_near(s.blocks_per_unit, 1.5, 1e-9);
    assert_near(s.empty_pct, 30, 1e-9);
    assert_near(s.waves, 1.5, 1e-9);
    assert_near(s.tail_pct, 40, 1e-9);
    assert_near(s.occupancy_pct, 50, 1e-9);
    assert_near(s.occupancy_known_pct, 40, 1e-9);
    assert_true(s.threads == 128 && s.registers == 64 && s.shared_bytes == 1000);
}

/* Registers are counted for SMs; a device without a kernel time has no share. */
static void registers_are_of_sms(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    launch(&c, "first", 1, 300,
           ",\"grid\":[40,1,1],\"block\":[128,1,1],\"registers per thread\":32");
    launch(&c, "last", 2, 300, ",\"grid\":[40,1,1],\"block\":[128,1,1]");
    case_open(&c, NULL);
    struct device_fill f = device_fill_of(&c.perm, c.tmp, &c.view, 80);
    assert_text(device_fill_units(&f), "SMs");
    case_close(&c);
}

static void nothing_is_known_without_kernels(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    case_op(&c, "aten::add", 0, 10);
    case_open(&c, NULL);
    struct device_fill f = device_fill_of(&c.perm, c.tmp, &c.view, 80);
    assert_int_equal(f.all.kernel_ns, 0);
    assert_true(isnan(f.all.few_pct) && isnan(f.all.occupancy_pct));
    case_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_are_of_kernel_time),
        cmocka_unit_test(time_weighs),
        cmocka_unit_test(registers_are_of_sms),
        cmocka_unit_test(nothing_is_known_without_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
