#include "compare/match.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena_case.h"

enum { ROWS = 6 };

static struct capture captures[2];
static struct capture_row rows[2][ROWS];
static struct row_figures figures[2][ROWS];
static struct match_options options;

static int begin(void **state)
{
    (void)state;
    memset(rows, 0, sizeof rows);
    for (int side = 0; side < 2; side++)
        captures[side] = (struct capture){.rows = rows[side]};
    options = (struct match_options){
        MATCH_CATEGORY, S("attention\tsdpa::flash\tsdpa::efficient\n"), false};
    return 0;
}

static struct capture_row *row(int side, const char *name, const char *dims, int64_t ns)
{
    int k = captures[side].n_rows++;
    rows[side][k] = (struct capture_row){.name = str_of(name),
                                         .dims = str_of(dims),
                                         .types = S("('bf16',)"),
                                         .category = WORK_GEMM};
    figures[side][k] = (struct row_figures){2, 3, ns};
    return &rows[side][k];
}

static struct match_list matched(void)
{
    struct arena scratch = arena_reserve(1 << 20), first = scratch;
    struct match_side sides[2];
    for (int side = 0; side < 2; side++)
        sides[side] = (struct match_side){&captures[side], figures[side], NULL, 0};
    struct match_list l = match_rows(&a, scratch, sides, &options);
    arena_release(first.at, &scratch);
    return l;
}

/* The level that two rows meet at. */
static enum match_level level(void)
{
    struct match_list l = matched();
    assert_int_equal(l.n, 1);
    return l.rows[0].level;
}

static void rows_meet_at_the_first_key_they_share(void **state)
{
    (void)state;
    struct capture_row *x = row(0, "aten::mm", "(8,)", 100),
                       *y = row(1, "aten::mm", "(8,)", 120);
    assert_int_equal(level(), MATCH_CALL);
    y->strides = S("((1,),)");
    assert_int_equal(level(), MATCH_TYPES);
    y->types = S("('fp16',)");
    assert_int_equal(level(), MATCH_DIMS);
    y->dims = S("(16,)");
    assert_int_equal(level(), MATCH_NAME);
    y->name = S("aten::bmm");
    assert_int_equal(level(), MATCH_CATEGORY);
    y->category = WORK_OTHER;
    assert_int_equal(matched().n, 2);
    y->name = S("sdpa::efficient");
    x->name = S("sdpa::flash");
    x->types = y->types;
    x->dims = y->dims;
    assert_int_equal(level(), MATCH_EQUIVALENT);
    x->dims = S("(8,)"); /* of other shapes they are not */
    assert_int_equal(matched().n, 2);
}

static void a_part_of_the_device_meets_its_own(void **state)
{
    (void)state;
    row(0, "aten::copy_", "", 100);
    row(1, "aten::copy_", "", 100)->part = DEVICE_COPY;
    struct match_list l = matched();
    assert_int_equal(l.n, 2);
    assert_int_equal(l.rows[0].level, MATCH_ONLY_REFERENCE);
    assert_int_equal(l.rows[1].level, MATCH_ONLY_CANDIDATE);
}

/* The ladder ends where it is told to. */
static void a_level_may_be_the_last(void **state)
{
    (void)state;
    row(0, "aten::mm", "(8,)", 100);
    row(1, "aten::mm", "(16,)", 100);
    options.last = MATCH_DIMS;
    assert_int_equal(matched().n, 2);
    options.last = MATCH_NAME;
    assert_int_equal(level(), MATCH_NAME);
}

/* By category alone from 1 % of either side on. */
static void little_work_is_not_implemented_differently(void **state)
{
    (void)state;
    row(0, "aten::mm", "(8,)", 10);
    row(0, "x", "", 990)->category = WORK_NORM;
    row(1, "y", "(8,)", 500);
    assert_int_equal(matched().n, 2);
    assert_int_equal(matched().rows[0].level, MATCH_CATEGORY);
    figures[0][0].ns = 9;
    assert_int_equal(matched().n, 3);
}

static void names_lose_what_tells_how_they_were_launched(void **state)
{
    (void)state;
    assert_text(plain_name(S("cudaLaunchKernel->gemm")), "gemm");
    assert_text(plain_name(S("hipLaunchKernel->f(x->y)")), "f(x->y)");
    assert_text(plain_name(S("f(Launch)->g")), "f(Launch)->g");
    assert_text(plain_name(S("a->b")), "a->b");
    assert_text(plain_name(S("aten::mm (Synthetic Op)")), "aten::mm");
    assert_text(plain_name(S("triton_a->triton_a (Synthetic Op)")), "triton_a");
}

/* Rows of one key are one match: sums of both, named by the longest of each side; rows
 * without work are in none. */
static void a_match_has_the_sums_of_its_rows(void **state)
{
    (void)state;
    row(0, "aten::mm", "(8,)", 100)->kernel = S("short");
    row(0, "aten::mm", "(8,)", 300)->kernel = S("long");
    row(1, "aten::mm", "(8,)", 120)->kernel = S("own");
    row(1, "aten::mm", "(8,)", 0);
    figures[1][1] = (struct row_figures){0};
    struct match_list l = matched();
    assert_int_equal(l.n, 1);
    const struct match *m = &l.rows[0];
    assert_int_equal(m->n_rows[0], 2);
    assert_int_equal(m->n_rows[1], 1);
    assert_int_equal(m->ns[0], 400);
    assert_int_equal(m->ns[1], 120);
    assert_int_equal(m->n[0], 4);
    assert_int_equal(m->n_events[0], 6);
    assert_int_equal(m->first_row[0], 1);
    assert_text(m->kernel[0], "long");
    assert_text(m->kernel[1], "own");
    assert_int_equal(m->category, WORK_GEMM);
    assert_int_equal(m->class_ns[0][WORK_GEMM], 400);
}

/* If 90% of what graphs replay has the name of something on the other side, names
 * count. */
static void replayed_work_goes_by_name_if_names_suffice(void **state)
{
    struct match_side sides[2];
    struct ladder w = {.perm = &a, .sides = sides, .o = &options};
    (void)state;
    for (int side = 0; side < 2; side++) {
        row(side, "same", "", 90)->replayed = true;
        row(side, side ? "new" : "old", "", 10)->replayed = true;
        row(side, side ? "b" : "a", "", 5000); /* launched one by one */
        sides[side] = (struct match_side){&captures[side], figures[side], NULL, 0};
        w.taken[side] = arena_new(&a, uint8_t, ROWS);
    }
    assert_true(replayed_named_frac(&w, a) == 0.9);
    figures[1][1].ns = 30; /* the less of both sides */
    assert_true(replayed_named_frac(&w, a) == 0.75);
    rows[1][0].replayed = rows[1][1].replayed = false;
    assert_true(replayed_named_frac(&w, a) == 0.9);
}

#define CASE(test) cmocka_unit_test_setup(test, begin)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(rows_meet_at_the_first_key_they_share),
        CASE(a_part_of_the_device_meets_its_own),
        CASE(a_level_may_be_the_last),
        CASE(little_work_is_not_implemented_differently),
        CASE(names_lose_what_tells_how_they_were_launched),
        CASE(a_match_has_the_sums_of_its_rows),
        CASE(replayed_work_goes_by_name_if_names_suffice),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
