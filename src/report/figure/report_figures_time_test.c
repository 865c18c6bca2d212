#include "report_figures_time.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct arena memory;

static int64_t *bins_of_ns(int n, int64_t each)
{
    int64_t *bins = arena_new(&memory, int64_t, n);
    for (int k = 0; k < n; k++)
        bins[k] = each;
    return bins;
}

/* 400 ms in 400 bins of 1 ms: computing half of each, copying a quarter of the first
 * 200, and nothing at all in bins 380 to 399: the last twentieth. */
static struct timeline_data *a_timeline(void)
{
    struct timeline_data *d = arena_new(&memory, struct timeline_data, 1);
    d->total_ns = 400000000;
    d->n_bins = 400;
    d->part_ns[BUSY_COMPUTE] = bins_of_ns(400, 500000);
    d->part_ns[BUSY_COMM] = bins_of_ns(400, 0);
    d->part_ns[BUSY_COPY] = bins_of_ns(400, 0);
    for (int k = 0; k < 200; k++)
        d->part_ns[BUSY_COPY][k] = 250000;
    for (int k = 380; k < 400; k++)
        d->part_ns[BUSY_COMPUTE][k] = 0;
    return d;
}

static void utilisation(void **state)
{
    (void)state;
    /* Products compute four fifths of the half, a category of 0.4 % and what no row
     * counts the rest. */
    int64_t *computed[] = {bins_of_ns(400, 400000), bins_of_ns(400, 4000),
                           bins_of_ns(400, 96000)};
    struct report_category categories[] = {{.label = S("GEMM"), .slot = SLOT_GEMM},
                                           {.label = S("Reduce"), .slot = SLOT_REDUCE}};
    for (int c = 0; c < 3; c++)
        for (int k = 380; k < 400; k++)
            computed[c][k] = 0;
    struct report r = {.over_time = a_timeline(),
                       .timeline = {.busy_pct = 60.0},
                       .categories = categories,
                       .n_categories = 2,
                       .computed_ns = computed};
    struct report_figure f = figure_utilisation(&memory, &r);
    assert_int_equal(f.empty.n, 0);
    /* No communication in any bin: no series for it. */
    assert_int_equal(f.n_series, 3);
    assert_true(str_eq(f.series[0].value_text, S("38.0%")));
    assert_true(str_eq(f.series[1].label, S("other computation")));
    assert_true(f.series[0].values[0] == 40.0 && f.series[1].values[0] == 10.0 &&
                f.series[2].values[0] == 25.0);
    assert_true(f.series[2].values[200] == 0.0);
    assert_true(f.x_high == 400.0);
    assert_int_equal(f.n_marks, 20);
    assert_true(str_eq(f.marks[0].value_text,
                       S("busy 75.0%: GEMM 40.0, other computation 10.0, exposed "
                         "copies 25.0")));
    assert_true(str_eq(f.marks[19].label, S("380.0 to 400.0")));
    assert_true(str_eq(f.caption, S("The GPU is busy 60.0% of the time, and least from "
                                    "380.0 to 400.0 ms: 0%")) ||
                str_has(f.caption, S("380.0 to 400.0 ms: 0")));
}

/* Of the window; what is less is other computation. */
static void a_category_is_shown_from_a_hundredth_on(void **state)
{
    (void)state;
    int64_t *computed[] = {bins_of_ns(400, 400000), bins_of_ns(400, 10000),
                           bins_of_ns(400, 9999), bins_of_ns(400, 0)};
    struct report_category categories[] = {{.label = S("GEMM"), .slot = SLOT_GEMM},
                                           {.label = S("Norm"), .slot = SLOT_REDUCE},
                                           {.label = S("Copy"), .slot = SLOT_REDUCE}};
    struct report r = {.over_time = a_timeline(),
                       .categories = categories,
                       .n_categories = 3,
                       .computed_ns = computed};
    struct report_figure f = figure_utilisation(&memory, &r);
    assert_int_equal(f.n_series, 4);
    assert_true(str_eq(f.series[1].label, S("Norm")));
    assert_true(str_eq(f.series[1].value_text, S("1.0%")));
    assert_true(str_eq(f.series[2].label, S("other computation")));
}

