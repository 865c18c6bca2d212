#include "analysis/lua/extension_model.c"

#include "analysis/lua/pattern_host.h"
#include "analysis/trace_case.h"
#include "trace/json_value.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

struct bench {
    struct arena perm;
    char *start;
    struct pattern_host *host;
    const struct cost_override *override;
    struct op_call call;
};

static void bench_open(struct bench *b, const char *text)
{
    struct pattern_source source = {S("x.lua"), str_of(text)};
    struct err e = {0};
    *b = (struct bench){.perm = arena_reserve(64 << 20)};
    b->start = b->perm.at;
    assert_true(pattern_host_open(&b->host, &b->perm, &source, 1, NULL, 0, &e));
    b->override = pattern_host_models(b->host);
}

static void bench_close(struct bench *b)
{
    pattern_host_close(b->host);
    arena_release(b->start, &b->perm);
}

static void bench_call(struct bench *b, const char *name, const char *dims,
                       const char *types, const char *strides, const char *concrete)
{
    b->call = (struct op_call){.name = str_of(name),
                               .args = {json_value(&b->perm, str_of(dims)),
                                        json_value(&b->perm, str_of(types)),
                                        json_value(&b->perm, str_of(strides)),
                                        json_value(&b->perm, str_of(concrete)), NULL}};
}

/* The cost of the call by a user's model; false: none of them takes it. */
static bool cost(struct bench *b, struct perf_cost *c)
{
    const struct perf_model *m = b->override->find(b->override->context, &b->call);
    if (m)
        perf_cost_of(&b->perm, m, &b->call, PERF_FORWARD, c);
    return m != NULL;
}

static struct str shipped(struct arena *a, const char *path)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    char *p = arena_new(a, char, 1 << 16);
    size_t n = fread(p, 1, (1 << 16) - 1, f);
    fclose(f);
    return (struct str){p, (ptrdiff_t)n};
}

/* 8 x 12 x 3137 x 3137 = 944,713,824 elements (3137^2 = 9,840,769; times 96). Half in
 * and half out: 4 bytes an element; with half_to_float 2 + 4. */
static void the_softmax_model_that_ships(void **state)
{
    (void)state;
    struct arena a = arena_reserve(1 << 20);
    char *start = a.at;
    struct bench b;
    struct perf_cost c;
    bench_open(&b, str_c(&a, shipped(&a, "assets/extensions/softmax_model.lua")));
    bench_call(&b, "aten::_softmax", "[[8,12,3137,3137],[],[]]",
               "[\"c10::Half\",\"Scalar\",\"\"]", "[]", "[\"\",\"-1\",\"False\"]");
    assert_true(cost(&b, &c) && c.status == PERF_OK);
    assert_true(c.flop == 5 * 944713824.0 && c.byte == 4 * 944713824.0);
    assert_string_equal(str_c(&b.perm, c.compute_spec), "vector_fp16");
    assert_int_equal(c.n_params, 2);
    assert_string_equal(c.params[0].key, "elements");
    assert_string_equal(str_c(&b.perm, perf_param_str(&c.params[0])), "944713824");
    assert_string_equal(c.params[1].key, "row");
    bench_call(&b, "aten::_softmax", "[[2,3]]", "[\"c10::Half\"]", "[]",
               "[\"\",\"-1\",\"True\"]");
    assert_true(cost(&b, &c) && c.byte == 6 * (2 + 4));
    bench_call(&b, "aten::softmax", "[[2,3]]", "[\"c10::Half\"]", "[]", "[]");
    assert_false(cost(&b, &c));
    bench_close(&b);
    arena_release(start, &a);
}

#define MODEL(op, more) "model { op = '" op "', category = 'other', " more "}\n"

/* No shapes, no types: NaN, and the row stays without figures. */
static void what_is_missing_is_no_figure(void **state)
{
    (void)state;
    static const char *const dims[] = {"[]",      "null",   "[[]]", "[[[1]]]",
                                       "[\"x\"]", "[null]", "{}"};
    struct bench b;
    struct perf_cost c;
    bench_open(&b,
               MODEL("op", "cost = function(c) return {flop = dim(c, 1, 1) * "
                           "dim(c, 1, -1), byte = numel(c, 2) * element_bytes(c, 1), "
                           "params = {r = rank(c, 1)}} end"));
    for (size_t i = 0; i < sizeof dims / sizeof *dims; i++) {
        bench_call(&b, "op", dims[i], "[]", "[]", "[]");
        assert_true(cost(&b, &c));
        assert_int_equal(c.status, PERF_FAIL);
    }
    bench_call(&b, "op", "[[3,4]]", "[]", "[]",
               "[]"); /* bytes alone unknown: no failure */
    assert_true(cost(&b, &c) && c.status == PERF_OK && c.flop == 12 && isnan(c.byte));
    assert_int_equal(pattern_host_faults(b.host), 0);
    bench_close(&b);
}

/* Of every call that a model is asked for, those are counted that it has figures for.
 */
