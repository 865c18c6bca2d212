/* idle_peers.h - what of a device's gap is a wait for another device.
 *
 * Another one works in part of the gap. Up to a moment of the gap, the device waited
 * for that work: to its end, if what ends the gap was launched and its device not
 * ready; else to the end of the last call in which its thread waited for a device, as
 * this one had nothing to do. Behind that moment the host alone was late, whatever
 * other devices did meanwhile.
 *
 * Where no device works before that moment, all wait for what ends the gap of all; and
 * behind it, if the thread launches for other devices meanwhile. */
#ifndef ANALYSIS_SYSTEM_IDLE_PEERS_H
#define ANALYSIS_SYSTEM_IDLE_PEERS_H

#include "analysis/system/idle_late.h"
#include "timeline/interval_set.h"

struct idle_peers {
    const struct str *names;         /* "GPU 0" */
    const struct interval_set *busy; /* beside the names: when each works */
    int n, self;
    struct interval_set others;   /* the union of the others */
    const struct idle_gaps *all;  /* gaps in which none works */
    const struct late_part *late; /* of those */
    struct span hole;             /* a leading artefact: no time of any device */
};

enum peer_part {
    PEER_OWN,   /* what the host did for this device */
    PEER_ALL,   /* no device works: of which gap of all */
    PEER_WORKS, /* it waits for another device */
    PEER_HOLE   /* neither idle nor busy */
};

struct peer_walk {
    const struct idle_peers *p;
    ptrdiff_t next; /* of the others' spans */
    int32_t row;    /* of p->all: that of the last PEER_ALL */
    bool is_one;    /* what the host did behind the bound is one stretch */
    int64_t bound_ns, at_ns, end_ns;
    int device; /* that ended last before the bound; -1: none bound it */
};

struct peer_walk peer_walk_of(const struct idle_peers *p, const struct trace_view *v,
                              const struct gap_row *gap, event_id call);

/* The next part of the gap and where it ends; false: that was all. */
bool peer_walk_next(struct peer_walk *w, enum peer_part *part, struct span *to);

#endif
