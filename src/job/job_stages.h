/* job_stages.h - the stages of a pipeline, from the ranks of its groups. */
#ifndef JOB_JOB_STAGES_H
#define JOB_JOB_STAGES_H

#include "job/job.h"

struct job_stages {
    int32_t *of; /* by place of rank, from 0 */
    int n;       /* 0: no pipeline, or its groups do not order all ranks of the job */
};

/* Groups for pipelines (job_group.role) list ranks from the first stage to the last: all
 * of one, or neighbors. A ring, as stages that take turns have, orders nothing. */
struct job_stages job_stages_find(struct arena *perm, const struct job *j);

#endif