/* Copies of 0.02 % of the time: "0.0%" in the legend says nothing. */
static void what_takes_no_time_has_no_entry(void **state)
{
    (void)state;
    struct timeline_data *d = a_timeline();
    int64_t *computed[] = {d->part_ns[BUSY_COMPUTE]};
    struct report r = {.over_time = d, .computed_ns = computed};
    for (int k = 1; k < 400; k++)
        d->part_ns[BUSY_COPY][k] = 0;
    d->part_ns[BUSY_COPY][0] = 80000;
    struct report_figure f = figure_utilisation(&memory, &r);
    assert_int_equal(f.n_series, 1);
    assert_true(str_eq(f.series[0].label, S("computation")));
    d->part_ns[BUSY_COPY][0] = 240000;
    f = figure_utilisation(&memory, &r);
    assert_int_equal(f.n_series, 2);
    assert_true(str_eq(f.series[1].value_text, S("0.06%")));
}

/* Steps begin at -1, 100 and 500 ms: one of them within the window. */
static void borders(void **state)
{
    (void)state;
    struct timeline_data *d = a_timeline();
    struct timeline_step steps[] = {
        {.start_ns = -1000000}, {.start_ns = 100000000}, {.start_ns = 500000000}};
    d->has_steps = true;
    d->steps = steps;
    d->n_steps = 3;
    int64_t *computed[] = {bins_of_ns(400, 500000)};
    struct report r = {.over_time = d, .computed_ns = computed};
    struct report_figure f = figure_utilisation(&memory, &r);
    assert_int_equal(f.n_borders, 1);
    assert_true(f.borders[0] == 100.0);
    assert_true(str_eq(f.series[0].label, S("computation")));
    assert_true(figure_strip(&memory, &r).low);
}

static struct str strip_label(const struct report *r, int series)
{
    return figure_strip(&memory, r).series[series].label;
}

/* Idle time stands on the work by its cause: 30 % of each bin in Python, a tenth in two
 * kinds of calls, and a tenth queued, which no hatching has. */
