/* run_views.h - the run as it was: over time, lane by lane, path by path.
 *
 * Needs the events and their trees alone, so it is built while the host is followed, by
 * whichever thread is free. */
#ifndef ANALYSIS_RUN_VIEWS_H
#define ANALYSIS_RUN_VIEWS_H

#include "analysis/model/finding.h"

#include <stdatomic.h>
#include <stdbool.h>

struct arena;
struct tree_index;

enum { RUN_VIEWS_PARTS = 2 };

struct views_work {
    const struct tree_index *tree;
    struct run_views views;
    atomic_int next; /* part to begin; RUN_VIEWS_PARTS: none */
};

/* Builds one part that nobody has begun. False: there is none. */
bool run_views_part(struct views_work *w, struct arena *perm, struct arena tmp);

#endif
