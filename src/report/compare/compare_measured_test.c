#include "compare_measured.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena_case.h"
#include "report/table_case.h"

enum { BEFORE = 3 };

static struct capture before[BEFORE], after;
static struct comparison c;

static void add(struct capture *to, enum measure m, double value)
{
    arena_grow(&a, to->measured, to->n_measured);
    to->measured[to->n_measured++] = (struct capture_measure){measure_name(m), value};
}

static int begin(void **state)
{
    (void)state;
    for (int i = 0; i < BEFORE; i++)
        before[i] = (struct capture){0};
    after = (struct capture){0};
    c = (struct comparison){.captures = {before, &after}, .n_captures = {BEFORE, 1}};
    return 0;
}

/* Of three captures two know it: 40 and 60. */
static void the_mean_is_of_captures_that_know(void **state)
{
    (void)state;
    add(&before[0], MEASURED_MFU, 40);
    add(&before[2], MEASURED_MFU, 60);
    add(&after, MEASURED_MFU, 55);
    struct compared_measures all = compare_measures(&a, &c);
    assert_int_equal(all.n, 1);
    assert_int_equal(all.rows[0].of, MEASURED_MFU);
    assert_true(all.rows[0].value[0] == 50 && all.rows[0].value[1] == 55);
    assert_true(diff_pct(&all.rows[0]) == 10);
    struct report_table t = compare_measured_table(&a, &c);
    static const char *const shown =
        "name=mfu_pct title=Model FLOP utilisation, % reference=50 candidate=55 "
        "diff_pct_of_reference=10";
    assert_string_equal(row_shown(&a, &t, 0), shown);
    assert_string_equal(members_shown(&a, compared_measure_fields(), &all.rows[0]),
                        shown);
}

/* Breaks are of compiled code, which both must have; layers are compared elsewhere. */
static void one_side_tells_what_both_could_have(void **state)
{
    (void)state;
    add(&after, MEASURED_POWER, 300);
    add(&after, MEASURED_BREAKS, 2);
    add(&after, MEASURED_BREAK, 7);
    add(&after, MEASURED_AGAIN, 9);
    add(&after, MEASURED_LAYER, 3);
    add(&before[1], MEASURED_LAYER, 3);
    struct compared_measures all = compare_measures(&a, &c);
    assert_int_equal(all.n, 1);
    assert_int_equal(all.rows[0].of, MEASURED_POWER);
    assert_true(isnan(all.rows[0].value[0]) && isnan(diff_pct(&all.rows[0])));
    add(&before[1], MEASURED_BREAKS, 0);
    all = compare_measures(&a, &c);
    assert_int_equal(all.n, 2);
    assert_true(isnan(diff_pct(&all.rows[1]))); /* from none */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_mean_is_of_captures_that_know, begin),
        cmocka_unit_test_setup(one_side_tells_what_both_could_have, begin),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
