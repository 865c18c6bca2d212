#include "measured.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena_case.h"
#include "base/near_case.h"

/* NaN: it is not among what is known. */
static double value_of(const struct capture *c, const char *name)
{
    for (int32_t k = 0; k < c->n_measured; k++)
        if (str_eq(c->measured[k].name, str_of(name)))
            return c->measured[k].value;
    return (double)NAN;
}

static void compiled(const struct compiled *of, struct capture *c)
{
    c->measured = arena_new(&a, struct capture_measure, MEASURED_ALL);
    put_compiled(c, of);
}

/* Breaks and their time are of a step, frames of the run. */
static void test_breaks_of_a_step(void **state)
{
    (void)state;
    struct compiled of = {
        .n = 1, .breaks = 6, .break_ns = 4500000, .n_steps = 3, .recompiled = 2};
    struct capture c = {0};
    compiled(&of, &c);
    assert_int_equal(c.n_measured, 3);
    assert_near(value_of(&c, "compiled_breaks"), 2, 1e-9);
    assert_near(value_of(&c, "compiled_break_ms"), 1.5, 1e-9);
    assert_near(value_of(&c, "recompiled_frames"), 2, 1e-9);
}

static void test_breaks_without_steps(void **state)
{
    (void)state;
    struct compiled of = {.n = 1, .breaks = 6, .break_ns = 4500000};
    struct capture c = {0};
    compiled(&of, &c);
    assert_near(value_of(&c, "compiled_breaks"), 6, 1e-9);
    assert_near(value_of(&c, "compiled_break_ms"), 4.5, 1e-9);
}

static void test_nothing_compiled(void **state)
{
    (void)state;
    struct compiled of = {.n_steps = 3};
    struct capture c = {0};
    compiled(&of, &c);
    compiled(NULL, &c);
    assert_int_equal(c.n_measured, 0);
}

/* The first of each kind, and no more. */
static void test_most_code_is_kept(void **state)
{
    (void)state;
    enum { N = CAPTURE_CODE_MAX + 1 };
    static struct compiled_row rows[N + 1];
    for (int k = 0; k < N; k++)
        rows[k] = (struct compiled_row){.kind = COMPILED_REGION, .frame = k};
    rows[N] = (struct compiled_row){.kind = COMPILED_GRAPH,
                                    .frame = -1,
                                    .version = 7,
                                    .calls = 1,
                                    .kernels = 2,
                                    .host_ns = 3,
                                    .device_ns = 4,
                                    .breaks = 5,
                                    .break_ns = 6};
    struct compiled of = {.rows = rows, .n = N + 1};
    struct capture c = {0};
    keep_compiled(&a, &of, &c);
    assert_int_equal(c.n_compiled, CAPTURE_CODE_MAX + 1);
    assert_int_equal(c.compiled[CAPTURE_CODE_MAX - 1].frame, CAPTURE_CODE_MAX - 1);
    const struct capture_code *graph = &c.compiled[CAPTURE_CODE_MAX];
    assert_text(graph->kind, "graph");
    assert_int_equal(graph->frame, -1);
    assert_int_equal(graph->version, 7);
    assert_int_equal(graph->calls, 1);
    assert_int_equal(graph->kernels, 2);
    assert_int_equal(graph->host_ns, 3);
    assert_int_equal(graph->device_ns, 4);
    assert_int_equal(graph->breaks, 5);
    assert_int_equal(graph->break_ns, 6);
}

static void test_layers(void **state)
{
    (void)state;
    struct layer row = {.class = S("Linear"),
                        .name = S("Linear_0"),
                        .calls = 2,
                        .forward_ns = 30,
                        .backward_ns = 60,
                        .idle_ns = 9};
    struct layers of = {.rows = &row, .n = 1};
    struct capture c = {0};
    keep_layers(&a, &of, &c);
    assert_int_equal(c.n_layers, 1);
    assert_text(c.layers[0].class, "Linear");
    assert_text(c.layers[0].name, "Linear_0");
    assert_int_equal(c.layers[0].calls, 2);
    assert_int_equal(c.layers[0].forward_ns, 30);
    assert_int_equal(c.layers[0].backward_ns, 60);
    assert_int_equal(c.layers[0].idle_ns, 9);
    keep_layers(&a, NULL, &c);
    assert_int_equal(c.n_layers, 0);
}

/* Memory is kept in bytes and told in GiB; no other figure is converted. */
static void test_text(void **state)
{
    (void)state;
    assert_text(measure_text(&a, MEASURED_MEMORY, 1.5 * (1 << 30)), "1.500");
    assert_text(measure_text(&a, MEASURED_MFU, 41.5), "41.50");
    assert_text(measure_text(&a, MEASURED_AGAIN, 3), "3");
    assert_text(measure_text(&a, MEASURED_POWER, (double)NAN), "not known");
}

static void test_what_is_not_finite_is_left_out(void **state)
{
    (void)state;
    struct capture c = {.measured = arena_new(&a, struct capture_measure, 3)};
    put(&c, MEASURED_MFU, (double)NAN);
    put(&c, MEASURED_HFU, (double)INFINITY);
    put(&c, MEASURED_FILL, 0);
    assert_int_equal(c.n_measured, 1);
    assert_text(c.measured[0].name, "few_blocks_pct");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_breaks_of_a_step),
        cmocka_unit_test(test_breaks_without_steps),
        cmocka_unit_test(test_nothing_compiled),
        cmocka_unit_test(test_most_code_is_kept),
        cmocka_unit_test(test_layers),
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_what_is_not_finite_is_left_out),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