static void the_strip_tells_what_the_device_waits_for(void **state)
{
    (void)state;
    struct timeline_data *d = a_timeline();
    d->part_ns[BUSY_COMPUTE] = bins_of_ns(400, 500000);
    d->part_ns[BUSY_COPY] = bins_of_ns(400, 0);
    int64_t *computed[] = {d->part_ns[BUSY_COMPUTE]};
    struct system_results system = {
        .idle = {.class_bins = {[IDLE_PYTHON] = bins_of_ns(400, 300000),
                                [IDLE_MEMORY] = bins_of_ns(400, 40000),
                                [IDLE_LAUNCH] = bins_of_ns(400, 60000),
                                [IDLE_QUEUED] = bins_of_ns(400, 100000)}}};
    struct analysis analysis = {.system = &system};
    struct report r = {.over_time = d,
                       .analysis = &analysis,
                       .timeline = {.busy_pct = 50.0, .idle_pct = 10.0},
                       .computed_ns = computed};
    struct report_figure f = figure_strip(&memory, &r);
    assert_int_equal(f.n_series, 4);
    assert_false(f.series[0].idle);
    double all = 0;
    for (int i = 0; i < f.n_series; i++)
        all += f.series[i].values[0];
    assert_true(all == 100.0);
    assert_true(f.series[1].idle && f.series[1].slot == SLOT_PYTHON &&
                f.series[1].values[7] == 30.0);
    assert_true(str_eq(f.series[2].label, S("idle: runtime calls")) &&
                f.series[2].values[399] == 10.0);
    assert_true(f.series[3].slot == SLOT_IDLE);
    assert_true(str_eq(f.marks[0].value_text,
                       S("busy 50.0%: computation 50.0; idle 50.0%: Python 30.0, "
                         "runtime calls 10.0, gaps in queued work 10.0")));
    assert_true(str_eq(f.caption, S("The GPU is busy 50.0% of the time; idle 30.0% "
                                    "while the host runs Python")));
    assert_true(str_ends(f.description, S("; above, hatched, what it waits for. The "
                                          "GPU is busy 50.0% of the time; idle 30.0% "
                                          "while the host runs Python.")));
    /* Compilation is most of it, and none of it a runtime call. */
    system.idle.class_bins[IDLE_LOAD] = bins_of_ns(400, 900000);
    assert_true(str_eq(strip_label(&r, 2), S("idle: loading or compiling")));
    system.idle.class_bins[IDLE_LOAD] = bins_of_ns(400, 100000);
    assert_true(str_eq(strip_label(&r, 2), S("idle: compiling and runtime calls")));
    system.idle.class_bins[IDLE_LOAD] = bins_of_ns(400, 99000);
    assert_true(str_eq(strip_label(&r, 2), S("idle: runtime calls")));
    system.idle.class_bins[IDLE_LOAD] = NULL;
    /* What the host does not show is named by its class, or by the data it waits for.
     */
    system.idle.class_bins[IDLE_LATENCY] = system.idle.class_bins[IDLE_NOTHING] =
        bins_of_ns(400, 60000);
    assert_true(str_eq(strip_label(&r, 3), S("idle: other causes")));
    system.idle.pool_ns[POOL_INPUT] = 400 * 220000;
    assert_true(str_eq(strip_label(&r, 3), S("idle: waits for data")));
    system.idle.class_bins[IDLE_QUEUED] = NULL;
    system.idle.pool_ns[POOL_INPUT] = 0;
    assert_true(str_eq(strip_label(&r, 3), S("idle: nothing recorded")));
    system.idle.class_bins[IDLE_QUEUED] = bins_of_ns(400, 100000);
    system.idle.class_bins[IDLE_LATENCY] = system.idle.class_bins[IDLE_NOTHING] = NULL;
    /* The chart of the timeline has the host below it, not the idle time. */
    assert_int_equal(figure_utilisation(&memory, &r).n_series, 1);
    system.idle.class_bins[IDLE_PYTHON] = system.idle.class_bins[IDLE_MEMORY] =
        system.idle.class_bins[IDLE_LAUNCH] = NULL;
    f = figure_strip(&memory, &r);
    assert_true(str_eq(f.series[1].label, S("idle")));
    assert_true(
        str_eq(f.marks[0].value_text, S("busy 50.0%: computation 50.0; idle 10.0%")));
    assert_true(str_eq(f.caption, S("The GPU is busy 50.0% of the time; idle 10.0%")));
    r.timeline.exposed_comm_pct = 31;
    assert_true(str_eq(figure_strip(&memory, &r).caption,
                       S("The GPU is busy 50.0% of the time (31.0% with communication "
                         "alone); idle 10.0%")));
}

/* A leading artefact is hatched; without one nothing is. */
static void shade(void **state)
{
    (void)state;
    int64_t *computed[] = {bins_of_ns(400, 500000)};
    struct report r = {
        .computed_ns = computed,
        .over_time = a_timeline(),
        .timeline = {.artefact_ms = 90, .artefact_from_ms = 10, .artefact_to_ms = 100}};
    struct report_figure f = figure_utilisation(&memory, &r);
    assert_true(f.shade_from == 10 && f.shade_to == 100 && f.shade_label.n > 0);
    r.timeline = (struct report_timeline){0};
    f = figure_utilisation(&memory, &r);
    assert_true(f.shade_from == f.shade_to);
}

static void streams(void **state)
{
    (void)state;
    struct timeline_data *d = a_timeline();
    d->n_streams = 12;
    d->streams = arena_new(&memory, struct timeline_stream, 12);
    for (int k = 0; k < 12; k++)
        d->streams[k] =
            (struct timeline_stream){str_printf(&memory, "stream %d", k), 200000000, 7,
                                     bins_of_ns(400, 500000), k};
    struct report r = {.over_time = d};
    struct report_figure f = figure_streams(&memory, &r);
    assert_int_equal(f.n_series, 8); /* drawn */
    assert_int_equal(f.n_marks, 12); /* told */
    assert_true(str_eq(f.marks[11].value_text, S("200.0 ms, 50.0%, 7")));
    assert_true(
        str_eq(f.caption, S("12 streams; stream 0 is busy 50.0% of the time; streams "
                            "never overlap")));
}

