/* cost.h - what a model's function is given and fills; the row of the model table.
 *
 * A function of a family reads its operands (op_args.h), names its parameters and sets
 * FLOP, bytes and precision. It may return at any time after a failure: the figures of
 * a failed call are not looked at. NaN bytes: not computable, which is no failure. */
#ifndef PERF_COST_H
#define PERF_COST_H

#include "perf/model_key.h"
#include "perf/op_args.h"
#include "perf/param_list.h"

struct cost {
    struct param_list params;
    double flop, byte;
    struct str precision; /* "bf16", ... or empty; the unit is the model's */
};

enum perf_unit { UNIT_NONE, UNIT_MATRIX, UNIT_VECTOR };

struct perf_model {
    const char *id, *category, *backward_category; /* the last may be NULL */
    int family;                                    /* -1: no sheet */
    enum perf_unit unit;
    bool backward; /* also computes the cost of its backward */
    enum model_key key;
    void (*cost)(struct op_args *a, struct cost *c);
};

#endif
