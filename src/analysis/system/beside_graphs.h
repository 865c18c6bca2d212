/* beside_graphs.h - code that launches kernel by kernel in a run that replays graphs:
 * frames of a file in which kernels are launched, and no graph. */
#ifndef ANALYSIS_SYSTEM_BESIDE_GRAPHS_H
#define ANALYSIS_SYSTEM_BESIDE_GRAPHS_H

#include "analysis/stack/tree_index.h"

/* By event: whether a graph is launched in it. NULL: no frames, or `graphs` is 0. */
uint8_t *holds_graph(struct arena *perm, const struct tree_index *t, int32_t graphs);

/* The next frame of a file above i, or i itself, in which no graph is launched; -1. */
event_id frame_beside_graphs(const struct tree_index *t, const uint8_t *holds,
                             event_id i);

/* Whether one call of the frame launches so much that a graph of its own is worth it.
 */
bool launches_a_graphful(const struct tree_index *t, event_id frame);

#endif
