/* perf_model.h - the expected cost of an operator: FLOP and bytes from its arguments.
 *
 * Sees operator names, shapes and types, never events or times. A call is borrowed; a
 * cost's texts live in the arena it was made with. */
#ifndef PERF_PERF_MODEL_H
#define PERF_PERF_MODEL_H

#include "perf/call_cost.h"

struct arena;

/* A row of the operator table: one model, its category and its family sheet. */
struct perf_model;

/* The model of an operator by its exact name, or NULL. */
const struct perf_model *perf_model_find(struct str op_name);

/* The model for a call: by name, or for a compiled Triton kernel whose arguments carry
 * what the model needs (perf-model families 3.16). NULL: none. */
const struct perf_model *perf_model_of_call(const struct op_call *call);

struct str perf_model_id(const struct perf_model *m);                /* "aten_mm" */
struct str perf_model_backward_category(const struct perf_model *m); /* or empty */

/* Whether this forward model can replace a missing backward model. */
bool perf_model_has_backward(const struct perf_model *m);

/* Sheet families, in the order of the report: 0 <= family < PERF_FAMILIES. */
#define PERF_FAMILIES 22
struct str perf_family_name(int family);
int perf_model_family(const struct perf_model *m); /* -1: no sheet (Triton) */

/* Evaluate. All of `out` is written; without PERF_OK it has no figures and no params,
 * as in the reference. */
void perf_cost_of(struct arena *perm, const struct perf_model *m,
                  const struct op_call *call, enum perf_direction direction,
                  struct perf_cost *out);

/* The category of an operator: from the table, then names with only a category, Triton
 * and record_param_comms by prefix, the name of its first kernel (may be empty), else
 * "other". */
struct str perf_category(struct str op_name, struct str first_kernel);

#endif
