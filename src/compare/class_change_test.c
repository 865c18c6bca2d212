#include "compare/class_change.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena_case.h"

enum { ROWS = 6, CAUSES = 4 };

static struct capture sides[2];
static struct capture_idle idle[2][CAUSES];
static struct match matches[ROWS];
static struct compared_row rows[ROWS];
static struct comparison c;
static struct match_side of[2];

static int begin(void **state)
{
    (void)state;
    memset(matches, 0, sizeof matches);
    memset(rows, 0, sizeof rows);
    c = (struct comparison){.rows = rows};
    for (int side = 0; side < 2; side++) {
        sides[side] = (struct capture){.idle = idle[side], .has_parts = true};
        c.of[side] = &sides[side];
        of[side] = (struct match_side){.c = &sides[side]};
    }
    return 0;
}

static struct compared_row *work(enum match_level level, enum work_category category,
                                 int64_t ns_0, int64_t ns_1)
{
    int k = c.n_rows++;
    matches[k].level = level;
    matches[k].class_ns[0][category] = ns_0;
    matches[k].class_ns[1][category] = ns_1;
    rows[k].match = &matches[k];
    return &rows[k];
}

static void cause(int side, const char *name, int64_t ns, int32_t step)
{
    idle[side][sides[side].n_idle++] = (struct capture_idle){str_of(name), ns, step};
}

static const struct compared_bar *bar(const char *name)
{
    for (int i = 0; i < c.n_bars; i++)
        if (str_eq(c.bars[i].name, str_of(name)))
            return &c.bars[i];
    return NULL;
}

static void bar_is(const char *name, int64_t ns_0, int64_t ns_1)
{
    const struct compared_bar *b = bar(name);
    if (!b)
        fail_msg("no bar %s", name);
    if (b->ns[0] != ns_0 || b->ns[1] != ns_1)
        fail_msg("%s: %lld, %lld", name, (long long)b->ns[0], (long long)b->ns[1]);
}

static void find(void)
{
    class_changes(&a, a, &c, of);
}

/* GEMM 60 to 100: 20 by more calls, 15 slower, 12 of work that is new and 2 less of
 * work that is gone, 5 by another implementation, and 10 less because kernels overlap.
 */
static void a_bar_has_its_reasons(void **state)
{
    (void)state;
    sides[0].parts_ns[WORK_GEMM] = 60;
    sides[1].parts_ns[WORK_GEMM] = 100;
    struct compared_row *both = work(MATCH_CALL, WORK_GEMM, 50, 85);
    both->count_ns = 20;
    both->speed_ns = 15;
    work(MATCH_ONLY_CANDIDATE, WORK_GEMM, 0, 12);
    work(MATCH_ONLY_REFERENCE, WORK_GEMM, 2, 0);
    work(MATCH_CATEGORY, WORK_GEMM, 6, 7);
    work(MATCH_CATEGORY, WORK_GEMM, 4, 8);
    work(MATCH_CALL, WORK_NORM, 1, 2)->speed_ns = 1;
    find();
    const struct compared_bar *b = bar("GEMM");
    bar_is("GEMM", 60, 100);
    assert_int_equal(b->kernel_ns[0], 62);
    assert_int_equal(b->kernel_ns[1], 112);
    assert_int_equal(b->count_ns, 20);
    assert_int_equal(b->speed_ns, 15);
    assert_int_equal(b->only_ns, 10);
    assert_int_equal(b->recast_ns, 5);
    assert_int_equal(b->overlap_ns, -10);
    assert_int_equal(
        b->count_ns + b->speed_ns + b->only_ns + b->recast_ns + b->overlap_ns, 40);
    assert_null(bar("Elementwise")); /* which neither side has */
}

/* A row whose kernels are of two classes is of no one pace. */
static void a_row_of_two_classes_is_recast(void **state)
{
    (void)state;
    struct compared_row *row = work(MATCH_CALL, WORK_GEMM, 10, 30);
    row->match->class_ns[1][WORK_ELEMENTWISE] = 4;
    row->count_ns = 3;
    find();
    assert_int_equal(bar("GEMM")->recast_ns, 20);
    assert_int_equal(bar("GEMM")->count_ns, 0);
    assert_int_equal(bar("Elementwise")->kernel_ns[1], 4); /* hidden, of one side */
}

static void the_largest_difference_comes_first(void **state)
{
    (void)state;
    sides[0].parts_ns[sweep_comm(WORK_CATEGORIES)] = 50;
    sides[1].parts_ns[sweep_comm(WORK_CATEGORIES)] = 20;
    sides[0].parts_ns[sweep_copy(WORK_CATEGORIES)] = 5;
    sides[1].parts_ns[sweep_idle(WORK_CATEGORIES)] = 40;
    sides[1].parts_ns[WORK_GEMM] = 30;
    find();
    assert_int_equal(c.n_bars, 4);
    static const char *const want[] = {"idle", "GEMM", "exposed communication",
                                       "exposed copies"};
    for (int i = 0; i < 4; i++)
        assert_text(c.bars[i].name, want[i]); /* of equals, by name */
    bar_is("exposed communication", 50, 20);
    bar_is("exposed copies", 5, 0);
    assert_int_equal(c.idle_ns[1], 40);
}

