/* graph_edges.h - what device work of GPU graphs waited for, where a trace records it.
 *
 * PyTorch's profiler of 2026 writes the edges of a graph: each from the end of a node,
 * on its stream, to the begin of one that depends on it. Nodes that record an event
 * take no time and are no device work: what waits for one waits for what it waited for.
 */
#ifndef WHATIF_GRAPH_EDGES_H
#define WHATIF_GRAPH_EDGES_H

#include "ops/trace_view.h"

/* By place in view.launch.all. */
struct graph_edges {
    int32_t *start;  /* of each, and the end: where its own begin in `before`; NULL: the
                        trace has none */
    int32_t *before; /* places */
    int32_t n;
};

struct graph_edges graph_edges_build(struct arena *perm, struct arena tmp,
                                     const struct trace_view *v);

#endif
