/* job_graph.h - the recorded run of a job as a graph that can be replayed with changes:
 * job_whatif.c asks what ranks cost, job_mends.c what nodes, roles and causes do.
 *
 * Made in `tmp`; what is left of `perm` serves as scratch while it is. */
#ifndef JOB_JOB_GRAPH_H
#define JOB_JOB_GRAPH_H

#include "job/job_parts.h"
#include "job/replay.h"

struct job_graph {
    struct job *j;
    struct arena *perm, tmp;
    struct replay_graph g;
    int32_t *first_row, n_rows; /* of each rank: its place among all rows */
    struct job_scales scales;
};

/* With a circle, g.n_order is less than g.n, and it cannot be run. */
void job_graph_build(struct job_graph *w);

/* How long the run is, for at most REPLAY_LANES sets of modes. */
void job_graph_run(struct job_graph *w, const uint8_t *const *modes, int n,
                   int64_t *end_ns);

/* Other scales, by place, for REPLAY_MENDED. */
void job_graph_mend(struct job_graph *w, const float *scales);

#endif
