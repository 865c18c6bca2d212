/* tree_index.h - call stacks: the frames, modules and operators that called an
 * operation.
 *
 * The tables use a tree of operators; this second tree adds Python frames, with device
 * work by subtree. Traces from 2021 have no frames but a stack as text on each
 * operator, innermost first, which serves as fallback. Autograd runs the backward pass
 * on a thread without frames, so a backward operator takes its modules and launcher
 * from its forward operator. All walks are loops and handle a tree a million deep.
 * Read-only once built; the view is lent. */
#ifndef ANALYSIS_STACK_TREE_INDEX_H
#define ANALYSIS_STACK_TREE_INDEX_H

#include "ops/trace_view.h"

struct tree_index {
    const struct trace_view *v;
    struct call_tree frames;    /* operators, runtime calls and Python frames */
    struct launch_order device; /* of the launches in `frames` */
    bool has_frames, has_text_stacks;
};

/* The tree of frames, which needs the store alone, so that another thread can make it
 * while the view is made; an empty one where the view's tree has all there is. */
struct call_tree tree_index_frames(struct arena *perm, struct arena tmp,
                                   const struct event_store *s, struct view_options o);
struct tree_index tree_index_of(struct arena *perm, struct arena tmp,
                                const struct trace_view *v,
                                const struct call_tree *frames);

/* What called i: the nearest event above; for a device event its launch call; or -1. */
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

/* The nearest module around i, or -1; of a backward node, that of its forward operator.
 */
event_id tree_module_event(const struct tree_index *t, event_id i);

/* Names of the modules around i, outermost first, i included if it is one. */
struct str *tree_modules(struct arena *a, const struct tree_index *t, event_id i,
                         int *n);

/* "models/vit.py(210): forward": the innermost Python frame above i that is neither a
 * module nor framework plumbing; empty: none known. */
struct str tree_launcher_path(const struct tree_index *t, event_id i);

/* The innermost of these that is no library's, among the next few; without one the same.
 */
struct str tree_user_path(const struct tree_index *t, event_id i);
bool tree_is_plumbing(struct str frame);

/* Whether i is a frame of a file that is no part of the framework or of Python: code
 * that its user can change. */
bool tree_is_code(const struct tree_index *t, event_id i);

/* Those and the ones around them into `to`, innermost first; how many, at most `max`.
 */
int tree_launchers(struct str to[], int max, const struct tree_index *t, event_id i);

/* Device events below i in launch order; lent. */
const event_id *tree_gpu_below(const struct tree_index *t, event_id i, int32_t *n);

/* How long they kept the device busy. */
int64_t tree_gpu_ns(struct arena tmp, const struct tree_index *t, event_id i);

/* The first child of i and the next child of the same parent: host events, by start;
 * -1: none. */
event_id tree_first_child(const struct tree_index *t, event_id i);
event_id tree_next_sibling(const struct tree_index *t, event_id i);

/* Other children of i's caller with device work below them, by start: the `max` around
 * i. Skips callers with no device work outside i's branch. */
event_id *tree_siblings(struct arena *a, const struct tree_index *t, event_id i,
                        int32_t max, int32_t *n);

struct tree_node {
    event_id event; /* host or device */
    int depth;      /* 0: the root of the walk */
};

/* Everything at or below i in pre-order, device work right after its launch call.
 * `only_gpu` keeps only what leads to device work, which replaces its launch call. At
 * most `max`; *truncated is set if there was more. */
struct tree_node *tree_subtree(struct arena *a, const struct tree_index *t, event_id i,
                               bool only_gpu, int32_t max, int32_t *n, bool *truncated);

#endif
