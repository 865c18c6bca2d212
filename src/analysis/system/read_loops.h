/* read_loops.h - values that the host copies one by one, where one copy for all would
 * do: those that it reads from the device, waiting for each, and parts of a batch that
 * it sends there.
 *
 * By operators alone: `aten::item` and its like, or `aten::to` and its like, close
 * behind each other on one thread. What runs between them is as small, or they would be
 * further apart. With frames some turns may take longer, if each is a call of one
 * function from one place that holds a copy: then its calls go, all but the first.
 * Otherwise the operators between the first read of each loop and its last go, or the
 * calls that send, all but what one copy of all bytes takes the host: what Python does
 * itself stays. Parts of a batch are of few sizes. */
#ifndef ANALYSIS_SYSTEM_READ_LOOPS_H
#define ANALYSIS_SYSTEM_READ_LOOPS_H

#include "analysis/system/loop_work.h"

struct idle_span; /* system_results.h */

struct read_loops {
    struct loop_span *spans; /* by thread and start; turns: copies */
    struct host_span *gone;  /* by thread and start */
    int32_t n, n_gone;
    int64_t reads, here; /* copies of all; in the code that makes most of them */
    int64_t nms;         /* suppressions of boxes in calls that go */
    double calls_ms;     /* of calls of a function, one copy in each; 0: none */
    event_id most;       /* one of these copies; -1: no loops */
};

struct read_loops read_loops_find(struct arena *perm, struct arena tmp,
                                  const struct tree_index *t, enum copy_direction way);

/* Of time, what is in the loops; spans by start. */
double read_loops_share(const struct read_loops *l, const struct idle_span *x,
                        int32_t n);

#endif
