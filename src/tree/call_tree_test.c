#include "tree/call_tree.c"

#include "store/store_case.h"

#include <stdio.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct arena perm, tmp;
static char *start;

static int setup(void **state)
{
    (void)state;
    perm = arena_reserve((ptrdiff_t)1 << 30);
    tmp = arena_reserve((ptrdiff_t)1 << 30);
    start = perm.at;
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    arena_release(start, &perm);
    return 0;
}

/* Events from "CAT NAME TID TS DUR" lines; c: operator, r: runtime call, p: Python. */
static void make(struct event_store *s, const char *const *lines, int n)
{
    char json[8192] = "[", cat, name[16];
    int tid;
    double ts, dur;
    for (int i = 0; i < n; i++) {
        assert_int_equal(
            sscanf(lines[i], "%c %15s %d %lf %lf", &cat, name, &tid, &ts, &dur), 5);
        snprintf(json + strlen(json), sizeof json - strlen(json),
                 "%s{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"pid\":1,\"tid\":%d,"
                 "\"ts\":%.3f,\"dur\":%.3f}",
                 i ? "," : "",
                 cat == 'c'   ? "cpu_op"
                 : cat == 'p' ? "python_function"
                              : "cuda_runtime",
                 name, tid, ts, dur);
    }
    strcat(json, "]");
    struct err e = {0};
    assert_true(case_store(s, json, 0, &e));
}

/* a holds b, b holds the launch; d follows; thread 2 is apart. */
static void test_nests_by_time_and_thread(void **state)
{
    (void)state;
    const char *const lines[] = {"c a 1 0 10", "c b 1 2 5",  "r launch 1 3 1",
                                 "c d 1 10 2", "c e 2 1 20", "c f 2 4 1"};
    struct event_store s;
    make(&s, lines, 6);
    struct call_tree t = tree_build(&perm, tmp, &s, TREE_OPS);
    const event_id want[] = {-1, 0, 1, -1, -1, 4};
    for (int i = 0; i < 6; i++)
        assert_int_equal(tree_parent(&t, i), want[i]);
    assert_int_equal(t.after[tree_rank(&t, 0)] - tree_rank(&t, 0), 3);
    assert_true(tree_contains(&t, 0, 2));
    assert_false(tree_contains(&t, 1, 3));
    assert_int_equal(tree_operator(&s, &t, 2), 1);
    /* Roots by start over all threads: a at 0, e at 1, d at 10. */
    assert_int_equal(t.n_roots, 3);
    assert_int_equal(t.roots[0], 0);
    assert_int_equal(t.roots[1], 4);
    assert_int_equal(t.roots[2], 3);
    store_close(&s);
}

/* x ends 3 us after its caller b: it crosses and is dropped. y begins 0.5 us before the
 * end of c, inside a: c is taken to have ended, and y belongs to a. */
static void test_crossings(void **state)
{
    (void)state;
    const char *const lines[] = {"c a 1 0 100", "c b 1 10 10", "c x 1 15 8",
                                 "c c 1 30 10", "c y 1 39.5 8"};
    struct event_store s;
    make(&s, lines, 5);
    struct call_tree t = tree_build(&perm, tmp, &s, TREE_OPS);
    assert_int_equal(t.n_dropped, 1);
    assert_int_equal(tree_rank(&t, 2), -1);
    assert_int_equal(tree_parent(&t, 2), -1);
    assert_int_equal(tree_parent(&t, 4), 0);
    store_close(&s);
}

/* Start and length are rounded apart: b ends 2 ns behind the start of c, a 1 ns behind
 * that of d, x 2 ns behind its caller c; y is 3 ns too long for it. */
static void test_rounding(void **state)
{
    (void)state;
    const char *const lines[] = {"c a 1 0 50.001", "c b 1 10 10.002",   "c c 1 20 10",
                                 "r x 1 21 9.002", "c d 1 50 50",       "c e 1 60 10",
                                 "r y 1 62 8.003", "r z 1 99.999 0.001"};
    struct event_store s;
    make(&s, lines, 8);
    struct call_tree t = tree_build(&perm, tmp, &s, TREE_OPS);
    const event_id want[] = {-1, 0, 0, 2, -1, 4, -1, 4};
    for (int i = 0; i < 8; i++)
        assert_int_equal(tree_parent(&t, i), want[i]);
    assert_int_equal(t.n_dropped, 1);
    assert_int_equal(t.n_roots, 2);
    store_close(&s);
}

static void test_frames_only_when_asked(void **state)
{
    (void)state;
    const char *const lines[] = {"p f 1 0 100", "c a 1 10 10", "p g 1 12 5",
                                 "r l 1 13 1"};
    struct event_store s;
    make(&s, lines, 4);
    struct call_tree ops = tree_build(&perm, tmp, &s, TREE_OPS);
    struct call_tree frames = tree_build(&perm, tmp, &s, TREE_FRAMES);
    assert_int_equal(tree_parent(&ops, 3), 1);
    assert_int_equal(tree_rank(&ops, 0), -1);
    assert_int_equal(tree_parent(&frames, 3), 2);
    assert_int_equal(tree_parent(&frames, 1), 0);
    assert_int_equal(frames.n_roots, 1); /* a: the operator that no operator called */
    store_close(&s);
}

/* Zero durations and equal starts, as integer traces have them: file order decides. */
static void test_equal_starts(void **state)
{
    (void)state;
    const char *const lines[] = {"c a 1 5 5", "c b 1 5 5", "r l 1 5 0", "c z 1 5 0"};
    struct event_store s;
    make(&s, lines, 4);
    struct call_tree t = tree_build(&perm, tmp, &s, TREE_OPS);
    assert_int_equal(tree_parent(&t, 1), 0);
    assert_int_equal(tree_parent(&t, 2), 1);
    assert_int_equal(tree_parent(&t, 3), 1); /* l has ended at its start */
    store_close(&s);
}

/* A chain of 300,000 nested calls is an ordinary loop. */
static void test_deep(void **state)
{
    (void)state;
    enum { DEEP = 300000, LINE = 96 };
    char *json = malloc((size_t)DEEP * LINE + 16), *p = json;
    assert_non_null(json);
    *p++ = '[';
    for (int i = 0; i < DEEP; i++)
        p += sprintf(
            p,
            "%s{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"a\",\"pid\":1,\"tid\":1,"
            "\"ts\":%d,\"dur\":%d}",
            i ? "," : "", i, 2 * (DEEP - i));
    strcpy(p, "]");
    struct event_store s;
    struct err e = {0};
    assert_true(case_store(&s, json, 0, &e));
    struct call_tree t = tree_build(&perm, tmp, &s, TREE_OPS);
    assert_int_equal(t.n_order, DEEP);
    assert_int_equal(tree_parent(&t, DEEP - 1), DEEP - 2);
    assert_int_equal(t.after[0], DEEP);
    store_close(&s);
    free(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_nests_by_time_and_thread),
                                       cmocka_unit_test(test_crossings),
                                       cmocka_unit_test(test_rounding),
                                       cmocka_unit_test(test_frames_only_when_asked),
                                       cmocka_unit_test(test_equal_starts),
                                       cmocka_unit_test(test_deep)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
