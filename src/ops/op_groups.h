/* op_groups.h - calls with the same name and arguments, as one row of a table.
 *
 * Groups are in the arena of the builder; the calls in them are lent. */
#ifndef OPS_OP_GROUPS_H
#define OPS_OP_GROUPS_H

#include "ops/op_calls.h"

struct op_groups {
    struct op_group *rows; /* by time, longest first, then by UID */
    int32_t n;
    int32_t n_unlinked;    /* rows of kernels without a launch call */
    double unlinked_us;    /* their time */
    double linked_frac;    /* share of all time that is not theirs; NaN without any */
    struct op_calls calls; /* what members count; its rows are lent */
};

enum group_by {
    BY_ARGUMENTS, /* name, category, lane, dims, types, strides, concrete inputs */
    BY_PARAMETERS /* name and model parameters; every row has a cost */
};

/* `device` may be NULL: no roofline. */
struct op_groups groups_build(struct arena *perm, struct arena tmp,
                              const struct trace_view *v, const struct op_calls *calls,
                              enum group_by by, const struct device_spec *device);

/* Sets `recorded` of each row, which only those of the report need. */
void groups_keep_texts(struct arena *perm, const struct trace_view *v,
                       struct op_groups *gs);

/* Rates of one evaluated call over a busy time. */
struct call_rates {
    double tb_per_s, tflop_per_s, roofline_pct; /* NaN: unknown */
};
struct call_rates call_rates_of(const struct perf_cost *cost, int64_t busy_ns,
                                const struct roofline *roof);

#endif
