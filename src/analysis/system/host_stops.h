/* host_stops.h - calls in which the host stops now and then, whatever they do.
 *
 * Where other processes or a limit take the CPU from a thread, it stops in the middle
 * of any call: operators and launches of many kinds, each of which is fast otherwise.
 * What one kind alone shows, or the first call of a kind, has a cause of its own. */
#ifndef ANALYSIS_SYSTEM_HOST_STOPS_H
#define ANALYSIS_SYSTEM_HOST_STOPS_H

#include "analysis/model/system_results.h"
#include "analysis/stack/tree_index.h"

struct idle_gaps;
struct gap_cause;

/* Of long gaps that are inside one such call; all 0 if its kinds are few, if they are
 * not spread over the run, or if one of them has most. `causes`: by gap. */
struct host_stops host_stops_find(struct arena tmp, const struct tree_index *t,
                                  const struct idle_gaps *g,
                                  const struct gap_cause *causes);

#endif
