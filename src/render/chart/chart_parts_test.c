#include "chart_parts.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void slots_are_listed_once_in_their_order(void **state)
{
    (void)state;
    struct figure_mark marks[] = {
        {.slot = SLOT_IDLE}, {.slot = SLOT_COMPUTE}, {.slot = SLOT_IDLE}};
    struct report_figure f = {.marks = marks, .n_marks = 3};
    enum figure_slot used[FIGURE_SLOTS];
    assert_int_equal(chart_slots_used(&f, used), 2);
    assert_true(used[0] < used[1]);
    f.n_marks = 0;
    assert_int_equal(chart_slots_used(&f, used), 0);
}

static void a_slot_without_a_word_has_its_name(void **state)
{
    (void)state;
    struct str words[FIGURE_SLOTS] = {[SLOT_COMPUTE] = S_INIT("waits least")};
    struct report_figure f = {.slot_labels = words};
    assert_true(str_eq(chart_slot_label(&f, SLOT_COMPUTE), S("waits least")));
    assert_true(str_eq(chart_slot_label(&f, SLOT_IDLE), figure_slot_name(SLOT_IDLE)));
    f.slot_labels = NULL;
    assert_true(
        str_eq(chart_slot_label(&f, SLOT_COMPUTE), figure_slot_name(SLOT_COMPUTE)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slots_are_listed_once_in_their_order),
        cmocka_unit_test(a_slot_without_a_word_has_its_name)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