/* 3 MiB: not 0.003 GiB. */
static void memory_unit(void **state)
{
    (void)state;
    struct timeline_memory m = {.device = S("device 0"),
                                .end_ns = 1000000,
                                .allocated = bins_of_ns(TIMELINE_BINS, 3 << 20),
                                .reserved = bins_of_ns(TIMELINE_BINS, -1),
                                .peak_allocated = 3 << 20,
                                .peak_reserved = -1};
    struct timeline_data *d = a_timeline();
    d->memory = &m;
    struct report r = {.over_time = d};
    struct report_figure f = figure_memory(&memory, &r);
    assert_int_equal(f.n_series, 1);
    assert_true(f.series[0].values[0] == 3.0);
    assert_true(str_eq(f.caption, S("At most 3 MiB are allocated on device 0")));
}

/* Without data each says why, and draws nothing. */
static void reasons(void **state)
{
    (void)state;
    struct timeline_data nothing = {0};
    const struct report reports[] = {{.over_time = NULL}, {.over_time = &nothing}};
    for (int k = 0; k < 2; k++) {
        const struct report_figure f[] = {figure_utilisation(&memory, &reports[k]),
                                          figure_streams(&memory, &reports[k]),
                                          figure_launches(&memory, &reports[k]),
                                          figure_idle_causes(&memory, &reports[k]),
                                          figure_memory(&memory, &reports[k])};
        for (int i = 0; i < 5; i++) {
            assert_true(f[i].empty.n > 0);
            assert_int_equal(f[i].n_marks + f[i].n_series, 0);
        }
    }
}

/* What the host does is told with each part of the time, and drawn below. */
static void test_host_and_gaps(void **state)
{
    (void)state;
    struct timeline_data *d = a_timeline();
    int64_t *computed[] = {bins_of_ns(400, 500000)};
    struct run_lanes lanes = {.host_known = true};
    struct system_results system = {.idle = {.n_top_gaps = 2}};
    struct analysis a = {.system = &system};
    struct report r = {
        .over_time = d, .computed_ns = computed, .lanes = &lanes, .analysis = &a};
    for (int p = 0; p < HOST_PARTS; p++)
        lanes.host_ns[p] = bins_of_ns(400, p == HOST_WAITING ? 750000 : 0);
    system.idle.top_gaps[0] = (struct idle_gap){.start_us = 1e5, .duration_us = 2e4};
    system.idle.top_gaps[1] = (struct idle_gap){.start_us = 2e5, .duration_us = 1};
    struct report_figure f = figure_utilisation(&memory, &r);
    assert_int_equal(f.n_under, 1);
    assert_int_equal(f.under[0].slot, SLOT_WAITING);
    assert_true(str_has(f.marks[0].value_text, S("; host: waiting 75.0")));
    assert_int_equal(f.n_spans, 1); /* the other is too short to be seen */
    assert_true(f.spans[0].from == 100 && f.spans[0].to == 120);
    assert_true(str_eq(f.spans[0].label, S("gap 20.00 ms")));
    lanes.host_known = false;
    assert_int_equal(figure_utilisation(&memory, &r).n_under, 0);
}

int main(void)
{
    memory = arena_reserve(1 << 24);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_host_and_gaps),
        cmocka_unit_test(utilisation),
        cmocka_unit_test(a_category_is_shown_from_a_hundredth_on),
        cmocka_unit_test(what_takes_no_time_has_no_entry),
        cmocka_unit_test(borders),
        cmocka_unit_test(the_strip_tells_what_the_device_waits_for),
        cmocka_unit_test(shade),
        cmocka_unit_test(streams),
        cmocka_unit_test(memory_unit),
        cmocka_unit_test(reasons),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
