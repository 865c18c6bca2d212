/* idle_gaps.h - when no device was working, and where the host waited for one.
 *
 * Gaps lie between the merged intervals of the timeline, before the first of them and
 * behind the last, as far as the window is; a device event ends each but the last. Of
 * nested synchronisation points the outermost counts: aten::item with the copy and the
 * wait inside is one. */
#ifndef ANALYSIS_SYSTEM_IDLE_GAPS_H
#define ANALYSIS_SYSTEM_IDLE_GAPS_H

#include "analysis/model/system_results.h"
#include "analysis/stack/tree_index.h"
#include "analysis/system/idle_hidden.h"

enum {
    LONG_GAP_NS = 100000,
    CALLERS_MAX = 256 /* of a launch that are looked at: operators nest in a few tens */
};

struct sync_point {
    int64_t start_ns, end_ns;
    event_id event; /* operator or runtime call */
    event_id op;    /* operator nearest to the waiting call, or the call */
    event_id call;  /* that waits */
};

struct gap_row {
    int64_t start_ns, dur_ns;
    event_id before, after; /* device events; -1: it begins or ends the window */
    bool queued;            /* the launch call had returned when the gap began */
    int32_t sync;           /* point at which the host waited when the gap began; -1 */
};

struct idle_peers;

struct idle_gaps {
    const struct idle_peers *peers; /* of one of several devices; NULL: of all */
    struct gap_row *rows;           /* by start */
    int32_t n;
    struct sync_point *syncs; /* by start */
    int32_t n_syncs;
    struct hidden hidden;
};

struct idle_gaps idle_gaps_find(struct arena *perm, struct arena tmp,
                                const struct tree_index *t);

/* Those of one device, of whose view `t` is; `all` are those of all. */
struct idle_gaps idle_gaps_of_device(struct arena *perm, struct arena tmp,
                                     const struct tree_index *t,
                                     const struct idle_gaps *all,
                                     const struct idle_peers *peers);

int64_t idle_gaps_ns(const struct idle_gaps *g); /* their sum */

/* By name: the first device event; -1: none. */
event_id *first_device_events(struct arena *a, const struct trace_view *v);

/* The operation that a launch call belongs to: the outermost operator with a namespace,
 * except autograd's; else the nearest operator, else the call. Of nearer callers only
 * (CALLERS_MAX), so that calls in calls without end take no time. */
event_id launched_operation(const struct tree_index *t, event_id call);

#endif
