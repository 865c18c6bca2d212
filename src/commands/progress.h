/* progress.h - what the user sees while waiting: one updating line on a terminal, and
 * with -v a line per stage. Writes to stderr only. */
#ifndef PROGRESS_H
#define PROGRESS_H

#include "analysis/trace_analyse.h"

#include <stdbool.h>
#include <stdint.h>

struct progress {
    bool shows, verbose;
    int64_t started_ns, stage_ns;
    const char *stage;
    bool line_open;
};

void progress_open(struct progress *p, bool quiet, bool verbose);
void progress_stage(struct progress *p,
                    const char *stage); /* the one before has ended */
void progress_bytes(struct progress *p, int64_t bytes, double frac, int64_t events);
void progress_kept(struct progress *p, const struct memory_kept *k);
void progress_close(struct progress *p);

#endif
