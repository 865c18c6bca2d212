/* read_loops.h - values that the host reads from the device one by one: in each turn it
 * launches a copy of a few bytes and waits for it, where one copy before the loop would
 * bring them all.
 *
 * By operators alone: `aten::item` and its like, close behind each other on one thread.
 * What runs between them is as small, or they would be further apart. */
#ifndef ANALYSIS_SYSTEM_READ_LOOPS_H
#define ANALYSIS_SYSTEM_READ_LOOPS_H

#include "analysis/system/loop_work.h"

struct read_loops {
    struct loop_span *spans; /* by thread and start; turns: reads */
    struct host_span *gone;  /* the operators between the first read of each and the
                                last: what Python does itself stays */
    int32_t n, n_gone;
    int64_t reads, here; /* of all; in the code that makes most of them */
    event_id most;       /* one of these; -1: no loops */
};

struct read_loops read_loops_find(struct arena *perm, struct arena tmp,
                                  const struct tree_index *t);

#endif
