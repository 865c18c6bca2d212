#include "ops/op_cost.c"

#include "analysis/trace_case.h"
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
    struct trace_view v =
        view_build(&perm, arena_first_half(&perm), &s, (struct view_options){0});
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

/* One call of 10 us with a kernel of 8 us, its n-th in the trace. */
static void put_call(struct trace_case *c, int n, const char *name, const char *args)
{
    case_event(c, "cpu_op", name, 1, 100.0 * n, 10, args);
    case_launch(c, "kernel", 100.0 * n + 1, 100.0 * n + 20, 8, n);
}

static const struct op_group *row_named(const struct trace_case *c, const char *name)
{
    const struct op_groups *g = &c->tables.judged;
    for (int32_t i = 0; i < g->n; i++)
        if (str_eq(g->rows[i].first->name, str_of(name)))
            return &g->rows[i];
    return NULL;
}

#define DIMS  "\"Input Dims\":[[1000],[1000]],\"Input type\":[\"float\",\"float\"]"
#define BOOLS "\"Input Dims\":[[1000]],\"Input type\":[\"bool\"]"

static const struct device_spec slow_device = {.memory_gb_per_s = 1};

/* What the reference lacks, ours fill in, and say whose figures they are. 4 bytes of
 * 1000 in, in and out: 12 us at 1 GB/s, 8 us taken. */
static void own_models_fill_in(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    put_call(&c, 1, "aten::maximum", DIMS);
    put_call(&c, 2, "aten::add", DIMS);
    put_call(&c, 3, "aten::mul", DIMS ",\"Input Strides\":[[1],[1]]");
    put_call(&c, 4, "aten::sum", BOOLS);
    put_call(&c, 5, "aten::fill_", BOOLS);
    put_call(&c, 6, "my::operator", DIMS);
    case_open(&c, &slow_device);
    const struct op_group *g = row_named(&c, "aten::maximum");
    assert_int_equal(g->cost->origin, PERF_OWN);
    assert_false(g->has_model);
    assert_true(g->byte == 12000);
    g = row_named(&c, "aten::add");
    assert_int_equal(g->cost->origin, PERF_OWN);
    assert_true(g->has_model && g->cost->assumed_dense && g->byte == 12000);
    g = row_named(&c, "aten::mul");
    assert_int_equal(g->cost->origin, PERF_OF_REFERENCE);
    assert_false(g->cost->assumed_dense);
    g = row_named(&c, "aten::sum"); /* the reference has no width for bool */
    assert_int_equal(g->cost->origin, PERF_OWN_BYTES);
    assert_true(g->byte == 1008 && g->gflop * 1e9 == 1000);
    g = row_named(&c, "aten::fill_"); /* no arithmetic: the bandwidth binds */
    assert_int_equal(g->bound, BOUND_MEMORY);
    assert_true(g->roofline_us == 1 && g->roofline_pct == 12.5);
    assert_null(row_named(&c, "my::operator")->cost);
    case_close(&c);
}

/* A model of an extension makes keys, too. */
static void what_is_kept_is_not_in_scratch(void **state)
{
    (void)state;
    struct arena perm = arena_reserve(1 << 16), scratch;
    struct cost_cache c = {.perm = &perm, .tmp = arena_reserve(1 << 16)};
    char *start = perm.at;
    scratch = c.tmp;
    char *key = str_c(&scratch, S("rows")), *text = str_c(&scratch, S("12"));
    struct perf_param param = {.key = key, .text = text, .n = 2, .kind = PERF_INT};
    const struct perf_cost *kept = keep(
        &c,
        &(struct perf_cost){.compute_spec = S("x"), .params = &param, .n_params = 1});
    scratch = c.tmp;
    memset(arena_take_raw(&scratch, 1, 1, 64), '?', 64);
    assert_string_equal(kept->params[0].key, "rows");
    assert_true(str_eq(perf_param_str(&kept->params[0]), S("12")));
    arena_release(c.tmp.at, &c.tmp);
    arena_release(start, &perm);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(steps_of_many_calls),
                                       cmocka_unit_test(what_is_kept_is_not_in_scratch),
                                       cmocka_unit_test(own_models_fill_in)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
