/* lend_plan.h - operators of another trace for the device work of GPU graphs.
 *
 * A graph is launched by one call, and the operators it was captured from are not
 * called again. A trace of the capture, or of the same work without graphs, has them:
 * where its launches are, one after the other, those of the kernels that a graph
 * replays, the replay is lent their operators and frames. Work that occurs several
 * times there is lent in turn, if each is the same or there are as many as launches;
 * else nobody knows which it was, and nothing is lent. Linear in both traces and in
 * the number of graphs that differ. */
#ifndef TREE_LEND_PLAN_H
#define TREE_LEND_PLAN_H

#include "base/int_map.h"
#include "store/event_store.h"

/* An operator, frame or launch of the lender that gets a place inside a graph launch.
 */
struct lent_event {
    event_id from;  /* of the lender */
    event_id graph; /* the call that it lies in */
    int64_t start_ns, dur_ns;
    event_id device; /* that a launch starts; -1: no launch */
};

struct lent_counts {
    int32_t graphs, graphs_lent; /* launches of graphs */
    int32_t events, events_lent; /* their device events */
    int32_t ambiguous;           /* launches that several different parts fit */
    int32_t launches;            /* of the lender, whose kernel is known */
    const char *shapes_from;     /* an execution trace in place of a lender; or NULL */
    int32_t operators, shaped;   /* without shapes; of these, with its shapes now */
};

struct lend_plan {
    const struct event_store *to, *from;
    struct lent_event *events; /* callers before callees */
    int32_t n;
    struct int_map device_of; /* by uid of a device event, its launch in `events` */
    int64_t first_id;         /* of correlations that the trace does not use */
    struct lent_counts counts;
};

/* Both stores are lent for the life of the plan. */
struct lend_plan lend_plan_make(struct arena *perm, struct arena tmp,
                                const struct event_store *to,
                                const struct event_store *from);

#endif
