/* kernel_data_flow.h - what one kernel reads, writes and computes, according to the
 * model of its launching call.
 *
 * A call's figures are divided among its kernels by time. The kind of operation decides
 * how much of the bytes is read: operands of a product, all of a reduction, two thirds
 * of an operation on two tensors, else half. */
#ifndef ANALYSIS_SYSTEM_KERNEL_DATA_FLOW_H
#define ANALYSIS_SYSTEM_KERNEL_DATA_FLOW_H

#include "ops/op_tables.h"
#include "ops/trace_view.h"

struct flow_index {
    const struct op_calls *calls;
    const struct launch_link *launch;
    int32_t *row_of;          /* by launch_place: the call it belongs to; -1 */
    struct known_flow *known; /* of costs, those last asked for */
};

struct kernel_flow {
    double in_byte, out_byte, flop; /* NaN: no model */
    bool modelled;
    double call_in_byte, call_out_byte; /* of the whole call, if it is modelled */
    double channels; /* of a normalisation, as its model counts them; NaN: none */
};

struct flow_index flow_index_build(struct arena *a, const struct op_tables *t);

/* Row of the modelled call that a kernel belongs to, or -1. */
static inline int32_t flow_call_of(const struct flow_index *x, event_id gpu)
{
    return x->row_of[launch_place(x->launch, gpu)];
}

struct kernel_flow kernel_flow_of(const struct flow_index *x,
                                  const struct event_store *s, event_id gpu);

#endif
