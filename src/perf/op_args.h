/* op_args.h - reading the arguments of one operator call.
 *
 * A model reads all it needs and checks once: anything missing or of the wrong kind
 * makes the call fail. The failure sticks, and later reads give zero, empty or NULL.
 * "or" readers take a default for absent values and do not fail. Numbers are doubles:
 * dims are whole and far below 2^53; products beyond it round instead of overflowing.
 *  */
#ifndef PERF_OP_ARGS_H
#define PERF_OP_ARGS_H

#include "perf/call_cost.h"

enum { SHAPE_DIMS = 64 }; /* the most dimensions of a tensor */

struct shape {
    int rank;
    double dim[SHAPE_DIMS];
};

struct op_args {
    struct arena *perm;
    const struct op_call *call;
    const struct perf_model *model;
    bool backward;           /* the forward model also gives the backward cost */
    enum perf_status status; /* leaves PERF_OK once, by args_fail or args_drop */
};

bool args_ok(const struct op_args *a);
void args_fail(struct op_args *a);
void args_drop(struct op_args *a);
void args_need(struct op_args *a, bool condition); /* fails unless it holds */

/* Length of an argument list; 0 if the key is absent. */
int args_n_dims(const struct op_args *a);
int args_n_types(const struct op_args *a);

/* Operand i. An absent operand is recorded as [], which is a shape of rank 0. */
struct shape args_shape(struct op_args *a, int i);
struct shape args_shape_rank(struct op_args *a, int i, int rank); /* fails if other */
bool args_has_shape(const struct op_args *a, int i); /* exists and is not [] */
const struct value *args_dims(const struct op_args *a, int i); /* NULL if none */
bool shape_read(const struct value *list, struct shape *s);

/* The same as sizes of at most `max` dimensions, none negative, none above 2^53.
 * Returns how many; -1 for anything else. */
int shape_sizes(const struct value *list, int64_t *sizes, int max);

double shape_at(struct op_args *a, const struct shape *s, int i); /* -1: the last */
double shape_count(const struct shape *s);
double args_dim(struct op_args *a, int i, int j);

struct str args_type(struct op_args *a, int i);
struct str args_type_or(const struct op_args *a, int i, struct str otherwise);
double args_bytes(struct op_args *a, int i); /* of T[i]; NaN: unknown */
double args_bytes_or(const struct op_args *a, int i, double otherwise);

/* NULL if they are assumed: no model computes with them. */
const struct value *args_strides(struct op_args *a, int i);
const struct value *args_strides_if(struct op_args *a, int i); /* no key: NULL */
const struct value *args_strides_or(const struct op_args *a, int i);

struct str args_concrete(struct op_args *a, int i);
struct str args_concrete_or(const struct op_args *a, int i, struct str otherwise);
double args_int(struct op_args *a, int i);
double args_int_or(const struct op_args *a, int i, double otherwise);
double args_real(struct op_args *a, int i);
double args_real_or(const struct op_args *a, int i, double otherwise);
bool args_literal(struct op_args *a, int i); /* truth of a Python literal */
bool args_is_true(struct op_args *a, int i); /* "true" in any case; else false */
struct shape args_int_list(struct op_args *a, int i); /* "[1, 2]" */

/* An entry of the event's other args; NULL if none. */
const struct value *args_extra(const struct op_args *a, const char *key);
double args_extra_int(struct op_args *a, const char *key);
double args_extra_int_or(const struct op_args *a, const char *key, double otherwise);

/* Python's reading of a text. False: it is not one. */
bool python_int(struct str s, double *v);
bool python_real(struct str s, double *v);
bool python_truth(struct str literal, bool *v);
bool python_int_list(struct str s, struct shape *list);

#endif
