/* data_waits.h - when host threads wait for a DataLoader.
 *
 * Annotations and frames alike; of nested ones the outermost. */
#ifndef ANALYSIS_SYSTEM_DATA_WAITS_H
#define ANALYSIS_SYSTEM_DATA_WAITS_H

#include "ops/trace_view.h"

struct data_waits {
    const struct event_store *s; /* lent */
    event_id *at;                /* by lane and start */
    int32_t n;
};

struct data_waits data_waits_find(struct arena *perm, struct arena tmp,
                                  const struct event_store *s);

/* The first wait of a lane, from `from` of `at` on, that shares time with a span: its
 * index; n if none does. `from` 0: any. */
int32_t data_wait_in(const struct data_waits *w, int32_t from, int32_t lane,
                     int64_t from_ns, int64_t to_ns);

#endif