static void calls_with_figures_are_counted(void **state)
{
    (void)state;
    struct bench b;
    struct perf_cost c;
    bench_open(
        &b,
        MODEL("op", "cost = function(c) if rank(c, 1) == 2 then return {flop = "
                    "numel(c, 1), byte = 1} end end")
            MODEL("bad",
                  "cost = function(c) error('no') end") "category {match = '^mylib::', "
                                                        "category = 'norm'}\n");
    bench_call(&b, "op", "[[2,3]]", "[]", "[]", "[]");
    assert_true(cost(&b, &c) && c.status == PERF_OK);
    bench_call(&b, "op", "[[4,5]]", "[]", "[]", "[]");
    assert_true(cost(&b, &c) && c.status == PERF_OK);
    bench_call(&b, "op", "[[2]]", "[]", "[]", "[]"); /* nil */
    assert_true(cost(&b, &c) && c.status == PERF_FAIL);
    bench_call(&b, "op", "[[2,null]]", "[]", "[]", "[]"); /* NaN */
    assert_true(cost(&b, &c) && c.status == PERF_FAIL);
    bench_call(&b, "bad", "[]", "[]", "[]", "[]");
    assert_true(cost(&b, &c) && c.status == PERF_FAIL);
    assert_int_equal(pattern_host_operators(b.host), 3);
    struct operator_info op = pattern_host_operator(b.host, 0),
                         bad = pattern_host_operator(b.host, 1),
                         norm = pattern_host_operator(b.host, 2);
    assert_true(str_eq(op.op, S("op")) && str_eq(op.category, S("other")));
    assert_true(str_eq(op.file, S("x.lua")) && op.has_model && !op.failed);
    assert_int_equal(op.calls, 2);
    assert_true(bad.has_model && bad.failed && bad.calls == 0);
    assert_true(str_eq(norm.op, S("^mylib::")) && str_eq(norm.category, S("norm")));
    assert_true(!norm.has_model && !norm.failed && norm.calls == 0);
    bench_close(&b);
}

static void functions_of_a_call(void **state)
{
    (void)state;
    struct bench b;
    struct perf_cost c;
    bench_open(
        &b,
        MODEL("op",
              "cost = function(c)\n"
              "assert(rank(c, 1) == 2 and numel(c, 1) == 6 and c.name == 'op')\n"
              "assert(dtype(c, 1) == 'c10::BFloat16' and element_bytes(c, 1) == 2)\n"
              "assert(precision(c, 1) == 'bf16' and dtype(c, 9) == '')\n"
              "assert(contiguous(c, 1) and not contiguous(c, 2))\n"
              "assert(not contiguous(c, 3))\n"
              "assert(concrete_number(c, 2) == 1e-5 and concrete_true(c, 3))\n"
              "assert(not known(concrete_number(c, 1)) and #c.kernels == 0)\n"
              "return {flop = 0, byte = 1} end"));
    bench_call(&b, "op", "[[2,3],[2,3],[4]]", "[\"c10::BFloat16\",\"float\"]",
               "[[3,1],[1,2]]", "[\"\",\"1e-05\",\"True\"]");
    assert_true(cost(&b, &c));
    assert_int_equal(pattern_host_faults(b.host), 0);
    assert_int_equal(c.status, PERF_OK);
    bench_close(&b);
}

/* Lists count as all their tensors; their type is that of the kernels. */
static void functions_of_lists(void **state)
{
    (void)state;
    struct bench b;
    struct perf_cost c;
    struct str kernels[] = {S("CatArrayBatchedCopy<at::native::OpaqueType<2u>, int>")};
    bench_open(&b,
               MODEL("op",
                     "cost = function(c)\n"
                     "assert(tensors(c, 1) == 2 and numel(c, 1) == 16)\n"
                     "assert(element_bytes(c, 1) == 2 and not known(rank(c, 1)))\n"
                     "assert(dtype(c, 2) == 'float' and element_bytes(c, 2) == 4)\n"
                     "assert(tensors(c, 3) == 1 and numel(c, 3) == 7)\n"
                     "assert(not known(tensors(c, 9)) and numel(c, 4) == 1)\n"
                     "return {flop = 0, byte = 2 * numel(c, 1) * element_bytes(c, 1)} "
                     "end"));
    bench_call(&b, "op", "[[[2,3],[2,5]],[[4]],[7],[]]",
               "[\"TensorList\",[\"float\"],\"float\",\"Scalar\"]", "[]", "[]");
    b.call.kernels = kernels;
    b.call.n_kernels = 1;
    assert_true(cost(&b, &c));
    if (pattern_host_faults(b.host))
        fail_msg("%s", str_c(&b.perm, pattern_host_fault(b.host, 0)));
    assert_true(c.status == PERF_OK && c.flop == 0 && c.byte == 64);
    bench_close(&b);
}

