/* perf_model.h - what an operator ought to cost: FLOP and bytes from its arguments.
 *
 * Knows operator names, shapes and types; knows no events and no time. A call is
 * borrowed; a cost's texts live in the arena it was made with.
 *
 * Two ways to have no figures: PERF_DROP, the model says that it does not apply (the
 * reference then shows no row at all); PERF_FAIL, the arguments do not fit the model
 * (the row stays, with its time alone). */
#ifndef PERF_PERF_MODEL_H
#define PERF_PERF_MODEL_H

#include "base/str.h"

struct arena;
struct cJSON;

/* One call of an operator, as the trace records it. Arrays as parsed; NULL: key absent.
 */
struct op_call {
    struct str name;
    const struct cJSON *dims, *types, *strides, *concrete;
    const struct cJSON
        *extra;            /* the event's other args: pseudo-op extras, "Output type" */
    struct str annotation; /* innermost step annotation; n == 0: none was looked for */
    const struct str *kernels; /* names of the kernels below it, by start time */
    int n_kernels;
    const struct op_call *forward; /* the forward call of the same sequence, or NULL */
};

enum perf_direction { PERF_FORWARD, PERF_BACKWARD };
enum perf_status { PERF_OK, PERF_DROP, PERF_FAIL };
enum perf_kind { PERF_NONE, PERF_BOOL, PERF_INT, PERF_REAL, PERF_TEXT, PERF_TUPLE };

struct perf_param {
    const char *key;
    enum perf_kind kind;
    struct str text; /* as Python prints it: None, True, 12, (1, 2), c10::Half */
    struct str repr; /* the same inside a container: texts are quoted */
};

struct perf_cost {
    enum perf_status status;
    double flop;             /* exact up to 2^53 */
    double byte;             /* NaN: not computable */
    struct str compute_spec; /* "matrix_bf16", "vector_fp32", or empty */
    struct perf_param *params;
    int n_params;
};

/* A row of the operator table: one model, its category and its family sheet. */
struct perf_model;

/* The model of an operator by its exact name, or NULL. */
const struct perf_model *perf_model_find(struct str op_name);

/* The model that a call gets: by name, or a compiled Triton kernel whose arguments
 * carry what the model needs (perf-model families 3.16). NULL: none. */
const struct perf_model *perf_model_of_call(const struct op_call *call);

struct str perf_model_id(const struct perf_model *m);                /* "aten_mm" */
struct str perf_model_category(const struct perf_model *m);          /* "CONV_fwd" */
struct str perf_model_backward_category(const struct perf_model *m); /* or empty */

/* Can this forward model stand for a backward op that has none of its own? */
bool perf_model_has_backward(const struct perf_model *m);

/* Sheet families, in the order of the report: 0 <= family < PERF_FAMILIES. */
#define PERF_FAMILIES 22
struct str perf_family_name(int family);
int perf_model_family(const struct perf_model *m); /* -1: no sheet (Triton) */

/* Evaluate. `out` is wholly written; other than with PERF_OK there are no figures and
 * no params, as in the reference. */
void perf_cost_of(struct arena *perm, const struct perf_model *m,
                  const struct op_call *call, enum perf_direction direction,
                  struct perf_cost *out);

/* The category of an operator: the table, names that have a category only, Triton and
 * record_param_comms by prefix, then the name of its first kernel (may be empty), else
 * "other". */
struct str perf_category(struct str op_name, struct str first_kernel);

#endif
