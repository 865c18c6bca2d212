/* row_args.h - the recorded arguments of a row, and the parameters its model read.
 *
 * Converts shapes, and parameters (Python text), to whole numbers. Arrays live in the
 * given arena. A slot that is not a tensor has rank 0. */
#ifndef ANALYSIS_FACTS_ROW_ARGS_H
#define ANALYSIS_FACTS_ROW_ARGS_H

#include "base/value.h"
#include "ops/op_row.h"

struct event_store;

enum { ROW_RANK_MAX = 12 };

struct row_arg {
    int rank; /* 0: scalar, empty or a list */
    int64_t dim[ROW_RANK_MAX];
    int64_t stride[ROW_RANK_MAX];
    bool has_strides;
    struct str type;     /* as recorded: "c10::BFloat16" */
    struct str concrete; /* "[1, 1]", "True", or empty */
};

struct row_args {
    struct row_arg *at;
    int n;
};

struct row_args row_args_of(struct arena *a, struct call_args recorded);

int64_t row_arg_elements(const struct row_arg *t); /* 0 for rank 0 */

/* fp32, bf16, fp8 ...; any other type name unchanged. */
struct str row_type_word(struct str type);
double row_type_bytes(struct str type); /* of one element; NaN */

/* "(24576,8,64) bf16<sep>(512,) bf16", tensors only; one dimension keeps its comma. */
struct str row_args_text(struct arena *a, const struct row_args *args, const char *sep);

/* "(96,3137,64)x(96,64,3137)", the first two or three tensors. */
struct str row_shapes_text(struct arena *a, const struct row_args *args);

/* A parameter of a model: NaN, the empty text or 0 dimensions if absent. */
double cost_number(const struct perf_cost *c, const char *key); /* True is 1 */
struct str cost_text(const struct perf_cost *c, const char *key);
int cost_dims(const struct perf_cost *c, const char *key, int64_t dims[ROW_RANK_MAX]);

#endif
