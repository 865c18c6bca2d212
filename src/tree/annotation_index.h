/* annotation_index.h - the annotations of collectives, "nccl:all_reduce", by the thread
 * and time of a launch: the tree of calls has none of them. */
#ifndef TREE_ANNOTATION_INDEX_H
#define TREE_ANNOTATION_INDEX_H

#include "tree/call_tree.h"

struct annotation_index {
    struct call_tree notes;
    int32_t *first; /* by lane: where its positions start in notes.order */
};

struct annotation_index annotations_index(struct arena *perm, struct arena tmp,
                                          const struct event_store *s);

/* The innermost of a thread around a time; -1. */
event_id annotation_at(const struct annotation_index *x, const struct event_store *s,
                       int32_t lane, int64_t at_ns);

#endif
