#include "report_gpus.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_device_is_behind_by_what_matters),
        cmocka_unit_test(little_work_decides_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