static void a_model_that_fails_is_named_once(void **state)
{
    (void)state;
    static const char *const bad[][2] = {
        {"cost = function(c) error('no') end", "x.lua:1: no"},
        {"cost = function(c) return 5 end", "cost must return a table"},
        {"cost = function(c) return {flop = 'x'} end", "flop must be a number"},
        {"cost = function(c) return {flop = -1} end", "flop is negative"},
        {"cost = function(c) return {flop = 1, precision = 'B F'} end",
         "a word such as"},
        {"cost = function(c) return {flop = 1, precision = {}} end", "string expected"},
        {"cost = function(c) return {flop = 1, params = {1}} end", "must have names"},
        {"cost = function(c) return {flop = 1, params = {x = {}}} end",
         "params.x is a table"},
        {"cost = function(c) return {flops = 1, bytes = 2} end",
         "cost has the key bytes; those known are flop, byte, precision and params"},
        {"cost = function(c) while true do end end", "stopped"},
        {"when = function(c) error('no') end, cost = known", "x.lua:1: no"},
        {"cost = function(c) local p = {} for i = 1, 40 do p['k' .. i] = i end "
         "return {flop = 1, params = p} end",
         "more than 32 params"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct bench b;
        struct perf_cost c;
        char text[400];
        snprintf(text, sizeof text,
                 "model {op = 'op', category = 'other', %s}\n" MODEL(
                     "good", "cost = function() return {flop = 7, byte = 7} end"),
                 bad[i][0]);
        bench_open(&b, text);
        for (int again = 0; again < 2; again++) {
            bench_call(&b, "op", "[]", "[]", "[]", "[]");
            assert_true(cost(&b, &c) && c.status == PERF_FAIL);
        }
        bench_call(&b, "good", "[]", "[]", "[]", "[]");
        assert_true(cost(&b, &c) && c.status == PERF_OK && c.flop == 7);
        assert_int_equal(pattern_host_faults(b.host), 1);
        const char *why = str_c(&b.perm, pattern_host_fault(b.host, 0));
        if (!strstr(why, bad[i][1]) || !strstr(why, "model op of x.lua failed"))
            fail_msg("%s: %s", bad[i][1], why);
        bench_close(&b);
    }
}

static void the_last_that_applies_is_taken(void **state)
{
    (void)state;
    struct bench b;
    struct perf_cost c;
    bench_open(
        &b,
        MODEL(
            "op",
            "cost = function() return {flop = 1} end") "model {match = '^o', category "
                                                       "= 'other', when = function(c) "
                                                       "return rank(c, 1) "
                                                       "== 2 end, cost = function() "
                                                       "return {flop = 2} end}\n");
    bench_call(&b, "op", "[[1,1]]", "[]", "[]", "[]");
    assert_true(cost(&b, &c) && c.flop == 2);
    bench_call(&b, "op", "[[1]]", "[]", "[]", "[]");
    assert_true(cost(&b, &c) && c.flop == 1);
    bench_call(&b, "other", "[[1]]", "[]", "[]", "[]");
    assert_false(cost(&b, &c));
    bench_close(&b);
}

/* Through the cost cache: a user's model comes before the built-in one, and only there.
 */
static void the_cache_asks_it_first(void **state)
{
    (void)state;
    struct trace_case t;
    struct bench b;
    struct cost_cache costs;
    const char args[] =
        "\"Input Dims\":[[2,3],[3,4]],\"Input type\":[\"float\",\"float\"],"
        "\"Input Strides\":[[3,1],[4,1]],\"Concrete Inputs\":[\"\",\"\"]";
    case_begin(&t);
    case_event(&t, "cpu_op", "aten::mm", 1, 0, 10, args);
    case_event(&t, "cpu_op", "aten::bmm", 1, 20, 10,
               "\"Input Dims\":[[1,2,3],[1,3,4]],\"Input type\":[\"float\",\"float\"],"
               "\"Input Strides\":[[6,3,1],[12,4,1]],\"Concrete Inputs\":[\"\",\"\"]");
    case_open(&t, NULL);
    bench_open(&b,
               MODEL("aten::mm", "cost = function() return {flop = 7, byte = 8} end"));
    cost_cache_open(&costs, &b.perm, &t.view);
    costs.override = b.override;
    event_id mm = case_find(&t, "aten::mm", 0), bmm = case_find(&t, "aten::bmm", 0);
    assert_true(cost_of(&costs, mm, PERF_FORWARD, NULL, 0)->flop == 7);
    assert_true(cost_of(&costs, bmm, PERF_FORWARD, NULL, 0)->flop == 48); /* 2x2x3x4 */
    cost_cache_close(&costs);
    cost_cache_open(&costs, &b.perm, &t.view);
    assert_true(cost_of(&costs, mm, PERF_FORWARD, NULL, 0)->flop == 48);
    cost_cache_close(&costs);
    bench_close(&b);
    case_close(&t);
}

static void no_models_no_hook(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, "");
    assert_null(b.override);
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_softmax_model_that_ships),
        cmocka_unit_test(what_is_missing_is_no_figure),
        cmocka_unit_test(calls_with_figures_are_counted),
        cmocka_unit_test(functions_of_a_call),
        cmocka_unit_test(functions_of_lists),
        cmocka_unit_test(a_model_that_fails_is_named_once),
        cmocka_unit_test(the_last_that_applies_is_taken),
        cmocka_unit_test(the_cache_asks_it_first),
        cmocka_unit_test(no_models_no_hook),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
