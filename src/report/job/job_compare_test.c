#include "job_compare.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct arena perm;

static int set_up(void **state)
{
    (void)state;
    perm = arena_reserve(1 << 24);
    return 0;
}

enum { MS = 1000000 };

static struct outline_rank ranks[2][3] = {
    {{.rank = 0, .blame_ns = 2 * MS},
     {.rank = 1, .blame_ns = 40 * MS, .is_named = true, .cause = S_INIT("compute")},
     {.rank = 2, .blame_ns = 20 * MS, .is_named = true, .cause = S_INIT("mixed")}},
    {{.rank = 0, .blame_ns = 60 * MS, .is_named = true, .cause = S_INIT("copy")},
     {.rank = 1, .blame_ns = 44 * MS, .is_named = true, .cause = S_INIT("compute")},
     {.rank = 3, .blame_ns = 1 * MS}}};

/* Ten steps of 10 ms and of 20 ms. */
static struct job_outline made(int side)
{
    int64_t run_ns = side ? 200 * MS : 100 * MS;
    struct job_outline o = {.label = side ? S("new") : S("old"),
                            .n_ranks = 3,
                            .n_expected = 3,
                            .n_nodes = 1,
                            .n_steps = 10,
                            .n_instances = 40,
                            .run_ns = run_ns,
                            .step_ns = run_ns / 10,
                            .replayed_ns = run_ns,
                            .ideal_ns = 90 * MS,
                            .ranks = ranks[side],
                            .n_listed = 3};
    for (int p = 0; p < JOB_PARTS; p++)
        o.parts[p] = (struct job_spread){1, 2, 3, 3 * run_ns / JOB_PARTS};
    o.late_ns[SEGMENT_COMPUTE] = side ? 10 * MS : 30 * MS;
    o.late_ns[SEGMENT_IDLE] = side ? 50 * MS : 5 * MS;
    o.cause_ns[3] = side ? 45 * MS : 0;
    o.cause_ns[4] = 100; /* too short for a row */
    return o;
}

static int64_t at(const struct report_table *t, ptrdiff_t row, ptrdiff_t column)
{
    assert_int_equal(table_cell(t, row, column)->kind, CELL_INT);
    return table_cell(t, row, column)->as.i;
}

static void test_a_step_is_a_part_of_the_run(void **state)
{
    (void)state;
    struct job_outline ref = made(0), cand = made(1);
    struct job_comparison c = job_compare(&perm, &ref, &cand);
    const struct report_table *t = &c.tables[JOB_COMPARE_PARTS];
    int64_t sum_ns[3] = {0};
    for (ptrdiff_t i = 0; i < t->n_rows; i++)
        for (int k = 0; k < 3; k++)
            sum_ns[k] += at(t, i, 1 + k);
    assert_int_equal(sum_ns[0], 10 * MS);
    assert_int_equal(sum_ns[1], 20 * MS);
    assert_int_equal(sum_ns[2], 10 * MS);
    assert_true(str_has(c.verdict[0], S("`new` takes 100.0% longer per step than `old` "
                                        "(20.0 ms against 10.0 ms)")));
    assert_false(str_has(c.verdict[0], S("not judged")));
    assert_true(str_has(c.verdict[3], S("What to do: run tracefolio job on the traces "
                                        "of `new`, which says what delays rank 0")));
    cand.label = S("old"); /* which tells nothing apart */
    c = job_compare(&perm, &ref, &cand);
    assert_true(
        str_starts(c.verdict[0], S("The candidate takes 100.0% longer per step than")));
}

static void test_small_differences_are_not_judged(void **state)
{
    (void)state;
    struct job_outline ref = made(0), cand = made(0);
    cand.step_ns += cand.step_ns / 10;
    struct job_comparison c = job_compare(&perm, &ref, &cand);
    assert_true(str_has(c.verdict[0], S("10.0% longer")));
    assert_true(str_has(c.verdict[0], S("not judged")));
}

static void test_causes_add_up(void **state)
{
    (void)state;
    struct job_outline ref = made(0), cand = made(1);
    struct job_comparison c = job_compare(&perm, &ref, &cand);
    const struct report_table *t = &c.tables[JOB_COMPARE_CAUSES];
    assert_int_equal(t->n_rows, 3); /* computing, a cause, the rest of idle time */
    assert_int_equal(at(t, 0, 3), -2 * MS);
    assert_int_equal(at(t, 1, 2) + at(t, 2, 2), 5 * MS);
    assert_int_equal(at(t, 2, 1), MS / 2);
}

static void test_ranks_are_paired_by_number(void **state)
{
    (void)state;
    static const char *const words[] = {"newly late", "late in both", "no longer late",
                                        ""};
    struct job_outline ref = made(0), cand = made(1);
    struct job_comparison c = job_compare(&perm, &ref, &cand);
    const struct report_table *t = &c.tables[JOB_COMPARE_RANKS];
    assert_int_equal(t->n_rows, 4);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(at(t, i, 0), i);
        assert_true(str_eq(table_cell(t, i, 7)->as.text, str_of(words[i])));
    }
    assert_int_equal(table_cell(t, 2, 2)->kind, CELL_NONE);
    assert_int_equal(table_cell(t, 3, 1)->kind, CELL_NONE);
    assert_true(str_has(c.verdict[2], S("Rank 0 is newly late (copy); rank 1 is late "
                                        "in both (compute); rank 2 is no longer late "
                                        "(mixed)")));
}

static void test_other_work_is_said(void **state)
{
    (void)state;
    struct job_outline ref = made(0), cand = made(1);
    assert_true(job_compare(&perm, &ref, &cand).same_work);
    cand.n_instances = 60;
    struct job_comparison c = job_compare(&perm, &ref, &cand);
    assert_false(c.same_work);
    assert_true(str_has(c.verdict[c.n_verdict - 1], S("different work")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_step_is_a_part_of_the_run),
        cmocka_unit_test(test_small_differences_are_not_judged),
        cmocka_unit_test(test_causes_add_up),
        cmocka_unit_test(test_ranks_are_paired_by_number),
        cmocka_unit_test(test_other_work_is_said),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
