#include "perf/op_names.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* A name twice would have one of its rows unseen. */
static void names_stand_once(void **state)
{
    (void)state;
    for (int i = 0; i < ROWS; i++)
        for (int k = 0; k < OP_NAMES_MAX && rows[i].names[k]; k++) {
            assert_ptr_equal(op_names_find(str_of(rows[i].names[k])), &rows[i]);
            for (int j = 0; j < k; j++)
                assert_string_not_equal(rows[i].names[j], rows[i].names[k]);
        }
}

/* A row has a model or a category, not both, and every model has a name. */
static void rows_say_one_thing(void **state)
{
    (void)state;
    bool seen[PERF_MODELS] = {[MODEL_TRITON] = true};
    for (int i = 0; i < ROWS; i++) {
        assert_true((rows[i].model >= 0) == (rows[i].category == NULL));
        if (rows[i].model >= 0)
            seen[rows[i].model] |= rows[i].names[0] != NULL;
    }
    for (int i = 0; i < PERF_MODELS; i++)
        assert_true(seen[i]);
}

static void whole_names_only(void **state)
{
    (void)state;
    assert_null(op_names_find(S("aten::m")));
    assert_null(op_names_find(S("aten::mm.out")));
    assert_null(op_names_find(S("")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_stand_once),
        cmocka_unit_test(rows_say_one_thing),
        cmocka_unit_test(whole_names_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
