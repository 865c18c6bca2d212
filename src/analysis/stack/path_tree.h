/* path_tree.h - which path leads to which device time: call trees, aggregated.
 *
 * Calls along the same path make one node: outer modules, Python frames, operators, and
 * device work as leaves, in up to three views of the same total. Times are whole
 * nanoseconds of device events (the sum over streams), and the children of a node add
 * up to it exactly: children below 0.1 % of the view are folded into one child of its
 * own kind. A chain of nodes with one child each becomes one node. Built without
 * recursion, so a tree may be a million deep; folding bounds the size of a view
 * whatever the trace. Names come from the trace and are hostile. Everything lives in
 * the run's arena. */
#ifndef ANALYSIS_STACK_PATH_TREE_H
#define ANALYSIS_STACK_PATH_TREE_H

#include "base/str.h"

struct arena;
struct memory_peak;
struct tree_index;

enum path_kind {
    NODE_ALL, /* the root of a view */
    NODE_MODULE,
    NODE_FRAME,
    NODE_OPERATOR,
    NODE_DEVICE,   /* kernel, copy or fill: the device's own work */
    NODE_UNLINKED, /* device work that no recorded call launched, or none in the tree */
    NODE_REST,     /* children too small for a line of their own */
    PATH_KINDS
};

enum { PATH_THROUGH_MAX = 24 };

struct path_node {
    struct str id;          /* "n-1a2b3c4d", of the path; a rest has none */
    struct str name;        /* the last of its chain; empty: NODE_ALL, NODE_REST */
    struct str *through;    /* what the chain passes before that, outermost first; of a
                               longer one the first and the last half */
    int n_through, n_chain; /* n_chain: all of them */
    enum path_kind kind;
    int64_t time_ns, launches;
    int64_t instances; /* of the last module of the chain: how many of its class; rest:
                          how many paths */
    int64_t calls;     /* in the view of modules: of all these; otherwise 0 */
    int64_t bytes;     /* of modules at or below it, held at the peak of memory; 0: none
                          or not recorded. In the view of modules alone */
    int32_t parent;    /* -1: the root */
    int32_t after;     /* nodes are in pre-order: the first one after the subtree */
    int32_t depth;     /* of the view; the root has 0 */
};

enum path_view_kind { VIEW_MODULES, VIEW_CALLS, VIEW_OPERATIONS, PATH_VIEWS };

struct path_view {
    enum path_view_kind kind;
    struct path_node *nodes; /* by time among siblings; the rest comes last */
    int32_t n_nodes;
    int64_t total_ns, launches;
    int64_t n_paths; /* before folding and joining */
    int32_t deepest; /* of those */
};

struct path_tree {
    struct path_view views[PATH_VIEWS]; /* those with something to show */
    int n_views;
    bool has_modules, has_frames; /* what the trace recorded */
};

const struct path_tree *path_tree_build(struct arena *perm, struct arena tmp,
                                        const struct tree_index *t,
                                        const struct memory_peak *memory);

/* Where a view branches: the largest node on the way down from the root that leaves at
 * least a tenth to others, else the last one. NULL: none worth naming. */
const struct path_node *path_tree_main(const struct path_view *v);

#endif
