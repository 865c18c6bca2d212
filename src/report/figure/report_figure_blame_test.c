#include "report_figure_blame.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct arena memory;

/* 100 ms: 60 in two frames, of which 50 in one, whose leaf has 20; 39.9 in a wait, and
 * 0.1 in another. */
static void test_blame(void **state)
{
    (void)state;
    static struct idle_group groups[] = {
        {.class = IDLE_PYTHON,
         .blame = S_INIT("train.py: step"),
         .leaf = S_INIT("<b>"),
         .total_ns = 50000000,
         .leaf_us = 20000},
        {.class = IDLE_SYNC, .blame = S_INIT("hipSync"), .total_ns = 39900000},
        {.class = IDLE_PYTHON, .total_ns = 10000000},
        {.class = IDLE_SYNC, .blame = S_INIT("hipFree"), .total_ns = 100000}};
    static const struct {
        const char *label;
        double row, low, high;
        enum figure_slot slot;
    } want[] = {{"idle time", 0, 0, 100, SLOT_IDLE},
                {"Python", 1, 0, 60, SLOT_PYTHON},
                {"train.py: step", 2, 0, 50, SLOT_PYTHON},
                {"<b>", 3, 0, 20, SLOT_PYTHON},
                {"Python", 2, 50, 60, SLOT_PYTHON},
                {"synchronising call", 1, 60, 100, SLOT_WAITING},
                {"hipSync", 2, 60, 99.9, SLOT_WAITING},
                {"1 more", 2, 99.9, 100, SLOT_WAITING}};
    struct system_results system = {.idle = {.groups = groups, .n_groups = 4}};
    struct analysis analysis = {.system = &system};
    struct report r = {.analysis = &analysis};
    struct report_figure f = figure_idle_blame(&memory, &r);
    assert_true(f.whole == 100);
    assert_int_equal(f.n_marks, 8);
    for (int k = 0; k < 8; k++) {
        const struct figure_mark *m = &f.marks[k];
        assert_true(str_eq(m->label, str_of(want[k].label)));
        assert_true(m->x == want[k].row && m->low == want[k].low &&
                    m->high == want[k].high);
        assert_int_equal(m->slot, want[k].slot);
    }
    assert_true(f.marks[7].folded);
    assert_true(str_eq(f.marks[2].value_text, S("50.00 ms, 50.0%")));
    assert_true(
        str_eq(f.caption, S("Most idle time: Python in train.py: step, 50.0%")));
    /* Many short gaps are told by what they consist of. */
    groups[0] = (struct idle_group){.class = IDLE_HOST_BOUND, .total_ns = 50000000};
    groups[0].class_us[IDLE_DISPATCH] = 10000;
    groups[0].class_us[IDLE_LAUNCH] = 40000;
    f = figure_idle_blame(&memory, &r);
    assert_true(str_eq(f.marks[1].label, S("many short gaps between launches")));
    assert_true(str_eq(f.marks[2].label, S("launch call")) && f.marks[2].high == 40);
    assert_true(str_eq(f.marks[3].label, S("operator dispatch")) &&
                f.marks[3].low == 40 && f.marks[3].slot == SLOT_DISPATCH);
    assert_true(str_eq(f.caption,
                       S("Most idle time: many short gaps between launches, 50.0%")));
    system.idle.n_groups = 0;
    assert_true(figure_idle_blame(&memory, &r).empty.n > 0);
}

int main(void)
{
    memory = arena_reserve(1 << 24);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_blame)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
