/* call_cost.h - one call of an operator and its expected cost, as plain values.
 *
 * Two outcomes have no figures: PERF_DROP, the model does not apply (the reference then
 * shows no row at all); PERF_FAIL, the arguments do not fit the model (the row stays,
 * with only its time). */
#ifndef PERF_CALL_COST_H
#define PERF_CALL_COST_H

#include "base/value.h"

/* One call of an operator, as recorded in the trace. */
struct op_call {
    struct str name;
    struct call_args args;     /* extra: of pseudo-operators; "Output type" */
    struct str annotation;     /* innermost step annotation; n == 0: not looked up */
    const struct str *kernels; /* names of the kernels below it, by start time */
    int n_kernels;
    const struct op_call *forward; /* the forward call of the same sequence, or NULL */
    const struct op_call *caller;  /* the operator around it; only for own models */
    bool assume_dense; /* strides are not recorded: every tensor is taken as dense */
};

enum perf_direction { PERF_FORWARD, PERF_BACKWARD };
enum perf_status { PERF_OK, PERF_DROP, PERF_FAIL };
enum perf_kind { PERF_NONE, PERF_BOOL, PERF_INT, PERF_REAL, PERF_TEXT, PERF_TUPLE };

struct perf_param {
    const char *key;
    const char *text; /* as Python prints it: None, True, 12, (1, 2), c10::Half */
    int32_t n;        /* bytes of the text */
    enum perf_kind kind;
};

static inline struct str perf_param_str(const struct perf_param *p)
{
    return (struct str){p->text, p->n};
}

/* Whose figures these are: those of our own models, or only their bytes, stay blank in
 * the reference's tables. */
enum perf_origin { PERF_OF_REFERENCE, PERF_OF_EXTENSION, PERF_OWN_BYTES, PERF_OWN };

struct perf_cost {
    enum perf_status status;
    enum perf_origin origin;
    bool assumed_dense;      /* evaluated with assume_dense */
    double flop;             /* exact up to 2^53 */
    double byte;             /* NaN: not computable */
    struct str compute_spec; /* "matrix_bf16", "vector_fp32", or empty */
    struct perf_param *params;
    int n_params;
};

#endif
