/* run_publish.h - `tracefolio publish` and `reindex`: reports into a root of runs.
 *
 * A report is copied as its manifest lists it, each file held against its digest, into
 * a folder beside the runs that is then renamed: a reader never sees half a run, and a
 * run is complete on its own. Its name, run-DATE-DIGEST, comes from what it holds, so
 * that publishing a report twice changes nothing. Then the index is derived anew, by
 * one writer at a time. */
#ifndef RUNS_RUN_PUBLISH_H
#define RUNS_RUN_PUBLISH_H

#include "base/err.h"

#include <stdbool.h>

struct theme;

struct publish_request {
    const char *folder; /* NULL: reindex */
    const char *root;
    const char *share;   /* the loosest level that is let in; NULL: any */
    int keep, keep_days; /* of each series; 0: all */
    int lock_wait_s;
    bool quiet;
};

MUST_CHECK bool runs_publish(const struct publish_request *q, const struct theme *theme,
                             struct err *e);

#endif
