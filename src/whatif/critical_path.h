/* critical_path.h - what the length of a replayed run hangs on: from its end back, each
 * node to the one that bound it.
 *
 * Kernels, copies and collectives are told by their names, the host by the operator in
 * which it makes the call, else by the call. What lies between the end of one and the
 * start of the next is latency. The parts add to the run, to the ns but for rounding.
 */
#ifndef WHATIF_CRITICAL_PATH_H
#define WHATIF_CRITICAL_PATH_H

#include "whatif/path_parts.h"
#include "whatif/what_if.h"

/* Of a lane that was replayed; saved_ns as what_if_run gave it. */
struct critical_path critical_path_find(struct arena *perm, struct arena tmp,
                                        const struct what_if *w, int lane,
                                        int64_t saved_ns);

/* Of the run as it was recorded, with its steps if they are wanted. */
struct critical_path critical_path_recorded(struct arena *perm, struct arena tmp,
                                            const struct schedule *o, bool steps);

#endif
