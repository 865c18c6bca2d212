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
struct host_time;
struct memory_peak;
struct tree_index;

/* The larger one first. */
enum run_views_part { VIEWS_ALONG_TIME, VIEWS_ALONG_PATHS, VIEWS_PARTS };

struct views_work {
    const struct tree_index *tree;
    const struct host_time *host;     /* along time; others ask it no more */
    const struct memory_peak *memory; /* what modules hold; NULL: not recorded */
    struct run_views views;
    atomic_bool begun[VIEWS_PARTS];
};

/* Builds it, unless it has been begun. */
void run_views_build(struct views_work *w, enum run_views_part part, struct arena *perm,
                     struct arena tmp);

#endif
