/* replay.h - what a run of many ranks would take if parts of it were shorter.
 *
 * A node is a run of device work on one rank, or its stay in a collective. It starts a
 * gap after the latest of the nodes before it ends; the members of an instance end a
 * tail after the last of them has started. Without a change the replay gives what was
 * recorded, as far as the graph holds. A segment is work and gaps that change together.
 * Times are ns in doubles, exact below 2^53. Cost: linear in the nodes. */
#ifndef JOB_REPLAY_H
#define JOB_REPLAY_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

enum { REPLAY_LANES = 4, REPLAY_BEFORE = 2 };

struct replay_node {
    int32_t before[REPLAY_BEFORE];   /* earlier nodes; -1: none */
    int32_t rank, segment, instance; /* -1: of no segment; of no instance */
    double gap_ns;
    double dur_ns; /* of a member: from the start of the last to its own end */
};

/* How segments change: by `factor`, and the gap in front of the collective behind it by
 * `extra_ns`, where there is nothing to stretch. */
struct replay_scale {
    const float *factor;
    const double *extra_ns; /* NULL: 0 */
};

enum replay_mode { REPLAY_AS_IS, REPLAY_MENDED, REPLAY_MIDDLE, REPLAY_MODES };

struct replay_graph {
    struct replay_node *nodes; /* those of a rank by start */
    int32_t n, n_instances;
    int32_t *in_instance; /* members of each */
    int32_t *order;       /* so that each follows those before it */
    int32_t n_order;      /* less than n: what waits for each other in a circle */
    struct replay_scale scale[REPLAY_MODES]; /* the first is not read */
    bool scales_tails; /* a factor is of the tails of members too */
    const double *other_ns; /* other tails, by instance; NULL: none. Less than 0:
                               the recorded one */
    int32_t *first_member, *members; /* of each instance: nodes */
};

/* Finds the order. Nodes, instances and their numbers must be set. */
void replay_prepare(struct arena *perm, struct arena tmp, struct replay_graph *g);

struct replay_change {
    const uint8_t *mode; /* by rank: enum replay_mode; NULL: as is */
    bool other_tails;
};

/* When the last node ends, for each of at most REPLAY_LANES changes. */
void replay_run(const struct replay_graph *g, struct arena tmp,
                const struct replay_change *changes, int n, double *end_ns);

#endif
