/* recomputed.h - which calls compute activations again for the backward pass
 * (torch.utils.checkpoint), by frames or by operators alone.
 *
 * A backward node records no graph, so an operator inside one that has a sequence
 * number of its own is of a forward pass. Where backward operators have such numbers
 * too, the backward pass itself is differentiated (create_graph), and nothing is said.
 */
#ifndef ANALYSIS_STACK_RECOMPUTED_H
#define ANALYSIS_STACK_RECOMPUTED_H

#include "analysis/stack/tree_index.h"

/* By event: 1 where it is such a call or below one, without the backward pass that the
 * reentrant form runs inside. NULL: there is none. */
const uint8_t *recomputed_calls(struct arena *perm, struct arena tmp,
                                const struct tree_index *t);

#endif
