#include "perf/op_names.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* The search needs the order, and a name twice would have one of its rows unseen. */
static void names_ascend(void **state)
{
    (void)state;
    int n = (int)(sizeof names / sizeof *names);
    for (int i = 1; i < n; i++)
        assert_true(str_cmp(str_of(names[i - 1].name), str_of(names[i].name)) < 0);
    for (int i = 0; i < n; i++)
        assert_ptr_equal(op_name_find(str_of(names[i].name)), &names[i]);
}

/* A row has a model or a category, not both, and every model has a name. */
static void rows_say_one_thing(void **state)
{
    (void)state;
    bool seen[PERF_MODELS] = {[MODEL_TRITON] = true};
    for (int i = 0; i < (int)(sizeof names / sizeof *names); i++) {
        assert_true((names[i].model >= 0) == (names[i].category == NULL));
        if (names[i].model >= 0)
            seen[names[i].model] = true;
    }
    for (int i = 0; i < PERF_MODELS; i++)
        assert_true(seen[i]);
}

static void whole_names_only(void **state)
{
    (void)state;
    assert_null(op_name_find(S("aten::m")));
    assert_null(op_name_find(S("aten::mm.out")));
    assert_null(op_name_find(S("")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_ascend),
        cmocka_unit_test(rows_say_one_thing),
        cmocka_unit_test(whole_names_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
