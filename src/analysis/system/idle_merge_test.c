#include "idle_merge.c"

#include "base/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct idle_span at(int64_t start_ns)
{
    return (struct idle_span){.start_ns = start_ns, .end_ns = start_ns + 5};
}

static void times_add_up_and_spans_stay_in_order(void **state)
{
    (void)state;
    struct arena perm = arena_reserve(1 << 20);
    char *start = perm.at;
    struct idle_span first[] = {at(10), at(40)}, second[] = {at(0), at(20), at(50)};
    struct idle_group x = {.total_ns = 10, .gaps = 2, .max_us = 3, .spans = first},
                      y = {.total_ns = 15, .gaps = 3, .max_us = 4, .spans = second};
    x.n_spans = 2;
    y.n_spans = 3;
    x.pool_ns[POOL_HOST] = 10;
    y.pool_ns[POOL_HOST] = 15;
    y.longest_from_ns = 50;
    const struct idle_group *both = idle_groups_joined(&perm, &x, &y);
    assert_int_equal(both->total_ns, 25);
    assert_int_equal(both->gaps, 5);
    assert_int_equal(both->pool_ns[POOL_HOST], 25);
    assert_int_equal(both->longest_from_ns, 50);
    assert_int_equal(both->n_spans, 5);
    for (int k = 1; k < 5; k++)
        assert_true(both->spans[k].start_ns > both->spans[k - 1].start_ns);
    arena_release(start, &perm);
}

/* Each by its own, and of what is read at once the most, if both know it. */
static void figures_add_up_each_by_its_own(void **state)
{
    (void)state;
    static const size_t places[] = {offsetof(struct idle_group, long_us),
                                    offsetof(struct idle_group, compiled_us),
                                    offsetof(struct idle_group, after_sync_us),
                                    offsetof(struct idle_group, hidden_without_us),
                                    offsetof(struct idle_group, late_us),
                                    offsetof(struct idle_group, stalled_us),
                                    offsetof(struct idle_group, per_step_us),
                                    offsetof(struct idle_group, class_us[IDLE_PYTHON])};
    enum { N = sizeof places / sizeof *places };
    struct arena perm = arena_reserve(1 << 20);
    char *start = perm.at;
    struct idle_group x = {.calls = 1, .results_ns = 2, .results_bytes = 30},
                      y = {.calls = 10, .results_ns = 20, .results_bytes = 40};
    for (int k = 0; k < N; k++) {
        *(double *)(void *)((char *)&x + places[k]) = k + 1;
        *(double *)(void *)((char *)&y + places[k]) = 10 * (k + 1);
    }
    const struct idle_group *both = idle_groups_joined(&perm, &x, &y);
    for (int k = 0; k < N; k++)
        assert_int_equal(
            *(const double *)(const void *)((const char *)both + places[k]),
            11 * (k + 1));
    assert_int_equal(both->calls, 11);
    assert_int_equal(both->results_ns, 22);
    assert_int_equal(both->results_bytes, 40);
    y.results_bytes = -1;
    assert_int_equal(idle_groups_joined(&perm, &x, &y)->results_bytes, -1);
    assert_int_equal(idle_groups_joined(&perm, &y, &x)->results_bytes, -1);
    arena_release(start, &perm);
}

/* What covers the gaps differs, or one begins the recording: most of each is in the
 * same calls. Other places, little of it, other classes and inputs stay apart. */
static void groups_of_one_leaf_are_one(void **state)
{
    (void)state;
    static const struct {
        const char *place;
        double leaf_us;
        enum idle_class class;
        enum idle_pool pool;
        int32_t groups;
    } cases[] = {{"fill.py:3", 6, IDLE_PYTHON, POOL_HOST, 1},
                 {"fill.py:4", 6, IDLE_PYTHON, POOL_HOST, 2},
                 {"fill.py:3", 4, IDLE_PYTHON, POOL_HOST, 2},
                 {"fill.py:3", 6, IDLE_DISPATCH, POOL_HOST, 2},
                 {"fill.py:3", 6, IDLE_PYTHON, POOL_INPUT, 2},
                 {"fill.py:3", 6, IDLE_PYTHON, POOL_START, 2},
                 {"", 6, IDLE_PYTHON, POOL_HOST, 2}};
    struct arena perm = arena_reserve(1 << 20);
    char *start = perm.at;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct idle_group g[2] = {{.class = IDLE_PYTHON, .blame = S("run")},
                                  {.class = cases[k].class, .blame = S("step")}};
        for (int i = 0; i < 2; i++) {
            g[i].leaf = S("fill");
            g[i].total_ns = 10000 + i;
            g[i].leaf_us = i ? cases[k].leaf_us : 7;
            g[i].leaf_place = i ? str_of(cases[k].place) : S("fill.py:3");
            g[i].pool_ns[i ? cases[k].pool : POOL_HOST] = g[i].total_ns;
        }
        struct idle_result r = {.groups = g, .n_groups = 2};
        idle_groups_join_leaves(&perm, &r);
        assert_int_equal((g[0].total_ns > 0) + (g[1].total_ns > 0), cases[k].groups);
        if (cases[k].groups == 1) {
            assert_int_equal(g[0].total_ns, 20001);
            assert_int_equal(g[0].leaf_us, 13);
            assert_true(str_eq(g[0].blame, S("step"))); /* the larger's */
        }
    }
    arena_release(start, &perm);
}

static void only_the_same_action_is_joined(void **state)
{
    (void)state;
    struct arena perm = arena_reserve(1 << 20);
    char *start = perm.at;
    struct idle_group python = {.class = IDLE_PYTHON}, sync = {.class = IDLE_SYNC};
    struct finding list[2] = {{.tier = TIER_SYSTEM, .idle = &sync},
                              {.tier = TIER_SYSTEM, .idle = &python}};
    struct analysis a = {.findings = list, .n_findings = 2};
    struct str title = S("Compile the step: the host launches too slowly");
    finding_title(&perm, &list[0], title, S(""));
    finding_title(&perm, &list[1], title, S(""));
    struct idle_group dispatch = {.class = IDLE_DISPATCH};
    assert_ptr_equal(idle_same_action(&perm, &a, 0, &dispatch, title), &list[1]);
    assert_null(idle_same_action(&perm, &a, 2, &dispatch, title)); /* others' */
    assert_null(idle_same_action(&perm, &a, 0, &dispatch, S("Compile `Net`")));
    assert_null(idle_same_action(&perm, &a, 0, &sync, title)); /* a place of its own */
    list[1].recording = true;                                  /* which saves nothing */
    assert_null(idle_same_action(&perm, &a, 0, &dispatch, title));
    arena_release(start, &perm);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_add_up_and_spans_stay_in_order),
        cmocka_unit_test(figures_add_up_each_by_its_own),
        cmocka_unit_test(groups_of_one_leaf_are_one),
        cmocka_unit_test(only_the_same_action_is_joined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
