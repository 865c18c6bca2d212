#include "report/more_shown.c"

#include "analysis/model/finding.h"
#include "base/arena_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct report report;

static struct field_value told(const struct description *d, const char *name,
                               const void *of)
{
    const struct field *f = field_of(d, name);
    if (!f)
        fail_msg("no field %s", name);
    return field_value(f, &(struct described){of, &report, &a});
}

static struct field_items listed(const struct description *d, const char *name,
                                 const void *of)
{
    const struct field *f = field_of(d, name);
    if (!f)
        fail_msg("no list %s", name);
    return field_items(f, &(struct described){of, &report, &a});
}

/* The first class leads; a call of a layer is told where a layer ran more than once. */
static void layers_are_those_of_the_first_class(void **state)
{
    struct layer_class classes[] = {{.name = S("Block"),
                                     .n = 2,
                                     .first = 1,
                                     .total_ms = 60,
                                     .share_pct = 70,
                                     .n_off = 1},
                                    {.name = S("Head"), .n = 1, .total_ms = 9}};
    struct layer rows[] = {{.calls = 1}, {.calls = 3, .covered_pct = 50}, {.calls = 3}};
    struct layers l = {.classes = classes, .n_classes = 2, .rows = rows, .n = 3};
    (void)state;
    assert_text(told(summed_layers_fields(), "name", &l).text, "Block");
    assert_int_equal(told(summed_layers_fields(), "layers", &l).whole, 2);
    assert_true(told(summed_layers_fields(), "call_ns", &l).real == 10); /* in ms */
    assert_true(told(summed_layers_fields(), "share_pct", &l).real == 70);
    assert_int_equal(told(summed_layers_fields(), "differ", &l).whole, 1);
    assert_true(told(shown_layers_fields(), "a_call_ms", &l).real == 10);
    assert_false(told(shown_layers_fields(), "backward", &l).flag);
    assert_false(told(shown_layers_fields(), "models", &l).flag);
    rows[0].covered_pct = 1;
    assert_true(told(shown_layers_fields(), "models", &l).flag);
    classes[0].backward_ns = 1;
    assert_true(told(shown_layers_fields(), "backward", &l).flag);
    rows[1].calls = 1;
    assert_true(isnan(told(shown_layers_fields(), "a_call_ms", &l).real));
}

static void a_page_has_the_first_rows(void **state)
{
    struct critical_path p = {.parts = arena_new(&a, struct path_part, 200), .n = 200};
    struct modules m = {.rows = arena_new(&a, struct module_row, 200), .n = 26};
    struct compiled c = {.rows = arena_new(&a, struct compiled_row, 200), .n = 100};
    (void)state;
    assert_int_equal(listed(shown_path_fields(), "rows", &p).n, 15);
    p.n = 14;
    assert_int_equal(listed(shown_path_fields(), "rows", &p).n, 14);
    assert_int_equal(listed(shown_modules_fields(), "rows", &m).n, 25);
    assert_int_equal(listed(shown_compiled_fields(), "rows", &c).n, 100);
    c.n = 101;
    assert_int_equal(listed(shown_compiled_fields(), "rows", &c).n, 100);
}

static struct comm_size size(enum collective_kind kind, double bytes, int64_t ranks,
                             double sum_ms, double bus_gb_s)
{
    return (struct comm_size){.kind = kind,
                              .bytes = bytes,
                              .ranks = ranks,
                              .n = 2,
                              .sum_ms = sum_ms,
                              .bus_gb_s = bus_gb_s,
                              .small = true};
}

