/* job_measured.h - over the ranks of a job: what their traces tell of utilisation,
 * memory and counters (capture/measured.h).
 *
 * Steps of a job take all ranks equally long, so that the utilisation of the whole is
 * the mean of that of its ranks. */
#ifndef REPORT_JOB_JOB_MEASURED_H
#define REPORT_JOB_JOB_MEASURED_H

#include "base/described.h"
#include "job/job.h"

struct field_items;

struct job_measured {
    enum measure of;
    int32_t n; /* ranks that tell it */
    double least, mean, most;
    int32_t least_rank, most_rank;
};
DESCRIBED(job_measured);

/* Those that any rank tells; in `a`. */
struct field_items job_measures(struct arena *a, const struct job *j);

#endif
