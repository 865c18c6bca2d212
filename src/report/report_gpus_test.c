#include "report_gpus.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/near_case.h"

/* GPU 1 works `less_ms` less than the 50 ms of GPU 0, in a run of 100 ms. */
static struct str headline_of(struct arena *a, double less_ms)
{
    struct report_gpu list[] = {
        {.name = S("0"), .busy_ms = 50, .idle_pct = 50},
        {.name = S("1"), .busy_ms = 50 - less_ms, .idle_pct = 50 + less_ms}};
    struct report_gpus g = {.list = list, .n = 2};
    struct device_uses d = {.n = 2, .busy_ns = 50000000};
    d.of[0] = (struct device_use){.n_events = 9, .busy_ns = 50000000};
    d.of[1] = (struct device_use){.n_events = 9,
                                  .busy_ns = 50000000 - (int64_t)(less_ms * 1e6)};
    d.at_once_ns[1] = d.of[1].busy_ns;
    return headline(a, &g, &d);
}

static void a_device_is_behind_by_what_matters(void **state)
{
    (void)state;
    struct arena a = arena_reserve(1 << 20);
    char *start = a.at;
    assert_true(str_starts(headline_of(&a, 20), S("GPU 1 waits ")));
    assert_true(str_eq(headline_of(&a, 0),
                       S("2 GPUs share the work: each is idle for 50.0%.")));
    arena_release(start, &a);
}

/* An eighth of little: both are idle nearly all of the time. */
static void little_work_decides_nothing(void **state)
{
    (void)state;
    struct arena a = arena_reserve(1 << 20);
    char *start = a.at;
    struct report_gpu list[] = {{.name = S("0"), .busy_ms = 4, .idle_pct = 97.1},
                                {.name = S("1"), .busy_ms = 3.3, .idle_pct = 97.6}};
    struct report_gpus g = {.list = list, .n = 2};
    struct device_uses d = {.n = 2, .busy_ns = 4000000};
    d.of[0] = (struct device_use){.n_events = 9, .busy_ns = 4000000};
    d.of[1] = (struct device_use){.n_events = 9, .busy_ns = 3300000};
    d.at_once_ns[1] = 3300000;
    int busiest;
    assert_int_equal(device_behind(&d, &busiest), 1);
    assert_true(str_eq(headline(&a, &g, &d),
                       S("2 GPUs share the work: each is idle for 97.1 to 97.6%.")));
    list[1].idle_pct = 99.2;
    assert_true(str_starts(headline(&a, &g, &d), S("GPU 1 waits ")));
    arena_release(start, &a);
}

/* 100 ms, of which one device alone works 10, two 20 and three 40: every time has a
 * value of its own, so that one in the place of another shows. */
static void times_of_devices_are_their_own(void **state)
{
    (void)state;
    struct arena a = arena_reserve(1 << 20);
    char *start = a.at;
    enum { MS = 1000000 };
    struct device_uses d = {.n = 3,
                            .busy_ns = 70 * MS,
                            .at_once_ns = {10 * MS, 20 * MS, 40 * MS},
                            .turns = 5,
                            .n_copies = 4,
                            .copies_ns = 3 * MS};
    d.of[0] = (struct device_use){S("0"), 1, 11, 62 * MS, 7 * MS, 8 * MS, 0};
    d.of[1] = (struct device_use){S("1"), 2, 12, 58 * MS, 2 * MS, 12 * MS, 0};
    d.of[2] = (struct device_use){S("2"), 3, 13, 50 * MS, 1 * MS, 20 * MS, 0};
    struct system_results system = {0};
    struct analysis of = {.system = &system};
    struct op_tables t = {.facts.devices = &d};
    struct report_source s = {.perm = &a, .t = &t, .a = &of};
    struct report r = {.analysis = &of, .timeline.total_ms = 100};
    report_gpus_fill(&s, a, NULL, &r);
    const struct report_gpus *g = &r.gpus;
    assert_int_equal(g->n, 3);
    assert_int_equal(g->decides, -1);
    assert_true(g->one_ms == 10 && g->several_ms == 60 && g->copies_ms == 3);
    assert_true(g->turns == 5 && g->n_copies == 4 && !g->take_turns);
    static const double at_once[] = {10, 20, 40},
                        each[][5] = {/* busy ms and %, idle %, alone and waiting, ms */
                                     {62, 62, 38, 7, 8},
                                     {58, 58, 42, 2, 12},
                                     {50, 50, 50, 1, 20}};
    for (int k = 0; k < 3; k++) {
        const struct report_gpu *x = &g->list[k];
        const double told[] = {x->busy_ms, x->busy_pct, x->idle_pct, x->alone_ms,
                               x->waits_ms};
        for (int i = 0; i < 5; i++)
            assert_near(told[i], each[k][i], 1e-9);
        assert_int_equal(x->n_events, 11 + k);
        assert_int_equal(g->at_once[k].devices, k + 1);
        assert_near(g->at_once[k].time_ms, at_once[k], 1e-9);
    }
    arena_release(start, &a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_device_is_behind_by_what_matters),
        cmocka_unit_test(little_work_decides_nothing),
        cmocka_unit_test(times_of_devices_are_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
