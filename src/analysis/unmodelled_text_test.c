#include "analysis/unmodelled_text.c"

#include "perf/call_cost.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena_case.h"
#include "base/value.h"

enum { ROWS = 6 };

static struct value args;
static struct perf_cost cost;
static struct op_call_row call, synthetic = {.synthetic = true};
static struct op_group groups[ROWS];
static struct work_row rows[ROWS], *list[ROWS];
static struct finding_group g;

/* Six rows, one for each reason, of 60, 50, 40, 30, 20 and 10 ms. */
static int begin(void **state)
{
    (void)state;
    memset(rows, 0, sizeof rows);
    for (int k = 0; k < ROWS; k++) {
        groups[k] = (struct op_group){.first = &call, .args.dims = &args};
        rows[k].name = str_printf(&a, "op%d", k);
        rows[k].time_ms = 60 - 10 * k;
        rows[k].group = &groups[k];
        list[k] = &rows[k];
    }
    work_set(&a, &rows[0], FACT("replayed", 1.0));
    groups[1].first = &synthetic;
    groups[2].args.dims = NULL;
    groups[3].has_model = true; /* which wants a scalar */
    groups[3].args.types = &args;
    groups[4].cost = &cost; /* it has FLOP, and nothing to compare them with */
    g = (struct finding_group){.rows = list,
                               .n_rows = ROWS,
                               .compute_pct = 12.5,
                               .shapes_how = S("record_shapes=True")};
    return 0;
}

static void a_row_lacks_one_thing(void **state)
{
    static const enum reason want[] = {ONLY_REPLAYED, NO_OPERATOR, NO_SHAPES,
                                       NO_SCALARS,    NO_PEAKS,    NO_MODEL};
    (void)state;
    for (int k = 0; k < ROWS; k++)
        assert_int_equal(reason_of(&rows[k]), want[k]);
    assert_true(row_is_bare(&rows[0]) && row_is_bare(&rows[1]) &&
                !row_is_bare(&rows[2]));
    synthetic.in_op = true; /* an operator without a model launched it */
    assert_int_equal(reason_of(&rows[1]), NO_MODEL);
    synthetic.in_op = false;
    rows[4].efficiency.peak_tb_per_s = 5;
    assert_int_equal(reason_of(&rows[4]), NO_MODEL);
    groups[3].args.types = NULL; /* sizes alone: of whatever else, they are first */
    assert_int_equal(reason_of(&rows[3]), NO_TYPES);
    assert_text(remedy(&a, &g, NO_TYPES, 30),
                "30.00 ms lack the types of tensors: record with a profiler that keeps "
                "them, as PyTorch's own does.");
    groups[3].args.types = &args;
    groups[3].args.concrete = &args;
    assert_int_equal(reason_of(&rows[3]), NO_MODEL);
}

/* The longest operators first, rows of one name as one. */
static void operators_are_listed_by_time(void **state)
{
    struct finding f = {.time_ms = 210};
    (void)state;
    assert_text(ops_text(&a, &g, REASONS, 2),
                "`op0` 60.00 ms, `op1` 50.00 ms and 4 others");
    rows[5].name = S("op1");
    assert_text(ops_text(&a, &g, REASONS, 4),
                "`op0` 60.00 ms, `op1` 60.00 ms, `op2` 40.00 ms, `op3` 30.00 ms and "
                "1 other");
    assert_text(ops_text(&a, &g, NO_SHAPES, 4), "`op2` 40.00 ms");
    assert_true(str_starts(unmodelled_issue(&a, &f, &g),
                           S("12.5% of kernel time, 210.0 ms, has no performance "
                             "model: `op0`")));
    g.elsewhere_pct = 35.1; /* the first screen has the sum of both */
    assert_true(str_starts(unmodelled_issue(&a, &f, &g),
                           S("12.5% of kernel time, 210.0 ms, has no performance "
                             "model, besides the 35.1% that other findings name: ")));
}

/* What most of the time lacks gives the title, with its longest operator. */
static void the_title_is_of_most_of_the_time(void **state)
{
    static const char *const want[] = {
        "Record the step once without graph replay to judge its kernels",
        "Record the operators that launch `op1`",
        "Record shapes (record_shapes=True) to judge `op2`",
        "Record scalar arguments to judge `op3`",
        "Name the device or its peaks (-p) to judge `op4`",
        "Supply a performance model for `op5`"};
    (void)state;
    for (int k = 0; k < ROWS; k++) {
        rows[k].time_ms = 1000 + 100 * k;
        assert_text(unmodelled_title(&a, &g), want[k]);
    }
    begin(state); /* two operators of 30 and 40 ms together lack most */
    groups[3].has_model = false;
    groups[3].args.dims = NULL;
    assert_text(unmodelled_title(&a, &g), want[2]);
    begin(state);
    g.rows = &list[2];
    g.n_rows = 1;
    g.shapes_how = S("");
    assert_text(unmodelled_title(&a, &g), "Compare `op2` with what its sizes need");
    g.shapes_hidden = true;
    assert_text(unmodelled_title(&a, &g),
                "Keep the shapes in the report, to judge `op2`");
}

/* Of reasons for more than a twentieth of the time. */
static void advice_is_for_what_counts(void **state)
{
    (void)state;
    g.rows = &list[2];
    g.n_rows = 2;
    rows[3].time_ms = 2; /* of 42 */
    assert_text(unmodelled_advice(&a, &g),
                "40.00 ms lack shapes: record with `record_shapes=True`.");
    rows[3].time_ms = 3;
    assert_text(unmodelled_advice(&a, &g),
                "40.00 ms lack shapes: record with `record_shapes=True`. 3.00 ms lack "
                "scalar arguments: record with a profiler that keeps them.");
    groups[3].has_model = false;
    groups[3].args.dims = NULL;
    assert_text(unmodelled_advice(&a, &g),
                "43.00 ms lack shapes: record with `record_shapes=True`.");
    begin(state);
    g.rows = &list[2];
    g.n_rows = 2;
    g.shapes_how = S("");
    assert_true(str_starts(unmodelled_advice(&a, &g),
                           S("40.00 ms lack shapes, which this profiler does not")));
    g.rows = &list[5];
    g.n_rows = 1;
    assert_text(unmodelled_advice(&a, &g),
                "10.00 ms need a model of `op5` 10.00 ms (extension file).");
}

#define CASE(test) cmocka_unit_test_setup(test, begin)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_row_lacks_one_thing),
        CASE(operators_are_listed_by_time),
        CASE(the_title_is_of_most_of_the_time),
        CASE(advice_is_for_what_counts),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
