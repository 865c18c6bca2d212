/* job_run.h - all ranks of a job, in step: nobody leaves a collective before the last
 * one has come. */
#ifndef SAMPLE_JOB_RUN_H
#define SAMPLE_JOB_RUN_H

#include "job_plan.h"

struct job_rank_result {
    char file[128]; /* in the folder; empty: dropped */
    int64_t clock_ahead_ns;
    double clock_drift_ppm;
    int64_t wait_ns, blame_ns, last; /* without the first collective of the capture */
};

struct job_result {
    int64_t total_ns;    /* from the first device work of any rank to the last */
    int64_t collectives; /* of each rank */
    struct job_rank_result ranks[JOB_RANKS_MAX];
};

/* One trace a rank into `folder`, which is made; NULL: nothing is written. */
MUST_CHECK bool job_run(const struct job_plan *j, const char *folder,
                        struct job_result *result, struct err *e);

/* Runs the job, and once more without each plant, for `truth` (NULL: no truth). */
struct sample_options;
MUST_CHECK bool job_write(const struct sample_options *o, struct err *e);

#endif
