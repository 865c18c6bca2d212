/* host_waits.h - the host calls that wait for the device.
 *
 * A call waits if its documentation says so: synchronisation, copies that are not
 * asynchronous, and returning memory to the driver. A loop that asks whether a stream
 * or an event is done waits too, from its first question to its last. The one list for
 * all who ask: artefacts, idle time, host costs and the replay. */
#ifndef OPS_HOST_WAITS_H
#define OPS_HOST_WAITS_H

#include "tree/launch_link.h"

struct wait_span {
    event_id call; /* of a loop: the first question */
    int32_t lane;
    bool polls; /* a loop */
    int64_t start_ns, end_ns;
};

struct host_waits {
    struct wait_span *at; /* by lane and start, loops by their first question */
    int32_t n, n_loops;
    int32_t *first_of; /* by lane: place of its first; and the end of the last */
};

struct host_waits host_waits_find(struct arena *perm, struct arena tmp,
                                  const struct event_store *s,
                                  const struct call_tree *t,
                                  const struct launch_link *l);

/* The wait that a time on a thread is in; NULL: none. */
const struct wait_span *host_waits_at(const struct host_waits *w, int32_t lane,
                                      int64_t at_ns);

/* The loop of questions that a time on a thread is in; NULL: none. */
const struct wait_span *host_waits_loop_at(const struct host_waits *w, int32_t lane,
                                           int64_t at_ns);

/* The longest time between two moments that the host was in one of them. */
int64_t host_waits_longest_ns(const struct host_waits *w, int64_t from_ns,
                              int64_t to_ns);

/* By when a call had issued its device work: one that waits, before it waits. */
static inline int64_t call_issued_ns(const struct event_store *s, event_id call)
{
    return role_wait(store_role(s, call)) > WAITS_POLL ? s->start_ns[call]
                                                       : store_end_ns(s, call);
}

#endif
