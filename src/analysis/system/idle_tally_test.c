#include "idle_tally.c"

#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void assert_row(const struct tallies *t, int32_t row, int32_t group,
                       int64_t count, int64_t ns)
{
    assert_true(row < t->n);
    assert_int_equal(t->rows[row].group, group);
    assert_int_equal(t->rows[row].count, count);
    assert_int_equal(t->rows[row].ns, ns);
}

/* Frames of a function at two lines are one name; groups and kinds are counted apart.
 */
static void test_counts(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    case_frame(&c, "loop.py(8): think", 0, 10);
    case_frame(&c, "loop.py(9): think", 20, 10);
    case_frame(&c, "loop.py(8): act", 40, 10);
    case_open(&c, NULL);
    event_id think = case_find(&c, "loop.py(8): think", 0),
             later = case_find(&c, "loop.py(9): think", 0),
             act = case_find(&c, "loop.py(8): act", 0);
    struct arena tmp = c.tmp;
    struct tallies t = tallies_make(&tmp, &c.store);
    assert_int_equal(tally_name_key(&t, think), tally_name_key(&t, later));
    assert_int_not_equal(tally_name_key(&t, think), tally_name_key(&t, act));
    tally_leaf(&t, 0, think, 1);
    tally_leaf(&t, 0, later, 2);
    tally_leaf(&t, 1, think, 4);
    tally_leaf(&t, 0, think, 8);
    tally_leaf(&t, 0, -1, 16);
    tally_add(&t, (struct tally){.group = 0, .kind = TALLY_SYNC, .example = think}, 32);
    struct tally where = {.group = 0, .kind = TALLY_WHERE, .name = S("Adam")};
    tally_add(&t, where, 64);
    where.example = act; /* no part of what it is counted by */
    tally_add(&t, where, 128);
    assert_int_equal(t.n, 5);
    assert_row(&t, 0, 0, 3, 11);
    assert_int_equal(t.rows[0].example, think);
    assert_row(&t, 1, 1, 1, 4);
    assert_row(&t, 2, 0, 1, 16);
    assert_int_equal(t.rows[2].example, -1);
    assert_row(&t, 3, 0, 1, 32);
    assert_row(&t, 4, 0, 2, 192);
    assert_int_equal(tally_more(&t, where, 256), 4); /* time of what is counted */
    assert_row(&t, 4, 0, 2, 448);
    case_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_counts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
