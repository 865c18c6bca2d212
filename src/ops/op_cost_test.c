#include "ops/op_cost.c"

#include "base/out.h"
#include "store/store_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <time.h>

enum { STEPS = 40000 };

static void put(struct out *o, const char *cat, const char *name, int step, double at,
                double us)
{
    out_printf(o,
               "{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s%d\",\"pid\":1,"
               "\"tid\":1,\"ts\":%.1f,\"dur\":%.1f},\n",
               cat, name, step, at, us);
}

/* The step of each call is looked up, not looked for: 40,000 of both, where every call
 * went through all steps before it. */
static void steps_of_many_calls(void **state)
{
    (void)state;
    struct event_store s;
    struct err e = {0};
    struct out json;
    out_memory(&json);
    out_lit(&json, "[");
    for (int i = 0; i < STEPS; i++) {
        put(&json, "user_annotation", "step", i, 100.0 * i, 90);
        put(&json, "user_annotation", "inner", i, 100.0 * i + 1, 80);
        put(&json, "cpu_op", "vllm::unified_attention_with_output", i, 100.0 * i + 2,
            i % 2 ? 50 : 95); /* every other one ends after its step */
    }
    out_lit(&json, "{}]");
    out_char(&json, '\0');
    assert_true(case_store(&s, out_view(&json).p, 0, &e));
    out_free(&json);

    struct arena perm = arena_reserve(1 << 26);
    char *start = perm.at;
    struct trace_view v = {.s = &s};
    struct cost_cache c;
    cost_cache_open(&c, &perm, &v);
    clock_t from = clock();
    for (event_id i = 0; i < s.n; i++) {
        int step = i / 3;
        name_id name = i % 3 == 2 ? annotation_of(&c, i) : -1;
        if (i % 3 != 2 || step % 2 == 0)
            assert_int_equal(name, i % 3 == 2 ? -2 : -1);
        else /* the outer of the two that hold it */
            assert_int_equal(name, s.name[i - 2]);
    }
    assert_true(clock() - from < CLOCKS_PER_SEC); /* 0.01 s; it was 7 s */
    cost_cache_close(&c);
    arena_release(start, &perm);
    store_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(steps_of_many_calls)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
