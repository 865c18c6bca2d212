/* lent_source.h - a trace and what is lent to its graph launches, as one source of
 * events.
 *
 * Device events of a replay that is lent operators get the identifier of their own
 * launch; behind the last event of the trace come the lent operators, frames and
 * launches, each launch with its arrow. They are elements of no file: `n_elements` is
 * that of the trace. */
#ifndef TREE_LENT_SOURCE_H
#define TREE_LENT_SOURCE_H

#include "trace/event_source.h"
#include "tree/lend_plan.h"

struct lent_source {
    struct event_source trace;
    const struct lend_plan *plan;
    int32_t next, uid, arrows; /* arrows: still to come of the launch before `next` */
    bool ended;
    struct event event; /* the last one that is lent */
    struct arena *perm; /* of what the end says */
    struct source_end end;
};

/* `l` is where the state lives; it closes `trace`, which reads plan->to again. What the
 * end says of the machine lives in `perm`. */
struct event_source lent_source_open(struct lent_source *l, struct arena *perm,
                                     struct event_source trace,
                                     const struct lend_plan *plan);

#endif
