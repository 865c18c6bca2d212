/* job_spread.h - how the parts of the time of a job's ranks spread over them. */
#ifndef REPORT_JOB_JOB_SPREAD_H
#define REPORT_JOB_JOB_SPREAD_H

#include "job/job.h"

struct arena;

/* Parts of a rank's window, which exclude each other and add up to it. */
enum job_part {
    JOB_PART_COMPUTE,
    JOB_PART_TRANSFER,
    JOB_PART_WAIT,
    JOB_PART_COPY,
    JOB_PART_IDLE,
    JOB_PARTS
};

struct job_spread { /* over ranks; the middle is the lower one of two */
    int64_t least_ns, middle_ns, most_ns, sum_ns;
};

struct str job_part_key(enum job_part p);  /* "compute_ns" */
struct str job_part_word(enum job_part p); /* "computing" */

int64_t job_part_ns(const struct job_balance *b, enum job_part p);

void job_spreads(struct arena tmp, const struct job *j,
                 struct job_spread to[JOB_PARTS]);

#endif
