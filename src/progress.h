/* progress.h - what the user sees while waiting: one updating line on a terminal, and
 * with -v a line a stage. Writes to stderr alone. */
#ifndef PROGRESS_H
#define PROGRESS_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

struct progress {
    bool shows, verbose;
    int64_t started_ns, stage_ns;
    const char *stage;
    bool line_open;
};

/* Memory that is kept for the run once the tables are there, by part. */
struct memory_kept {
    ptrdiff_t store, trees, links, tables;
    int64_t events; /* elements of traceEvents */
};

void progress_open(struct progress *p, bool quiet, bool verbose);
void progress_stage(struct progress *p,
                    const char *stage); /* the one before has ended */
void progress_bytes(void *p, int64_t bytes, double frac, int64_t events);
void progress_kept(struct progress *p, const struct memory_kept *k);
void progress_close(struct progress *p);

#endif
