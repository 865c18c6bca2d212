#include "analysis/system/split_load.h"

#include "base/arena_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct collective_row row(const char *kind, const char *in, const char *out,
                                 int n)
{
    struct collective_row r = {.us.n = n};
    r.key[1] = S("[4, 5, 6, 7]");
    r.key[2] = str_of(kind);
    r.key[7] = str_of(in);
    r.key[8] = str_of(out);
    return r;
}

/* Three of four calls send rank 6 most, or get most back from it; other kinds of
 * collectives do not count. */
static void the_rank_with_most_is_told(void **state)
{
    (void)state;
    struct collective_row rows[] = {
        row("all_to_allv", "[10, 10, 70, 10]", "[25, 25, 25, 25]", 2),
        row("all_to_allv", "[20, 20, 20, 20]", "[10, 10, 30, 10]", 1),
        row("all_to_allv", "[40, 20, 20, 20]", "[20, 20, 20, 20]", 1),
        row("all_to_all", "[0, 0, 0, 100]", "[]", 9)};
    struct collective_table t = {rows, 4, 0};
    struct split_load l = split_load_of(a, &t);
    assert_true(l.rank == 6 && l.rank_pct == 75);
    assert_true(l.low == 1.6 && l.high == 2.8);
    assert_true(l.ratio == (2 * 2.8 + 2 + 1.6) / 4);
}

static void no_splits_say_nothing(void **state)
{
    (void)state;
    struct collective_row rows[] = {row("all_to_allv", "[]", "[]", 2),
                                    row("all_to_allv", "[7]", "[x]", 2),
                                    row("all_to_allv", "[0, 0]", "", 2)};
    struct collective_table t = {rows, 3, 0};
    struct split_load l = split_load_of(a, &t);
    assert_true(l.ratio == 0 && l.rank_pct == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_rank_with_most_is_told),
        cmocka_unit_test(no_splits_say_nothing),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
