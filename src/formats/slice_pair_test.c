#include "formats/slice_pair.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* "A" to "H" begin, "." ends; each with a time and a track. */
struct step {
    char what;
    int64_t at_ns;
    int32_t track;
};

static void pair(const struct step *steps, int n, int64_t *end_ns)
{
    struct slice_marks m = {0};
    for (int i = 0; i < n; i++)
        marks_add(&m,
                  (struct slice_mark){steps[i].at_ns, steps[i].track,
                                      steps[i].what == '.' ? -1 : steps[i].what - 'A'});
    marks_pair(&m, 2, end_ns);
    marks_close(&m);
}

#define PAIR(...)                                                                      \
    const struct step steps[] = {__VA_ARGS__};                                         \
    int64_t end[8] = {0};                                                              \
    pair(steps, sizeof steps / sizeof *steps, end)

static void in_order_of_time(void **state)
{
    (void)state;
    PAIR({'A', 0, 0}, {'B', 1, 0}, {'C', 1, 1}, {'.', 2, 0}, {'.', 9, 0}, {'D', 9, 0},
         {'.', 9, 0}, {'.', 5, 1}, {'E', 10, 0});
    assert_int_equal(end[0], 9);
    assert_int_equal(end[1], 2);
    assert_int_equal(end[2], 5);
    assert_int_equal(end[3], 9);
    assert_true(end[4] == SLICE_OPEN);
}

/* All begins of a group before all its ends: one that begins where another ends is not
 * inside it, as a viewer would have it. */
static void in_groups(void **state)
{
    (void)state;
    PAIR({'A', 0, 0}, {'B', 10, 0}, {'C', 1, 1}, {'D', 30, 0}, {'.', 10, 0},
         {'.', 20, 0}, {'.', 4, 1}, {'.', 31, 0}, {'E', 2, 0}, {'F', 12, 0},
         {'.', 3, 0}, {'.', 13, 0});
    static const int64_t want[] = {10, 20, 4, 31, 3, 13};
    for (int i = 0; i < 6; i++)
        assert_int_equal(end[i], want[i]);
}

/* A caller is written before what it calls, so its end comes first. */
static void groups_nest(void **state)
{
    (void)state;
    PAIR({'A', 0, 0}, {'B', 2, 0}, {'C', 4, 0}, {'.', 10, 0}, {'.', 4, 0}, {'.', 8, 0});
    static const int64_t want[] = {10, 4, 8};
    for (int i = 0; i < 3; i++)
        assert_int_equal(end[i], want[i]);
}

static void in_no_order(void **state)
{
    (void)state;
    PAIR({'B', 2, 0}, {'.', 10, 0}, {'.', 4, 0}, {'A', 0, 0}, {'.', 20, 0});
    assert_int_equal(end[0], 10);
    assert_int_equal(end[1], 4);
}

static void ends_of_nothing(void **state)
{
    (void)state;
    PAIR({'.', 1, 0}, {'.', 2, 1}, {'.', 0, 0});
    assert_int_equal(end[0], 0);
    marks_pair(&(struct slice_marks){0}, 0, end);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_order_of_time), cmocka_unit_test(in_groups),
        cmocka_unit_test(groups_nest), cmocka_unit_test(in_no_order),
        cmocka_unit_test(ends_of_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
