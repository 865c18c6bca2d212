#include "report/job/job_pairs.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const int32_t members[] = {4, 6};

static struct job_signature split(const char *text)
{
    return (struct job_signature){.dtype = S("BFloat16"), .in_split = str_of(text)};
}

static void bytes_of_pairs_are_summed_up(void **state)
{
    struct arena a = arena_reserve(1 << 20);
    struct job_group g = {.ranks = members, .n_ranks = 2, .size = 2};
    struct job j = {.groups = &g, .n_groups = 1};
    struct job_pairs p = {.j = &j};
    struct job_signature one = split("[10, 20]"), other = split("[1, 2]");
    (void)state;
    assert_true(job_pairs_add(&a, &p, 6, &one));
    assert_true(job_pairs_add(&a, &p, 4, &other));
    assert_true(job_pairs_add(&a, &p, 6, &one));
    job_pairs_sort(&p);
    assert_int_equal(p.n, 4);
    assert_int_equal(p.all[0].from, 4);
    assert_int_equal(p.all[0].to, 4);
    assert_int_equal(p.all[3].from, 6);
    assert_int_equal(p.all[3].to, 6);
    assert_int_equal((int)p.all[1].bytes, 4);
    assert_int_equal((int)p.all[3].bytes, 80);
    assert_int_equal((int)p.all[3].n, 2);
}

static void ranks_of_a_node_are_one_unit(void **state)
{
    struct arena a = arena_reserve(1 << 20);
    static const int32_t node[] = {0, 0, 0, 0, 1, 1}; /* rank 6 is of none */
    struct job_group g = {.ranks = members, .n_ranks = 2, .size = 2};
    struct job j = {.groups = &g, .n_groups = 1};
    struct job_pairs p = {.j = &j, .unit = node, .n_units = 6};
    struct job_signature one = split("[10, 20]");
    (void)state;
    assert_true(job_pairs_add(&a, &p, 4, &one));
    assert_int_equal(p.n, 1);
    assert_int_equal(p.all[0].from, 1);
    assert_int_equal(p.all[0].to, 1);
    assert_int_equal((int)p.all[0].bytes, 20);
}

static void what_is_no_whole_split_tells_nothing(void **state)
{
    static const char *const texts[] = {
        "", "[]", "[1]", "[1, 2, 3]", "[1, ..., 3]", "[1, 2", "[1, x]", "[1,, 2]"};
    struct arena a = arena_reserve(1 << 20);
    struct job_group g = {.ranks = members, .n_ranks = 2, .size = 2};
    struct job j = {.groups = &g, .n_groups = 1};
    struct job_pairs p = {.j = &j};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct job_signature s = split(texts[i]);
        assert_false(job_pairs_add(&a, &p, 4, &s));
    }
    assert_int_equal(p.n, 0);
}

/* Places in a group are ranks only if the group is of all ranks. */
static void members_that_are_not_recorded_are_not_guessed(void **state)
{
    struct arena a = arena_reserve(1 << 20);
    struct job_group g = {.size = 2};
    struct job_rank ranks[] = {{.rank = 0}, {.rank = 3}};
    struct job j = {
        .groups = &g, .n_groups = 1, .ranks = ranks, .n_ranks = 2, .n_expected = 4};
    struct job_pairs p = {.j = &j};
    struct job_signature one = split("[10, 20]");
    (void)state;
    assert_false(job_pairs_add(&a, &p, 3, &one));
    assert_int_equal(p.n, 0);
    j.n_expected = 2; /* as many are there, but others */
    assert_false(job_pairs_add(&a, &p, 3, &one));
    ranks[1].rank = 1;
    assert_true(job_pairs_add(&a, &p, 1, &one));
    assert_int_equal(p.n, 2);
    assert_int_equal(p.all[0].to, 0);
    assert_int_equal(p.all[1].to, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_of_pairs_are_summed_up),
        cmocka_unit_test(ranks_of_a_node_are_one_unit),
        cmocka_unit_test(what_is_no_whole_split_tells_nothing),
        cmocka_unit_test(members_that_are_not_recorded_are_not_guessed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