/* Two types of one kind, size and number of ranks are one; what has no rate is none. */
static void sizes_are_summed_over_types_and_groups(void **state)
{
    struct comm_size rows[] = {size(COLLECTIVE_ALL_REDUCE, 1024, 8, 5, 100),
                               size(COLLECTIVE_ALL_REDUCE, 1024, 4, 4, 90),
                               size(COLLECTIVE_ALL_GATHER, 1024, 8, 3, (double)NAN),
                               size(COLLECTIVE_ALL_REDUCE, 1024, 8, 2, 120),
                               size(COLLECTIVE_ALL_REDUCE, 2048, 8, 1, 80)};
    struct comm_sizes c = {.rows = rows, .n = 5};
    (void)state;
    rows[3].small = false;
    struct field_items sums = listed(summed_sizes_fields(), "sizes", &c);
    const struct size_sum *s = sums.first;
    assert_int_equal(sums.n, 3);
    assert_int_equal(s[0].n, 4);
    assert_true(s[0].sum_ms == 7 && s[0].bus_gb_s == 120 && !s[0].small);
    assert_true(s[1].sum_ms == 4 && s[1].small);
    assert_text(told(size_sum_fields(), "slug", &s[1]).text, "all-reduce-1024-4");
    struct comm_sizes many = {.rows = arena_new(&a, struct comm_size, 18), .n = 18};
    for (int i = 0; i < 18; i++)
        many.rows[i] = size(COLLECTIVE_BROADCAST, i, 2, 1, 1);
    many.rows[17].bytes = 3; /* one of the first sixteen again */
    sums = listed(summed_sizes_fields(), "sizes", &many);
    assert_int_equal(sums.n, 16);
    assert_int_equal(((const struct size_sum *)sums.first)[3].n, 4);
}

/* Small calls are told from a twentieth of the time on, slower kernels from 1 % on. */
static void what_matters_of_sizes_is_told(void **state)
{
    struct comm_sizes c = {
        .n_small = 3, .small_ms = 5, .total_ms = 100, .slowed_pct = 0.99};
    (void)state;
    assert_int_equal(told(shown_sizes_fields(), "some_small", &c).whole, 0);
    c.small_ms = 5.1;
    assert_int_equal(told(shown_sizes_fields(), "some_small", &c).whole, 3);
    assert_false(told(shown_sizes_fields(), "small_one", &c).flag);
    assert_false(told(shown_sizes_fields(), "is_slowed", &c).flag);
    c.slowed_pct = 1;
    assert_true(told(shown_sizes_fields(), "is_slowed", &c).flag);
    c.slowed_pct = (double)NAN;
    assert_false(told(shown_sizes_fields(), "is_slowed", &c).flag);
    assert_true(isnan(told(size_sums_fields(), "link_gb_per_s", &c).real));
    assert_false(told(shown_sizes_fields(), "has_link", &c).flag);
    c.link_gb_s = 450;
    assert_true(told(size_sums_fields(), "link_gb_per_s", &c).real == 450);
}

/* Regions without a name are one region too many, which is none. */
static void compiled_calls_may_have_no_name(void **state)
{
    struct compiled_row rows[] = {
        {.kind = COMPILED_REGION, .name = S("0/1"), .calls = 2},
        {.kind = COMPILED_REGION, .calls = 7},
        {.kind = COMPILED_GRAPH, .calls = 9}};
    struct compiled c = {.rows = rows, .n = 3, .n_regions = 2, .graphs_pct = 40};
    struct layer_class class = {.share_pct = 40};
    struct layers l = {.classes = &class};
    const struct description *d = shown_compiled_fields();
    (void)state;
    assert_int_equal(told(d, "unnamed", &c).whole, 7);
    assert_int_equal(told(d, "some_regions", &c).whole, 1);
    assert_false(told(d, "linked", &c).flag);
    rows[1].name = S("1/0");
    rows[2].href = S("tl/x.html");
    assert_int_equal(told(d, "some_regions", &c).whole, 2);
    assert_true(told(d, "linked", &c).flag);
    report = (struct report){0};
    assert_true(told(d, "leads", &c).flag);
    assert_false(told(d, "in_steps", &c).flag);
    report.layers = &l;
    report.steps.n = 1;
    assert_false(told(d, "leads", &c).flag); /* layers have as much */
    assert_true(told(d, "in_steps", &c).flag);
    c.graphs_pct = 40.1;
    assert_true(told(d, "leads", &c).flag);
}