/* 30 of 50 and all of 20 have a cause; what causes leave is one bar. */
static void idle_time_is_told_by_cause(void **state)
{
    (void)state;
    sides[0].parts_ns[sweep_idle(WORK_CATEGORIES)] = 50;
    sides[1].parts_ns[sweep_idle(WORK_CATEGORIES)] = 20;
    cause(0, "idle: Python", 30, -1);
    cause(0, "idle: Python", 99, 0); /* of a step */
    cause(1, "idle: sync", 5, -1);
    cause(1, "idle: Python", 90, -1); /* no more than is left */
    find();
    bar_is("idle: Python", 30, 15);
    bar_is("idle: sync", 0, 5);
    bar_is("idle: cause unknown", 20, 0);
    assert_int_equal(c.idle_ns[0], 50);
    assert_int_equal(c.idle_ns[1], 20);
    begin(state);
    sides[0].parts_ns[sweep_idle(WORK_CATEGORIES)] = 50;
    sides[1].parts_ns[sweep_idle(WORK_CATEGORIES)] = 20;
    cause(0, "idle: Python", 30, -1); /* of one side alone, they are no difference */
    find();
    bar_is("idle", 50, 20);
    assert_null(bar("idle: Python"));
}

/* Of steps, those that are compared: the second of two. */
static void idle_time_is_that_of_compared_steps(void **state)
{
    struct capture_step steps[] = {{.start_ns = 0, .end_ns = 10},
                                   {.start_ns = 10, .end_ns = 20}};
    struct step_span second = {10, 20};
    (void)state;
    for (int side = 0; side < 2; side++) {
        sides[side].steps = steps;
        sides[side].n_steps = 2;
        c.selection.spans[side] = &second;
        c.selection.n_spans[side] = 1;
        sides[side].parts_ns[sweep_idle(WORK_CATEGORIES)] = 9;
        cause(side, "idle: Python", 2 + side, 1);
        cause(side, "idle: Python", 1, 1);
        cause(side, "idle: sync", 4, 0);
        cause(side, "idle: all", 4, -1);
    }
    c.selection.n_steps = 1;
    find();
    bar_is("idle: Python", 3, 4);
    assert_null(bar("idle: sync"));
    assert_null(bar("idle: all"));
    bar_is("idle: cause unknown", 6, 5);
}

/* Tables alone know computation as a whole, and kernels by category. */
static void tables_know_computation_as_a_whole(void **state)
{
    (void)state;
    sides[1] = (struct capture){.idle = idle[1],
                                .computation_ns = 70,
                                .exposed_comm_ns = 6,
                                .exposed_copy_ns = 3,
                                .idle_ns = 8};
    sides[0].parts_ns[WORK_GEMM] = 40;
    sides[0].parts_ns[WORK_NORM] = 20;
    work(MATCH_CALL, WORK_GEMM, 40, 55);
    work(MATCH_CALL, WORK_NORM, 21, 22);
    find();
    bar_is("computation", 60, 70);
    assert_int_equal(bar("computation")->category, WORK_CATEGORIES);
    bar_is("exposed communication", 0, 6);
    bar_is("exposed copies", 0, 3);
    bar_is("idle", 0, 8);
    assert_int_equal(bar("computation")->kernel_ns[0], 61);
    assert_int_equal(bar("computation")->kernel_ns[1], 77);
    assert_int_equal(c.n_sums, 2);
    assert_text(c.sums[0].name, "GEMM");
    assert_int_equal(c.sums[0].ns[1], 55);
    assert_int_equal(c.sums[1].ns[0], 21);
    assert_int_equal(c.sums[0].overlap_ns, 0);
}

/* By events or parts, or because there is no computation. */
static void classes_are_known(void **state)
{
    (void)state;
    assert_true(knows_classes(&(struct capture){.n_events = 1, .computation_ns = 1}));
    assert_true(
        knows_classes(&(struct capture){.has_parts = true, .computation_ns = 1}));
    assert_true(knows_classes(&(struct capture){.n_events = 0}));
    assert_false(knows_classes(&(struct capture){.computation_ns = 1}));
}

static void causes_beyond_all_are_left_out(void **state)
{
    (void)state;
    c.bars = arena_new(&a, struct compared_bar, BARS_MAX);
    add_bar(&c, BAR_CLASS, S("GEMM"));
    for (int k = 0; k < IDLE_BARS_MAX; k++)
        assert_ptr_equal(idle_bar(&c, str_printf(&a, "%d", k)), &c.bars[1 + k]);
    assert_null(idle_bar(&c, S("one more")));
    assert_ptr_equal(idle_bar(&c, S("9")), &c.bars[10]);
}

#define CASE(test) cmocka_unit_test_setup(test, begin)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_bar_has_its_reasons),
        CASE(a_row_of_two_classes_is_recast),
        CASE(the_largest_difference_comes_first),
        CASE(idle_time_is_told_by_cause),
        CASE(idle_time_is_that_of_compared_steps),
        CASE(tables_know_computation_as_a_whole),
        CASE(classes_are_known),
        CASE(causes_beyond_all_are_left_out),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
