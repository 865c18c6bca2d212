/* perf_case.h - for tests only: evaluate the model of a call written as JSON.
 *
 * {"op": "aten::mm", "dims": [..], "types": [..], "strides": [..], "concrete": [..],
 *  "extra": {..}, "annotation": "..", "kernels": ["..", ..]}; what is left out is
 * absent. */
#ifndef PERF_PERF_CASE_H
#define PERF_PERF_CASE_H

#include "base/arena.h"
#include "perf/perf_model.h"
#include "trace/json_value.h"

#include <math.h>
#include <string.h>

enum { CASE_BYTES = 1 << 22, CASE_KERNELS = 4 };

struct perf_case {
    struct arena arena;
    char *start;
    struct op_call call;
    struct str kernels[CASE_KERNELS];
    struct perf_cost cost;
};

static inline void case_read(struct perf_case *k, const char *json)
{
    *k = (struct perf_case){.arena = arena_reserve(CASE_BYTES)};
    k->start = k->arena.at;
    const struct value *all = json_value(&k->arena, str_of(json));
    assert_int_equal(all->kind, VALUE_MAP);
    k->call =
        (struct op_call){.name = value_text(value_get(all, "op")),
                         .args = {value_get(all, "dims"), value_get(all, "types"),
                                  value_get(all, "strides"), value_get(all, "concrete"),
                                  value_get(all, "extra")},
                         .annotation = value_text(value_get(all, "annotation")),
                         .kernels = k->kernels};
    const struct value *names = value_get(all, "kernels");
    for (int i = 0; i < value_count(names); i++)
        k->kernels[k->call.n_kernels++] = value_text(value_at(names, i));
}

static inline void case_evaluate(struct perf_case *k, enum perf_direction direction)
{
    const struct perf_model *m = perf_model_of_call(&k->call);
    assert_non_null(m);
    perf_cost_of(&k->arena, m, &k->call, direction, &k->cost);
}

static inline void case_free(struct perf_case *k)
{
    arena_release(k->start, &k->arena);
}

/* Compare one evaluation; NaN bytes are written as -1. */
static inline void expect_cost(const char *json, enum perf_direction direction,
                               double flop, double byte, const char *spec)
{
    struct perf_case k;
    case_read(&k, json);
    case_evaluate(&k, direction);
    assert_int_equal(k.cost.status, PERF_OK);
    assert_true(k.cost.flop == flop);
    assert_true(byte < 0 ? isnan(k.cost.byte) : k.cost.byte == byte);
    assert_true(str_eq(k.cost.compute_spec, str_of(spec)));
    case_free(&k);
}

static inline void expect_status(const char *json, enum perf_direction direction,
                                 enum perf_status status)
{
    struct perf_case k;
    case_read(&k, json);
    case_evaluate(&k, direction);
    assert_int_equal(k.cost.status, status);
    assert_int_equal(k.cost.n_params, status == PERF_OK ? k.cost.n_params : 0);
    case_free(&k);
}

/* The parameters as one text, "M=2 N=3"; containers as Python prints them. */
static inline void expect_params(const char *json, const char *want)
{
    struct perf_case k;
    case_read(&k, json);
    case_evaluate(&k, PERF_FORWARD);
    struct str all = {"", 0};
    for (int i = 0; i < k.cost.n_params; i++)
        all = str_printf(&k.arena, "%.*s%s%s=%.*s", STRF(all), i ? " " : "",
                         k.cost.params[i].key, STRF(perf_param_str(&k.cost.params[i])));
    assert_string_equal(str_c(&k.arena, all), want);
    case_free(&k);
}

#endif
