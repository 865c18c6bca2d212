#include "analysis/model/counter_meaning.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* Names as tools write them. */
static const struct {
    const char *name, *key;
    enum counter_role role;
    const char *said, *unit;
    double scale;
} cases[] = {
    {"SM Active (%)", "", COUNTER_SM, "SM Active", "%", 1},
    {"SMs Active [Throughput %]", "", COUNTER_SM, "SMs Active", "%", 1},
    {"sm__cycles_active.avg.pct_of_peak_sustained_elapsed", "", COUNTER_SM,
     "sm__cycles_active.avg.pct_of_peak_sustained_elapsed", "%", 1},
    {"DRAM BW (%)", "", COUNTER_DRAM, "DRAM BW", "%", 1},
    {"DRAM Write Bandwidth [Throughput %]", "", COUNTER_DRAM, "DRAM Write Bandwidth",
     "%", 1},
    {"Memory Used (%)", "", COUNTER_OTHER, "Memory Used", "%", 1},
    {"Power (mW)", "", COUNTER_POWER, "Power", "W", 1e-3},
    {"Power Limit (W)", "", COUNTER_OTHER, "Power Limit", "W", 1},
    {"CPU Power (W)", "", COUNTER_OTHER, "CPU Power", "W", 1},
    {"Power", "", COUNTER_OTHER, "Power", "", 1}, /* in what? */
    {"GPC Clock Frequency [MHz]", "", COUNTER_CLOCK, "GPC Clock Frequency", "MHz", 1},
    {"SYS Clock Frequency [MHz]", "", COUNTER_OTHER, "SYS Clock Frequency", "MHz", 1},
    {"Memory Clock (MHz)", "", COUNTER_OTHER, "Memory Clock", "MHz", 1},
    {"AI Core Freq", "MHz", COUNTER_CLOCK, "AI Core Freq", "MHz", 1},
    {"SM Clock (GHz)", "", COUNTER_CLOCK, "SM Clock", "MHz", 1e3},
    {"", "sclk", COUNTER_CLOCK, "sclk", "MHz", 1},
    {"sclk", "", COUNTER_CLOCK, "sclk", "MHz", 1},
    {"", "mclk", COUNTER_OTHER, "mclk", "MHz", 1},
    {"Temperature (C)", "", COUNTER_TEMPERATURE, "Temperature", "°C", 1},
    {"QueueDepth", "depth", COUNTER_OTHER, "QueueDepth", "", 1},
    {"()", "", COUNTER_OTHER, "()", "", 1},
    {"", "", COUNTER_OTHER, "", "", 1}};

static void names_and_units_say_what_it_is(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct counter_meaning m =
            counter_meaning_of(str_of(cases[k].name), str_of(cases[k].key));
        assert_int_equal(m.role, cases[k].role);
        assert_true(str_eq(m.name, str_of(cases[k].said)));
        assert_true(str_eq(m.unit, str_of(cases[k].unit)));
        assert_true(m.scale == cases[k].scale);
    }
    assert_true(counter_meaning_of(S("CPU Usage"), S("%")).of_host);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_units_say_what_it_is)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
