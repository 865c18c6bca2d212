#include "system_parts.c"

#include "analysis/trace_case.h"

#include <math.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void bounds_are_strict(void **state)
{
    (void)state;
    static const double bounds[4] = {10, 5, 2, 0.5};
    assert_int_equal(severity_above(10, bounds), SEVERITY_HIGH);
    assert_int_equal(severity_above(10.001, bounds), SEVERITY_CRITICAL);
    assert_int_equal(severity_above(0.5, bounds), SEVERITY_NONE);
    assert_int_equal(severity_above(0.51, bounds), SEVERITY_LOW);
    assert_int_equal(severity_above((double)NAN, bounds), SEVERITY_NONE);
    assert_text(severity_word(SEVERITY_CRITICAL), "CRITICAL");
}

static void names_are_made_safe(void **state)
{
    (void)state;
    struct arena a = arena_reserve(1 << 20);
    char *start = a.at;
    assert_text(quoted_name(&a, S("aten::mm"), 60), "`aten::mm`");
    assert_text(quoted_name(&a, S("a`b\nc\xff"), 60), "`a b c\xef\xbf\xbd`");
    struct str cut = quoted_name(&a, S("0123456789abcdefghij"), 12);
    assert_true(str_ends(cut, S("...`")));
    assert_true(cut.n <= 14);
    struct finding f = {.tier = TIER_SYSTEM,
                        .category = WORK_CPU_IDLE,
                        .pattern = S("host_bound"),
                        .op = S("aten::to Copy<1>")};
    assert_text(finding_id(&a, &f), "cpu_idle.host_bound.aten__to_copy_1_.none");
    arena_release(start, &a);
}

static void lists_grow(void **state)
{
    (void)state;
    struct arena a = arena_reserve(1 << 20);
    char *start = a.at;
    struct finding f = {0};
    for (int k = 0; k < 9; k++)
        finding_evidence(&a, &f, str_printf(&a, "%d", k));
    assert_int_equal(f.n_evidence, 9);
    for (int k = 0; k < 9; k++)
        assert_int_equal(f.evidence[k].text.p[0], '0' + k);
    arena_release(start, &a);
}

/* Of two calls of one name the longer is the example. */
static void the_example_is_the_call_with_most_time(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    for (int k = 0; k < 3; k++)
        case_op(&c, "aten::copy_", 100 * k, 50);
    case_open(&c, NULL);
    struct share_table t = share_table_make(&c.tmp, NULL);
    static const double us[] = {5, 30, 30};
    for (event_id i = 0; i < 3; i++)
        share_add(&c.tmp, &t, c.view.s, i, us[i]);
    assert_int_equal(t.n, 1);
    assert_int_equal(t.rows[0].count, 3);
    assert_near(t.rows[0].total_us, 65, 1e-9);
    assert_int_equal(t.rows[0].example, 1);
    case_close(&c);
}

/* One operator in two functions: the longest call says nothing of the others. */
static void callers_may_be_told_apart(void **state)
{
    (void)state;
    struct trace_case c;
    struct op_share most[2];
    case_begin(&c);
    case_frame(&c, "a.py(1): rare", 0, 90);
    case_op(&c, "aten::item", 10, 50);
    case_frame(&c, "a.py(9): often", 100, 290);
    case_op(&c, "aten::item", 110, 50);
    case_op(&c, "aten::item", 210, 50);
    case_open(&c, NULL);
    struct tree_index t = tree_index_build(&c.perm, c.tmp, &c.view);
    struct share_table all = share_table_make(&c.tmp, &t);
    static const double us[] = {30, 20, 20};
    for (int k = 0; k < 3; k++)
        share_add(&c.tmp, &all, c.view.s, case_find(&c, "aten::item", k), us[k]);
    assert_int_equal(share_largest(&all, &t, most, 2), 2);
    assert_text(most[0].caller, "a.py(9): often");
    assert_int_equal(most[0].count, 2);
    assert_near(most[1].total_us, 30, 1e-9);
    case_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_are_strict),
        cmocka_unit_test(names_are_made_safe),
        cmocka_unit_test(lists_grow),
        cmocka_unit_test(the_example_is_the_call_with_most_time),
        cmocka_unit_test(callers_may_be_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
