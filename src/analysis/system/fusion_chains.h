/* fusion_chains.h - runs of light kernels that pass tensors on, where no Python frame
 * names a place: one after the other on a stream, from one thread, of recorded
 * operators.
 *
 * Shapes are the evidence that a kernel reads what another of the chain wrote: it has
 * an operand as large as a tensor of the chain, or its largest differs from one in a
 * single dimension (a mean, a half). Products, attention, communication and copies by
 * an engine end a chain, as do generated or fused kernels, batch statistics, and what
 * gathers or fills. So does a tensor of 8 bits that the chain has not made, and a chain
 * that makes a matmul's weight of one is none. Two calls of one operator with the same
 * operands in place are work on separate tensors, a sequence that recurs at once is one
 * chain each time, and an optimizer's `addcdiv_` ends the update of its parameter. */
#ifndef ANALYSIS_SYSTEM_FUSION_CHAINS_H
#define ANALYSIS_SYSTEM_FUSION_CHAINS_H

#include "ops/trace_view.h"

enum { CHAIN_KERNELS_MAX = 64 };

struct kernel_chains {
    event_id *kernels; /* of all chains, one after the other, by start */
    int32_t *first;    /* by chain, and the end: where it starts in `kernels` */
    int32_t n;
};

/* Chains of at least two kernels and two operators. */
struct kernel_chains kernel_chains_find(struct arena *perm, struct arena tmp,
                                        const struct trace_view *v);

#endif
