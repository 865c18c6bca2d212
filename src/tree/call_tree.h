/* call_tree.h - who called whom on the host: events nested by time, a thread at a time.
 *
 * Knows start, end and lane of an event; knows nothing of launches. One tree holds
 * operators and runtime calls, on which the reference's tables are based; the other
 * also holds Python frames, for call stacks and modules. The arrays of ids are in the
 * arena of the builder.
 *
 * Events of a thread are in the order of their start, so a subtree is a range:
 * from the rank of its root, positions [rank, after[rank]) of `order`. The store is
 * lent. */
#ifndef TREE_CALL_TREE_H
#define TREE_CALL_TREE_H

#include "store/event_store.h"

struct call_tree {
    /* Columns by row of the events that may be in it: those with details, which all
     * have except Python frames, or only annotations; NULL: by event. */
    const struct bit_rows *rows;
    event_id *parent; /* read by tree_parent */
    int32_t *rank;    /* read by tree_rank */
    event_id *order;  /* pre-order, thread after thread */
    int32_t *after;   /* by position: first position behind the subtree */
    int32_t n_rows, n_order;
    int32_t n_dropped; /* events that cross their caller's end */
    event_id *roots;   /* operators that no operator called, by start */
    int32_t n_roots;
};

enum tree_kind { TREE_OPS, TREE_FRAMES, TREE_ANNOTATIONS }; /* the last: alone */

struct call_tree tree_build(struct arena *perm, struct arena tmp,
                            const struct event_store *s, enum tree_kind kind);

static inline int32_t tree_row(const struct call_tree *t, event_id i)
{
    return t->rows ? bit_row(t->rows, i) : i;
}

/* The caller of i; -1 if there is none or i is not in the tree. */
static inline event_id tree_parent(const struct call_tree *t, event_id i)
{
    int32_t row = tree_row(t, i);
    return row < 0 ? -1 : t->parent[row];
}

/* Position of i in `order`; -1 if not in the tree. */
static inline int32_t tree_rank(const struct call_tree *t, event_id i)
{
    int32_t row = tree_row(t, i);
    return row < 0 ? -1 : t->rank[row];
}

/* Memory used by the columns. */
ptrdiff_t tree_memory_bytes(const struct call_tree *t);

/* Whether `below` is `above` or lies under it. */
static inline bool tree_contains(const struct call_tree *t, event_id above,
                                 event_id below)
{
    int32_t a = tree_rank(t, above), b = tree_rank(t, below);
    return a >= 0 && b >= a && b < t->after[a];
}

/* Whoever looks for something above a call does so in this many levels, so that calls in
 * calls without end take no time: Python itself ends at a thousand. */
enum { TREE_LEVELS_MAX = 1024 };

/* The nearest operator at or above i, or -1. */
event_id tree_operator(const struct event_store *s, const struct call_tree *t,
                       event_id i);

#endif
