/* op_groups.h - calls with the same name and arguments, as one row of a table.
 *
 * There may be as many rows as calls, so a table keeps only which calls are in a row
 * and how long they take: the row is made from them when it is read. Rows of many
 * calls, of which there are few, are made once. All is in the arena of the builder; the
 * calls and the view are lent. */
#ifndef OPS_OP_GROUPS_H
#define OPS_OP_GROUPS_H

#include "ops/op_calls.h"

struct group_place {
    double us; /* of all its calls */
    double cumulative_pct;
    int32_t at, n;                   /* its calls: members[at], ... */
    const struct op_group_row *made; /* NULL: when it is read */
};

struct op_groups {
    struct group_place *places; /* by time, longest first, then by UID */
    struct op_group *rows;      /* the same, if groups_fold made them */
    int32_t n;
    int32_t *members;
    int32_t n_unlinked; /* rows of kernels without a launch call */
    double unlinked_us; /* their time */
    double linked_frac; /* share of all time that is not theirs; NaN without any */
    double total_us;
    struct op_calls calls; /* what members count; its rows are lent */
    const struct trace_view *view;
    const struct device_spec *device;
};

enum group_by {
    BY_ARGUMENTS, /* name, category, lane, dims, types, strides, concrete inputs */
    BY_PARAMETERS /* name and model parameters; every row has a cost */
};

/* `device` may be NULL: no roofline. */
struct op_groups groups_build(struct arena *perm, struct arena tmp,
                              const struct trace_view *v, const struct op_calls *calls,
                              enum group_by by, const struct device_spec *device);

/* For whoever reads rows in any order: `rows` are set. Of more than `room` rows, the
 * longest stay, and the others of an operator are one row (of a category, if there are
 * more than `room` operators, too). `row_of`: by row of `all`, the row that it is in;
 * NULL if nothing was folded. */
struct op_groups groups_fold(struct arena *perm, struct arena tmp,
                             const struct op_groups *all, int32_t room,
                             const int32_t **row_of);

/* A row by its place, in `a` unless it is made already. For any thread. */
const struct op_group_row *groups_row(struct arena *a, const struct op_groups *gs,
                                      int32_t row);

/* Of a row: its first call, its share of all time, and the cost that it is judged by,
 * or NULL. */
const struct op_call_row *groups_first(const struct op_groups *gs, int32_t row);
double groups_share_pct(const struct op_groups *gs, int32_t row);
const struct perf_cost *groups_cost(const struct op_groups *gs, int32_t row);

/* The arguments of a row as they were recorded. */
struct args_text groups_texts(const struct op_groups *gs, int32_t row);

/* Rates of one evaluated call over a busy time. */
struct call_rates {
    double tb_per_s, tflop_per_s, roofline_pct; /* NaN: unknown */
};
struct call_rates call_rates_of(const struct perf_cost *cost, int64_t busy_ns,
                                const struct roofline *roof);

#endif