static void the_path_has_its_parts(void **state)
{
    struct path_part part = {.kind = PATH_COPY, .ns = 3000000};
    struct critical_path p = {.total_ns = 12000000,
                              .kind_ns = {[PATH_KERNEL] = 1000000,
                                          [PATH_COPY] = 2000000,
                                          [PATH_HOST] = 4000000,
                                          [PATH_LATENCY] = 5000000}};
    (void)state;
    report = (struct report){.path = &p};
    assert_true(told(summed_path_fields(), "kernel_ms", &p).real == 1);
    assert_true(told(summed_path_fields(), "copy_ms", &p).real == 2);
    assert_true(told(summed_path_fields(), "host_ms", &p).real == 4);
    assert_true(told(summed_path_fields(), "latency_ms", &p).real == 5);
    assert_true(told(path_part_fields(), "share_pct", &part).real == 25);
    assert_text(told(shown_part_fields(), "shorter_by", &part).text,
                "less to copy or fill");
    assert_true(told(shown_path_fields(), "some_copy_ms", &p).real == 2);
    p.kind_ns[PATH_COPY] = 0;
    assert_true(isnan(told(shown_path_fields(), "some_copy_ms", &p).real));
}

/* A clock that is low for 5 % of the time is told: as the reason where work is slower
 * by 5 % then, or where that is not known; else as an average. */
static void a_low_clock_is_a_reason_or_an_average(void **state)
{
    static const struct {
        double low_pct, slower;
        bool low, averaged;
    } cases[] = {{4.9, 2, false, false},
                 {5, 1.05, true, false},
                 {5, 1.04, false, true},
                 {5, (double)NAN, true, false},
                 {(double)NAN, (double)NAN, false, false}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct counters c = {
            .clock = {.low_pct = cases[i].low_pct, .slower = cases[i].slower}};
        assert_int_equal(told(shown_counters_fields(), "low_clock", &c).flag,
                         cases[i].low);
        assert_int_equal(told(shown_counters_fields(), "averaged_clock", &c).flag,
                         cases[i].averaged);
    }
}

/* Lines are by part, one part after the other. */
static void lines_of_a_part_are_told_together(void **state)
{
    const double none = (double)NAN;
    struct counter_line rows[] = {
        {COUNTER_OF_STEP, S("1"), 1, none, none, none, none, none},
        {COUNTER_OF_CATEGORY, S("GEMM"), 1, none, none, 300, none, none},
        {COUNTER_OF_CATEGORY, S("Norm"), 1, none, none, none, none, none}};
    struct counter_lines l = {rows, 3};
    const struct description *d = shown_counter_lines_fields();
    (void)state;
    struct field_items found = listed(d, "categories", &l);
    assert_int_equal(found.n, 2);
    assert_ptr_equal(found.first, &rows[1]);
    assert_int_equal(told(d, "some_steps", &l).whole, 1);
    assert_int_equal(told(d, "some_categories", &l).whole, 2);
    assert_int_equal(told(d, "some_kernels", &l).whole, 0);
    assert_true(told(d, "with_power", &l).flag);
    assert_false(told(d, "with_sm", &l).flag || told(d, "with_dram", &l).flag ||
                 told(d, "with_clock", &l).flag);
}

static void a_page_has_what_the_trace_holds(void **state)
{
    struct comm_sizes c = {0};
    (void)state;
    report = (struct report){0};
    for (int k = 0; k < n_more_shown; k++)
        assert_null(more_shown[k].of(&report));
    assert_false(more_on_page(&report, "system.html"));
    report.comm_sizes = &c;
    assert_true(more_on_page(&report, "system.html"));
    assert_false(more_on_page(&report, "layers.html"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layers_are_those_of_the_first_class),
        cmocka_unit_test(a_page_has_the_first_rows),
        cmocka_unit_test(sizes_are_summed_over_types_and_groups),
        cmocka_unit_test(what_matters_of_sizes_is_told),
        cmocka_unit_test(compiled_calls_may_have_no_name),
        cmocka_unit_test(the_path_has_its_parts),
        cmocka_unit_test(a_low_clock_is_a_reason_or_an_average),
        cmocka_unit_test(lines_of_a_part_are_told_together),
        cmocka_unit_test(a_page_has_what_the_trace_holds),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
