/* report_tree.h - which path leads to which device time: call trees, aggregated.
 *
 * Calls of one path are one node: outer modules, Python frames, operators, and at the
 * ends the device work, in up to three views of the same total. Times are whole
 * nanoseconds of device events (the sum over streams), and the children of a node add
 * up to it exactly: what is below 0.1 % of the view is folded into one child of its own
 * kind. A chain of nodes with one child each is one node. Built from a tree a million
 * deep by loops alone; the size of a view is bounded by the fold, not by the trace.
 * Names are those of the trace: hostile. Everything lies in the arena of the run. */
#ifndef REPORT_REPORT_TREE_H
#define REPORT_REPORT_TREE_H

#include "base/str.h"

struct arena;
struct tree_index;

enum report_node_kind {
    NODE_ALL, /* the root of a view */
    NODE_MODULE,
    NODE_FRAME,
    NODE_OPERATOR,
    NODE_DEVICE,   /* kernel, copy or fill: the device's own work */
    NODE_UNLINKED, /* device work that no recorded call launched, or none of the tree */
    NODE_REST,     /* children too small to stand alone */
    REPORT_NODE_KINDS
};

enum { REPORT_THROUGH_MAX = 24 };

struct report_tree_node {
    struct str id;          /* "n-1a2b3c4d", of the path; a rest has none */
    struct str name;        /* the last of its chain; empty: NODE_ALL, NODE_REST */
    struct str *through;    /* what the chain passes before that, outermost first; of a
                               longer one the first and the last half */
    int n_through, n_chain; /* n_chain: all of them */
    enum report_node_kind kind;
    int64_t time_ns, launches;
    int64_t instances; /* modules: how many of its class; rest: how many paths */
    int32_t parent;    /* -1: the root */
    int32_t after;     /* nodes lie in pre-order: the first one behind the subtree */
    int32_t depth;     /* of the view; the root has 0 */
};

enum report_view_kind { VIEW_MODULES, VIEW_CALLS, VIEW_OPERATIONS, REPORT_VIEWS };

struct report_tree_view {
    enum report_view_kind kind;
    struct report_tree_node *nodes; /* by time among siblings; the rest comes last */
    int32_t n_nodes;
    int64_t total_ns, launches;
    int64_t n_paths; /* before folding and joining */
    int32_t deepest; /* of those */
};

struct report_tree {
    struct report_tree_view views[REPORT_VIEWS]; /* those that have something to tell */
    int n_views;
    bool has_modules, has_frames; /* what the trace recorded */
};

const struct report_tree *report_tree_build(struct arena *perm, struct arena tmp,
                                            const struct tree_index *t);

/* Where a view divides: the largest node on the way down from the root that leaves at
 * least a tenth to others, else the last one. NULL: there is none to name. */
const struct report_tree_node *report_tree_main(const struct report_tree_view *v);

#endif
