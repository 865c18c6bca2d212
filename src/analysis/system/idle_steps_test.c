#include "idle_steps.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { STEPS = 9, STEP_NS = 1000000 };

/* Nine steps of 1 ms, of which those of a bit of `in` have 0.5 ms, in two
 * spans, and the others of a bit of `little` 0.049 ms. */
static struct idle_steps of(unsigned in, unsigned little)
{
    static char room[4096];
    struct arena tmp = {.at = room, .end = room + sizeof room};
    struct trace_step rows[STEPS];
    struct idle_span spans[2 * STEPS];
    struct trace_steps steps = {.rows = rows, .n = STEPS};
    struct idle_group g = {.spans = spans};
    for (int k = 0; k < STEPS; k++) {
        int64_t at = (int64_t)k * STEP_NS, ns = in >> k & 1 ? 300000 : 49000;
        rows[k] =
            (struct trace_step){.start_ns = at, .dur_ns = STEP_NS, .number = 20 + k};
        if ((in | little) >> k & 1)
            spans[g.n_spans++] =
                (struct idle_span){.start_ns = at + 100, .end_ns = at + 100 + ns};
        if (in >> k & 1)
            spans[g.n_spans++] =
                (struct idle_span){.start_ns = at + 700000, .end_ns = at + 900000};
    }
    return idle_steps_of(tmp, &steps, &g);
}

static void every_step(void **state)
{
    (void)state;
    struct idle_steps s = of(0x1ff, 0);
    assert_int_equal(s.n, STEPS);
    assert_int_equal(s.every, 0); /* no rhythm of its own */
    assert_true(s.each_ms > 0.499 && s.each_ms < 0.501);
}

/* A little of it in other steps does not hide the rhythm. */
static void every_third(void **state)
{
    (void)state;
    struct idle_steps s = of(0x124, 0x0db);
    assert_int_equal(s.n, 3);
    assert_int_equal(s.every, 3);
    assert_int_equal(s.first, 22);
    assert_true(s.each_ms > 0.499 && s.each_ms < 0.501);
}

/* One missing, one beside its place, and two that show no rhythm yet. */
static void irregular(void **state)
{
    (void)state;
    assert_int_equal(of(0x0a8 | 0x1, 0).every, 0);
    assert_int_equal(of(0x092 & ~0x2, 0).every, 0);
    assert_int_equal(of(0x114, 0).every, 0);
    assert_int_equal(of(0x0aa, 0).every, 2);
    assert_int_equal(of(0x154, 0).every, 0); /* nor one in the first two */
    assert_int_equal(of(0x015, 0).every, 0); /* none in the last four */
    assert_int_equal(of(0x010, 0).n, 1);
    assert_int_equal(of(0x010, 0).first, 24);
    assert_int_equal(of(0, 0).n, 0);
}

/* A wait of 0.6 ms in each of four steps, none with two: the second begins 10 us before
 * its step, the third ends 10 us after its own. What lies in no step is of none. */
static void a_wait_is_of_the_step_with_most_of_it(void **state)
{
    (void)state;
    enum { N = 4 };
    static const int64_t later_ns[N] = {0, -10000, 410000, 20000};
    char room[512];
    struct arena tmp = {.at = room, .end = room + sizeof room};
    struct trace_step rows[N];
    struct idle_span spans[N + 1];
    struct trace_steps steps = {.rows = rows, .n = N};
    struct idle_group g = {.spans = spans};
    for (int k = 0; k < N; k++) {
        int64_t at = (int64_t)k * STEP_NS;
        rows[k] = (struct trace_step){.start_ns = at, .dur_ns = STEP_NS, .number = k};
        int64_t from = at + later_ns[k];
        spans[g.n_spans++] =
            (struct idle_span){.start_ns = from, .end_ns = from + 600000};
    }
    spans[g.n_spans++] =
        (struct idle_span){.start_ns = N * STEP_NS + 1, .end_ns = (N + 9) * STEP_NS};
    struct idle_steps s = idle_steps_of(tmp, &steps, &g);
    assert_int_equal(s.n, N);
    assert_true(s.each_ms > 0.599 && s.each_ms < 0.601);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_step), cmocka_unit_test(every_third),
        cmocka_unit_test(irregular),
        cmocka_unit_test(a_wait_is_of_the_step_with_most_of_it)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
