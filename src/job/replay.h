/* replay.h - what a run of many ranks would take if parts of it were shorter.
 *
 * A node is a run of device work on one rank, or its stay in a collective. It starts a
 * gap after the latest of the nodes before it ends; the members of an instance end a
 * tail after the last of them has started. Without a change the replay gives what was
 * recorded, as far as the graph holds. Times are ns in doubles, exact below 2^53. Cost:
 * linear in the nodes, and each is read once, in the order in memory. */
#ifndef JOB_REPLAY_H
#define JOB_REPLAY_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

enum { REPLAY_LANES = 8, REPLAY_BEFORE = 2 };

struct replay_node {
    int32_t before[REPLAY_BEFORE]; /* earlier nodes; -1: none */
    int32_t rank, instance;        /* -1: of no instance */
    float fixed, middle;           /* what the gap and the work are multiplied with;
                                       middle less than 0: 1, and the gap is that much
                                       longer */
    int32_t slot;                  /* replay_prepare's */
    int32_t place;                 /* the maker's */
    double gap_ns;
    double dur_ns; /* of a member: from the start of the last to its own end */
};

enum replay_mode { REPLAY_AS_IS, REPLAY_FIXED, REPLAY_MIDDLE, REPLAY_MODES };

struct replay_graph {
    struct replay_node *nodes; /* those of a rank by start; prepared: so that each
                                  follows those before it, which it has by slot */
    int32_t n, n_instances, n_ranks;
    int32_t *in_instance;   /* members of each */
    int32_t n_order;        /* less than n: what waits for each other in a circle */
    int32_t n_slots;        /* ends that are still to be read, at most */
    bool scales_tails;      /* a factor is of the tails of members too */
    const double *other_ns; /* other tails, by instance; NULL: none. Less than 0:
                               the recorded one */
};

/* Finds the order, and puts the nodes in it. Nodes, instances and their numbers must be
 * set; with a circle nothing can be run. */
void replay_prepare(struct arena *perm, struct arena tmp, struct replay_graph *g);

struct replay_change {
    const uint8_t *mode; /* by rank: enum replay_mode; NULL: as is */
    bool other_tails;
};

/* When the last node ends, for each of at most REPLAY_LANES changes. */
void replay_run(const struct replay_graph *g, struct arena tmp,
                const struct replay_change *changes, int n, double *end_ns);

#endif
