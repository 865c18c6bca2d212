/* expert_loop.h - loops over the experts of a layer, one after the other.
 *
 * Each turn asks which tokens are of its expert (nonzero, for which the host waits),
 * gathers them, computes a few matmuls of that size and adds the result to the tokens'
 * places: operators alone tell it, whatever the modules are called. Turns that follow
 * each other on one thread are a loop. A sparse convolution has one matmul per turn, a
 * graph's messages are gathered without a wait: neither is one. */
#ifndef ANALYSIS_SYSTEM_EXPERT_LOOP_H
#define ANALYSIS_SYSTEM_EXPERT_LOOP_H

#include "analysis/stack/tree_index.h"

struct expert_loop {
    int32_t lane;
    int64_t start_ns, end_ns; /* from the first question to the last result */
    int32_t turns;
    event_id result; /* the operator that adds the first expert's result */
};

struct expert_loops {
    struct expert_loop *rows; /* by thread and start */
    int32_t n;
    int64_t turns; /* of all */
};

struct expert_loops expert_loops_find(struct arena *perm, const struct tree_index *t);

/* The loop in which a call of the host begins; NULL: none. */
const struct expert_loop *expert_loop_at(const struct expert_loops *l, int32_t lane,
                                         int64_t at_ns);

#endif
