/* tree_index.h - call stacks: what called an operation, through frames, modules,
 * operators.
 *
 * The tables stand on a tree of operators; this is the second tree, with Python frames,
 * and its device work by subtree. Traces of 2021 have no frames but a stack as text on
 * each operator, innermost first: chains fall back on it. Autograd runs the backward
 * pass on a thread without frames: modules and launcher of a backward operator are
 * those of its forward operator. All walks are loops, good for a tree a million deep.
 * Read-only once built; the view is lent. */
#ifndef ANALYSIS_TREE_INDEX_H
#define ANALYSIS_TREE_INDEX_H

#include "ops/trace_view.h"

struct tree_index {
    const struct trace_view *v;
    struct call_tree frames;    /* operators, runtime calls and Python frames */
    struct launch_order device; /* of the launches in `frames` */
    bool has_frames, has_text_stacks;
};

struct tree_index tree_index_build(struct arena *perm, struct arena tmp,
                                   const struct trace_view *v);

/* ---- up
 * ------------------------------------------------------------------------------ */

/* What called i: the nearest event above; of a device event its launch call; or -1. */
event_id tree_above(const struct tree_index *t, event_id i);

struct tree_link {
    event_id event; /* -1: a line of a text stack */
    struct str name;
    int depth; /* 1: the direct parent */
};

/* Everything above i, nearest first, at most `max`. *n may be 0. */
struct tree_link *tree_parents(struct arena *a, const struct tree_index *t, event_id i,
                               int32_t max, int32_t *n);

/* "ViTLayer" of "nn.Module: ViTLayer_3"; empty for any other name. */
struct str tree_module_name(struct str name);

/* The nearest module frame at or above i, or -1. */
event_id tree_module_of(const struct tree_index *t, event_id i);

/* Names of the modules around i, outermost first, i included if it is one. */
struct str *tree_modules(struct arena *a, const struct tree_index *t, event_id i,
                         int *n);

/* "models/vit.py(210): forward": the innermost Python frame above i that is neither a
 * module nor plumbing of the framework; empty: none is known. */
struct str tree_launcher_path(const struct tree_index *t, event_id i);
bool tree_is_plumbing(struct str frame);

/* ---- down
 * ---------------------------------------------------------------------------- */

/* Device events below i in the order of their launch; lent. */
const event_id *tree_gpu_below(const struct tree_index *t, event_id i, int32_t *n);

/* The time the device was busy with them. */
int64_t tree_gpu_ns(struct arena tmp, const struct tree_index *t, event_id i);

/* The first child of i and the next child of the same parent: host events, by start;
 * -1: none. */
event_id tree_first_child(const struct tree_index *t, event_id i);
event_id tree_next_sibling(const struct tree_index *t, event_id i);

/* Other children of i's caller with device work below them, by start: the `max` around
 * i. Callers that do nothing beside the branch of i are passed over. */
event_id *tree_siblings(struct arena *a, const struct tree_index *t, event_id i,
                        int32_t max, int32_t *n);

struct tree_node {
    event_id event; /* host or device */
    int depth;      /* 0: the root of the walk */
};

/* Everything at or below i in pre-order, the device work of a launch call right behind
 * it. `only_gpu` keeps what leads to device work, which takes the place of its launch
 * call. At most `max`; *truncated tells whether there was more. */
struct tree_node *tree_subtree(struct arena *a, const struct tree_index *t, event_id i,
                               bool only_gpu, int32_t max, int32_t *n, bool *truncated);

#endif
