/* own_case.h - for tests only: evaluate our own model of a call written as JSON. */
#ifndef PERF_OWN_OWN_CASE_H
#define PERF_OWN_OWN_CASE_H

#include "perf/own/own_model.h"
#include "perf/perf_case.h"

/* The form of perf_case.h, with "caller": a call of the same form. */
static inline void own_case_evaluate(struct perf_case *k, struct perf_case *caller,
                                     const char *json)
{
    case_read(k, json);
    const struct value *around =
        value_get(json_value(&k->arena, str_of(json)), "caller");
    if (around) {
        *caller = (struct perf_case){0};
        caller->call = (struct op_call){.name = value_text(value_get(around, "op")),
                                        .args = {value_get(around, "dims"),
                                                 value_get(around, "types"),
                                                 value_get(around, "strides"),
                                                 value_get(around, "concrete"), NULL}};
        k->call.caller = &caller->call;
    }
    const struct perf_model *m = own_model_of(k->call.name);
    assert_non_null(m);
    perf_cost_of(&k->arena, m, &k->call, PERF_FORWARD, &k->cost);
}

static inline void expect_own(const char *json, double flop, double byte,
                              const char *spec)
{
    struct perf_case k, caller;
    own_case_evaluate(&k, &caller, json);
    assert_int_equal(k.cost.status, PERF_OK);
    assert_true(k.cost.flop == flop);
    assert_true(fabs(k.cost.byte - byte) < 1e-6);
    assert_string_equal(str_c(&k.arena, k.cost.compute_spec), spec);
    case_free(&k);
}

static inline void expect_own_failure(const char *json)
{
    struct perf_case k, caller;
    own_case_evaluate(&k, &caller, json);
    assert_int_equal(k.cost.status, PERF_FAIL);
    case_free(&k);
}

#endif
