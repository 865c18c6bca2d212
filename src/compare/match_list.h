/* match.h - which work of the candidate does what work of the reference does.
 *
 * Rows of both sides are joined by a ladder of keys, the first hit wins; device work of
 * GPU graphs may be joined by its place in the sequence before that. Every row of
 * either side is in exactly one match, so that sums over matches are sums over
 * captures. */
#ifndef COMPARE_MATCH_LIST_H
#define COMPARE_MATCH_LIST_H

#include "base/arena.h"
#include "capture/capture.h"
#include "capture/waterfall.h"

enum match_level {
    /* L0: the same and the modules around it, layers folded. By index a layer's call
     * would be a row: of a model of 24 layers 528 rows of one call each in place of 22,
     * whose differences scatter by more than a floor is (a sixth of the time does, with
     * the same work in each layer), and a layer more would be work on one side only
     * rather than a count. What one layer does shows in the last decile of calls. */
    MATCH_PATH,
    MATCH_CALL,       /* L1: name, types, dims, strides, scalars */
    MATCH_TYPES,      /* L2: name, types, dims */
    MATCH_DIMS,       /* L3: name, dims */
    MATCH_EQUIVALENT, /* E: names of one class, types, dims */
    MATCH_TREE,     /* T: the same module or operator around: implemented differently */
    MATCH_SEQUENCE, /* G: the same place in the sequence of kernels */
    MATCH_NAME,     /* L4: name */
    MATCH_CATEGORY, /* L5: category: implemented differently */
    MATCH_ONLY_REFERENCE,
    MATCH_ONLY_CANDIDATE,
    MATCH_LEVELS
};

struct str match_level_word(enum match_level l); /* "L1" */

/* What of a row lies in the steps that are compared. */
struct row_figures {
    int64_t n_calls, n_events, ns;
};

struct match_side {
    const struct capture *c;
    const struct row_figures *rows; /* by row of the capture */
    const struct step_span *spans;  /* of the steps, in order */
    int n_spans;
};

struct match {
    enum match_level level;
    int32_t *rows[2]; /* of each capture, by time; of a sequence: none */
    int32_t n_rows[2];
    int32_t first_row[2]; /* one of its rows, for a sequence too; -1: none */
    int64_t n[2], n_events[2], ns[2];
    int64_t class_ns[2][WORK_CATEGORIES]; /* of kernels, no copies, no collectives */
    enum work_category category;          /* of most of its time */
    struct str name[2], kernel[2];        /* of most of its time; empty: none */
};

/* Sequences that were aligned by a period. */
struct match_periods {
    int32_t period[2], repeats[2]; /* 0: none was found */
    bool aligned;
};

struct match_list {
    struct match *rows;
    int32_t n;
    struct match_periods periods;
};

/* Appends a match that holds no row yet, and adds a row to it. */
struct match *match_add(struct arena *perm, struct match_list *l,
                        enum match_level level);
void match_take(struct arena *perm, struct match *m, int side,
                const struct match_side *s, int32_t row);

/* Kernels of another number or kind on each side: totals are compared, not calls. */
bool match_is_recast(const struct match *m);

/* Whether the time of both sides is of one class, or of none. */
bool match_one_class(const struct match *m);

#endif
