/* module_passes.h - modules whose passes could be fewer: of frozen ones in training,
 * and of one that runs several times before anything reads what it gave.
 *
 * By frames of modules alone, those of the model and of the two levels below it. */
#ifndef ANALYSIS_SYSTEM_MODULE_PASSES_H
#define ANALYSIS_SYSTEM_MODULE_PASSES_H

#include "analysis/stack/tree_index.h"

struct analysis;

/* Modules that launch device work and no operator that autograd records, where others
 * of the trace have a backward pass: no instance of them is trained anywhere, and none
 * draws random numbers. */
struct frozen_modules {
    event_id *calls; /* outermost, in the order of the tree */
    int32_t n;
    int64_t total_ns; /* of their device events, summed */
};
struct frozen_modules frozen_modules_find(struct arena *a, struct arena tmp,
                                          const struct tree_index *t);

/* A model that runs `passes` times on the same kernels with nothing launched between,
 * and again once something was: with one batch in their place it would run once. */
struct repeated_passes {
    struct str module; /* class; empty: none */
    int32_t passes, calls;
    int64_t host_ns, device_ns, kernels; /* of all calls, summed */
};
struct repeated_passes repeated_passes_find(struct arena tmp,
                                            const struct tree_index *t);

void module_passes_findings(struct arena *perm, struct arena tmp, struct analysis *a,
                            const struct tree_index *t);

#endif
