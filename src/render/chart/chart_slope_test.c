#include "chart_slope.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/near_case.h"

static const struct chart_area area = {0, 100, 50, 80};

/* From the ends of lines to labels a row apart, of which none is below the area. */
static void are_put(int n, const double *to, const double *want)
{
    struct slope list[ROWS_MAX] = {{0}};
    for (int i = 0; i < n; i++)
        list[i].to = to[i];
    part_words(list, n, area);
    for (int i = 0; i < n; i++)
        assert_near(list[i].words, want[i], 1e-9);
}

static void labels_keep_apart(void **state)
{
    (void)state;
    are_put(3, (double[]){110, 130, 170}, (double[]){110, 130, 170});
    are_put(3, (double[]){110, 112, 114}, (double[]){110, 126, 142});
    are_put(3, (double[]){178, 179, 180}, (double[]){148, 164, 180});
    are_put(3, (double[]){120, 175, 180}, (double[]){120, 164, 180});
}

/* From the top by their right ends; marks without both values have no line. */
static void lines_are_in_order_of_their_ends(void **state)
{
    (void)state;
    struct figure_mark marks[] = {{.low = 1, .high = 10},
                                  {.low = 1, .high = 0},
                                  {.low = 2, .high = 100},
                                  {.low = (double)NAN, .high = 3},
                                  {.low = 5, .high = 50}};
    struct report_figure f = {.marks = marks, .n_marks = 5};
    struct chart_scale y = chart_log(1, 100, 6, 180, 100);
    struct slope list[ROWS_MAX];
    assert_int_equal(place(&f, &y, list), 3);
    assert_int_equal(count(&f), 3);
    assert_ptr_equal(list[0].m, &marks[2]);
    assert_ptr_equal(list[1].m, &marks[4]);
    assert_ptr_equal(list[2].m, &marks[0]);
    assert_true(list[0].from < list[2].from); /* 2 is above 1 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels_keep_apart),
        cmocka_unit_test(lines_are_in_order_of_their_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
