#include "ops/collective_table.c"

#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void collective(struct trace_case *c, int stream, double at, double us,
                       const char *in, const char *out, const char *more)
{
    char args[400];
    snprintf(args, sizeof args,
             "\"stream\":%d,\"Collective name\":\"allgather\",\"In msg nelems\":%s,"
             "\"Out msg nelems\":%s,\"dtype\":\"BFloat16\",\"Group size\":4,"
             "\"Process Group Name\":\"tp\",\"In split size\":\"[]\","
             "\"Out split size\":\"[]\"%s",
             stream, in, out, more);
    case_event(c, "kernel", "ncclDevKernel_AllGather", stream, at, us, args);
}

#define RANKS ",\"Process Group Ranks\":\"[0, 1, 2, 3]\""

/* Two calls of one size on one stream are a row; what goes in is a quarter of what
 * comes out: 2^20 elements of two bytes are 2 MiB. */
static void calls_of_one_size_are_a_row(void **state)
{
    struct trace_case c;
    (void)state;
    case_begin(&c);
    collective(&c, 7, 0, 10, "262144", "1048576", RANKS);
    collective(&c, 7, 20, 30, "262144", "1048576", RANKS);
    collective(&c, 9, 60, 50, "262144", "1048576", RANKS);
    collective(&c, 7, 120, 5, "1", "4", RANKS);
    collective(&c, 7, 130, 5, "1", "4", ""); /* whose ranks are not recorded */
    case_open(&c, NULL);
    const struct collective_table *t = &c.tables.collectives;
    assert_int_equal(t->n, 3);
    assert_int_equal(t->n_without_facts, 1);
    const struct collective_row *one = &t->rows[1], *other = &t->rows[0];
    assert_int_equal(other->stream, 9); /* the longest first: 50 us against 40 */
    assert_int_equal(one->stream, 7);
    assert_true(one->in_mib == 0.5 && one->out_mib == 2);
    assert_int_equal(one->us.n, 2);
    assert_true(one->us.sum == 40 && one->us.min == 10 && one->us.max == 30);
    static const char *const want[COLLECTIVE_KEYS] = {
        "tp",     "[0, 1, 2, 3]", "allgather", "4", "BFloat16",
        "262144", "1048576",      "[]",        "[]"};
    for (int k = 0; k < COLLECTIVE_KEYS; k++)
        assert_text(one->key[k], want[k]);
    assert_true(t->rows[2].us.sum == 5);
    case_close(&c);
}

static void sizes_are_of_known_types(void **state)
{
    (void)state;
    assert_true(mib_of(1 << 20, S("Float")) == 4);
    assert_true(mib_of(1 << 20, S("Double")) == 8);
    assert_true(mib_of(1 << 20, S("Bool")) == 1);
    assert_true(mib_of(0, S("Half")) == 0);
    assert_true(isnan(mib_of(8, S("Quux"))));
    assert_true(isnan(mib_of(-1, S("Float"))));
    assert_true(isnan(mib_of((1LL << 50) + 1, S("Float"))));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_of_one_size_are_a_row),
        cmocka_unit_test(sizes_are_of_known_types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
