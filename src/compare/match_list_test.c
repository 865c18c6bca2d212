#include "compare/match_list.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena_case.h"

static void levels_have_words(void **state)
{
    (void)state;
    assert_text(match_level_word(MATCH_PATH), "L0");
    assert_text(match_level_word(MATCH_DIMS), "L3");
    assert_text(match_level_word(MATCH_NAME), "L4");
    assert_text(match_level_word(MATCH_CATEGORY), "L5");
    assert_text(match_level_word(MATCH_ONLY_REFERENCE), "only in reference");
    assert_text(match_level_word(MATCH_ONLY_CANDIDATE), "only in candidate");
}

/* Rows of 10, 30, 30 and 20 ns: the longest first, equals in their order; copies are in
 * no class. */
static void rows_of_a_match_are_by_time(void **state)
{
    struct capture_row rows[] = {{.category = WORK_GEMM},
                                 {.category = WORK_GEMM},
                                 {.category = WORK_NORM, .part = DEVICE_COPY},
                                 {.category = WORK_NORM}};
    const struct row_figures figures[] = {
        {1, 2, 10}, {1, 2, 30}, {1, 2, 30}, {1, 2, 20}};
    struct capture c = {.rows = rows, .n_rows = 4};
    const struct match_side side = {&c, figures, NULL, 0};
    struct match_list l = {0};
    static const int32_t want[] = {1, 2, 3, 0};
    (void)state;
    struct match *m = match_add(&a, &l, MATCH_TYPES);
    assert_int_equal(m->first_row[0], -1);
    for (int k = 0; k < 4; k++)
        match_take(&a, m, 1, &side, k);
    assert_memory_equal(m->rows[1], want, sizeof want);
    assert_int_equal(m->first_row[1], 1);
    assert_int_equal(m->first_row[0], -1);
    assert_int_equal(m->n[1], 4);
    assert_int_equal(m->n_events[1], 8);
    assert_int_equal(m->ns[1], 90);
    assert_int_equal(m->class_ns[1][WORK_GEMM], 40);
    assert_int_equal(m->class_ns[1][WORK_NORM], 20);
    assert_false(match_one_class(m));
    m->class_ns[1][WORK_NORM] = 0;
    assert_true(match_one_class(m));
    m->class_ns[0][WORK_NORM] = 1; /* of the other side */
    assert_false(match_one_class(m));
}

static void work_of_other_kernels_is_recast(void **state)
{
    (void)state;
    for (int level = 0; level < MATCH_LEVELS; level++) {
        struct match m = {.level = (enum match_level)level};
        assert_int_equal(match_is_recast(&m), level == MATCH_TREE ||
                                                  level == MATCH_SEQUENCE ||
                                                  level == MATCH_CATEGORY);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levels_have_words),
        cmocka_unit_test(rows_of_a_match_are_by_time),
        cmocka_unit_test(work_of_other_kernels_is_recast),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
