#include "report_steps.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void steps_are_told_apart(void **state)
{
    (void)state;
    struct arena a = arena_reserve(1 << 20);
    char *start = a.at;
    enum { MS = 1000000 };
    static const struct {
        int32_t ms[4];
        int32_t n_steady; /* the first ones */
        const char *says;
    } cases[] = {
        {{87, 87, 87, 2111}, 3, "3 of 4 steps take about 87.00 ms, the other 2.11 s."},
        {{87, 87, 40, 90},
         2,
         "2 of 4 steps take about 87.00 ms, the others 40.00 to 90.00 ms."},
        {{87, 87, 87, 87}, 4, "Each of the four steps takes about 87.00 ms."},
        {{10, 20, 40, 80}, 0, "The four steps take 10.00 to 80.00 ms."}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct trace_step rows[4];
        struct trace_steps t = {
            .rows = rows, .n = 4, .n_steady = cases[k].n_steady, .median_ns = 87 * MS};
        for (int i = 0; i < 4; i++)
            rows[i] = (struct trace_step){.dur_ns = cases[k].ms[i] * (int64_t)MS,
                                          .steady = i < cases[k].n_steady};
        assert_string_equal(str_c(&a, report_steps_apart(&a, &t)), cases[k].says);
    }
    arena_release(start, &a);
}

/* By its mark; without one, by its place from 1. */
static void a_step_left_out_has_its_number(void **state)
{
    (void)state;
    struct arena a = arena_reserve(1 << 20);
    char *start = a.at;
    enum { MS = 1000000 };
    static const struct {
        int32_t ms;
        int64_t number;
        const char *says;
    } cases[] = {{40, -1, "; step 4 is 60% shorter and left out"},
                 {150, 0, "; step 0 is 50% longer and left out"},
                 {150, 101, "; step 101 is 50% longer and left out"},
                 {200, 7, "; step 7 takes 200.0 ms and is left out"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct trace_step rows[4];
        struct trace_steps t = {
            .rows = rows, .n = 4, .n_steady = 3, .median_ns = 100 * MS};
        struct report_steps r;
        for (int i = 0; i < 4; i++)
            rows[i] = (struct trace_step){
                .dur_ns = 100 * MS, .number = cases[k].number, .steady = true};
        rows[3].dur_ns = cases[k].ms * (int64_t)MS;
        rows[3].steady = false;
        int32_t last = find_left_out(&t, &r);
        assert_string_equal(str_c(&a, left_out(&a, &t, &r, last)), cases[k].says);
    }
    arena_release(start, &a);
}

/* Four steady steps of 10 ms: 25 % idle, 10 % communication, 5 % copies. */
static void a_steady_step_has_its_parts(void **state)
{
    (void)state;
    struct arena a = arena_reserve(1 << 20);
    char *start = a.at;
    enum { MS = 1000000 };
    struct op_tables t = {.facts.steps = {.n_steady = 4}};
    struct timeline_data d = {
        .steady = {.n = 4, .total_ns = 40 * MS, .busy_ns = 30 * MS}};
    d.steady.part_ns[BUSY_COMPUTE] = 24 * MS;
    d.steady.part_ns[BUSY_COMM] = 4 * MS;
    d.steady.part_ns[BUSY_COPY] = 2 * MS;
    struct report r = {.over_time = &d};
    report_steps_fill(&(struct report_source){.perm = &a, .t = &t}, &r);
    assert_string_equal(str_c(&a, r.steps.inside),
                        "Per steady step: idle 2.50 ms, 25.0%, exposed communication "
                        "1.00 ms, 10.0%, exposed copies 0.500 ms, 5.0%.");
    assert_true(fabs(r.steps.mean_ms - 10) < 1e-9);
    arena_release(start, &a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_told_apart),
        cmocka_unit_test(a_step_left_out_has_its_number),
        cmocka_unit_test(a_steady_step_has_its_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
