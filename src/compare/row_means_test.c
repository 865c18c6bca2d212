#include "compare/row_means.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena_case.h"

/* A capture of three steps of 100 ns, of which the first is not steady; a product in
 * each, of 10, 20 and 40 ns, and in the last one of other shapes and one more of 6 ns,
 * as a row of its own. */
static struct capture_row rows[] = {{.name = S_INIT("mm"), .dims = S_INIT("(8,)")},
                                    {.name = S_INIT("mm"), .dims = S_INIT("(9,)")},
                                    {.name = S_INIT("mm"), .dims = S_INIT("(8,)")}};
static struct capture_event events[] = {
    {.start_ns = 10, .end_ns = 20, .row = 0, .begins = true},
    {.start_ns = 110, .end_ns = 130, .row = 0, .begins = true},
    {.start_ns = 210, .end_ns = 250, .row = 0, .begins = true},
    {.start_ns = 260, .end_ns = 290, .row = 1, .begins = true},
    {.start_ns = 292, .end_ns = 298, .row = 2, .begins = true}};
static struct capture_step steps[] = {{.start_ns = 0, .end_ns = 100},
                                      {.start_ns = 100, .end_ns = 200, .steady = true},
                                      {.start_ns = 200, .end_ns = 300, .steady = true}};
static struct capture c = {.rows = rows,
                           .n_rows = 3,
                           .events = events,
                           .n_events = 5,
                           .steps = steps,
                           .n_steps = 3,
                           .end_ns = 300};

static void means_are_of_steady_steps(void **state)
{
    int32_t first[] = {0}, both[] = {0, 1};
    struct match m = {.level = MATCH_CALL, .rows = {NULL, first}, .n_rows = {0, 1}};
    (void)state;
    struct row_index x = row_index_make(&a, &c);
    assert_int_equal(x.n_steps, 2);
    assert_true(row_index_mean(&x, &m, 1, &c) == 22); /* of three calls */
    assert_true(isnan(row_index_mean(&x, &m, 0, &c)));
    m.rows[1] = both;
    m.n_rows[1] = 2;
    assert_true(row_index_mean(&x, &m, 1, &c) == 24); /* 96 of four */
    m.level = MATCH_CATEGORY; /* whose calls cannot be compared: of a step */
    assert_true(row_index_mean(&x, &m, 1, &c) == 48);
    row_index_close(&x);
}

/* The same work in another capture has the same name and arguments. */
static void work_is_found_by_its_arguments(void **state)
{
    struct capture_row other[] = {
        {.name = S("mm"), .dims = S("(8,)"), .types = S("x")}};
    struct capture first = {.rows = other, .n_rows = 1};
    int32_t row[] = {0};
    struct match m = {.level = MATCH_CALL, .rows = {row}, .n_rows = {1}};
    (void)state;
    struct row_index x = row_index_make(&a, &c);
    assert_true(isnan(row_index_mean(&x, &m, 0, &first)));
    other[0].types = S("");
    assert_true(row_index_mean(&x, &m, 0, &first) == 22);
    other[0].name = S("bmm");
    assert_true(isnan(row_index_mean(&x, &m, 0, &first)));
    other[0].name = S("mm");
    other[0].part = DEVICE_COPY;
    assert_true(isnan(row_index_mean(&x, &m, 0, &first)));
    row_index_close(&x);
}

static void without_steps_all_is_one(void **state)
{
    struct capture whole = {.start_ns = 5, .end_ns = 77};
    int n;
    (void)state;
    const struct step_span *s = steady_spans(&a, &whole, &n);
    assert_int_equal(n, 1);
    assert_int_equal(s->start_ns, 5);
    assert_int_equal(s->end_ns, 77);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(means_are_of_steady_steps),
        cmocka_unit_test(work_is_found_by_its_arguments),
        cmocka_unit_test(without_steps_all_is_one),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
