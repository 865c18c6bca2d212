/* idle_follow.h - idle time, followed to what the host did in each gap.
 *
 * Every gap is split by the device event that ends it and its launch call: queued, host
 * not there yet, inside the call, start latency, no call recorded. The host's part is
 * split by what the launching thread did, and named by what covers it. Parts with one
 * explanation are a group, and all parts add up to idle time in ns. */
#ifndef ANALYSIS_SYSTEM_IDLE_FOLLOW_H
#define ANALYSIS_SYSTEM_IDLE_FOLLOW_H

#include "analysis/system/idle_gaps.h"

/* What most of a gap is. */
struct gap_cause {
    enum idle_class class;
    int64_t class_ns;
    event_id blame, leaf; /* host or device events; -1 */
    int peer;             /* of a wait for another device: which of the view's */
};

struct host_time;

/* Fills class_ns and groups of the result; returns the cause of each gap, in perm. */
struct gap_cause *idle_follow(struct arena *perm, struct arena tmp, struct host_time *h,
                              const struct idle_gaps *g, struct idle_result *r);

#endif
