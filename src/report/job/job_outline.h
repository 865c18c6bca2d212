/* job_outline.h - what a comparison of two jobs needs of one: totals, how time spreads
 * over its ranks, why ranks are late, who makes others wait, how fast data moves.
 *
 * Read from the job.json of a finished job. Texts are hostile. */
#ifndef REPORT_JOB_JOB_OUTLINE_H
#define REPORT_JOB_JOB_OUTLINE_H

#include "report/job/job_spread.h"

struct outline_rank {
    int rank;
    int64_t blame_ns, late_ns;
    bool is_named;
    struct str cause; /* empty: none */
};

struct outline_speed { /* transfers of one kind and size */
    struct str kind, dtype;
    int64_t bytes; /* -1: unknown */
    int n_ranks;
    bool crosses_nodes;
    int64_t n, transfer_ns, wait_ns;
    double bus_gb_s; /* NaN: unknown */
};

struct job_outline {
    struct str label, id;
    int n_ranks, n_expected, n_nodes, n_steps, n_groups;
    int64_t n_instances, run_ns, step_ns, wait_ns;
    int64_t replayed_ns, ideal_ns; /* -1: not evaluated */
    struct job_spread parts[JOB_PARTS];
    int64_t late_ns[SEGMENT_PARTS], cause_ns[CAPTURE_CAUSES]; /* sums over ranks */
    struct outline_rank *ranks; /* by number; not all, if there are very many */
    int n_listed;
    struct outline_speed *speeds;
    int n_speeds;
};

#endif
