/* value_checks.h - waits in which the host reads whether values are finite.
 *
 * Before it, the device has compared a tensor with itself or with infinity: `isnan(x)
 * .any().item()`. Autograd's anomaly detection does so behind each node of the backward
 * pass; a loop over parameters does it for each of them. */
#ifndef ANALYSIS_SYSTEM_VALUE_CHECKS_H
#define ANALYSIS_SYSTEM_VALUE_CHECKS_H

#include "analysis/model/system_results.h"
#include "analysis/stack/tree_index.h"
#include "analysis/system/loop_work.h"

struct value_checks {
    int64_t reads, n, backward; /* operators that wait; of these, those that read such a
                                   result; of these, in nodes of the backward pass */
    struct loop_work work; /* from the comparisons to the ends of the waits: all of it
                              could go; its host_ms is not filled */
};

/* `waits`: by lane and start. */
struct value_checks value_checks_of(struct arena *perm, const struct tree_index *t,
                                    const struct idle_span *waits, int32_t n);

#endif
