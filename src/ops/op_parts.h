/* op_parts.h - calls of which one name says too little, taken apart.
 *
 * A graph launch or a compiled region runs whatever was recorded or compiled, and an
 * operator without a model may copy and compute: one row of them is of no one kind.
 * Each kernel of the former is a call of its own, as is what the latter copies. The
 * tables of the reference keep the calls whole. */
#ifndef OPS_OP_PARTS_H
#define OPS_OP_PARTS_H

#include "ops/op_calls.h"

struct op_parts {
    struct op_calls calls;
    const int32_t *part_of; /* by call: its longest part; NULL: no call has parts */
};

struct op_parts calls_in_parts(struct arena *perm, struct arena tmp,
                               const struct trace_view *v,
                               const struct op_calls *calls);

/* A call that runs whatever was compiled or recorded: its name says nothing. */
bool op_runs_anything(struct str op);

#endif
