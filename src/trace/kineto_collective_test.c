#include "trace/kineto_collective.h"

/* What PyTorch's words for a collective become, and that other things are nothing. */
#include "base/arena_case.h"
#include "trace/json_value.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct collective collective_of(const char *json)
{
    struct collective c = no_collective;
    kineto_collective(&a, json_value(&a, str_of(json)), &c);
    return c;
}

static void test_words(void **state)
{
    (void)state;
    struct collective c =
        collective_of("{\"grid\":[24,1,1],\"Collective name\":\"_allgather_base\","
                      "\"In msg nelems\":\"9007199254740993\",\"Out msg nelems\":16,"
                      "\"dtype\":\"BFloat16\",\"Process Group Ranks\":[0, 1],"
                      "\"Group size\":-1,\"Src Rank\":3,\"Global rank stride\":1.5}");
    assert_int_equal(c.kind, COLLECTIVE_ALL_GATHER);
    assert_true(str_eq(c.name, S("_allgather_base")));
    assert_true(c.in_elements == 9007199254740993 && c.out_elements == 16);
    assert_true(str_eq(c.dtype, S("BFloat16")) && str_eq(c.group_ranks, S("(0, 1)")));
    assert_true(c.group_size == -1 && c.source == 3); /* as recorded */
    assert_true(c.stride == NO_ID && c.target == NO_ID && !c.group_name.p);
}

static void test_nothing(void **state)
{
    (void)state;
    static const char *const others[] = {
        "{\"grid\":[24,1,1]}",
        "{}",
        "[1]",
        "7",
        "\"Collective name\"",
        "{\"Collective name\":null,\"In msg nelems\":[4],\"dtype\":null}"};
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
        struct collective c = collective_of(others[k]);
        assert_int_equal(c.kind, COLLECTIVE_UNKNOWN);
        assert_true(!c.name.p && !c.dtype.p && c.in_elements == NO_ID);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_words),
                                       cmocka_unit_test(test_nothing)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
