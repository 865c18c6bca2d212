/* job_pairs.h - what ranks send to each other in all-to-all-v, as splits say it. */
#ifndef REPORT_JOB_JOB_PAIRS_H
#define REPORT_JOB_JOB_PAIRS_H

#include "base/int_map.h"
#include "job/job.h"

struct arena;

enum { SPLIT_MAX = 1024 }; /* ranks of a group */

/* What one rank sent to another, summed up. */
struct job_pair {
    int32_t from, to; /* numbers of ranks, or what `unit` makes of them */
    double bytes;
    int64_t n;
};

struct job_pairs { /* begins with all but j and what ranks are summed up to zero */
    const struct job *j;
    const int32_t *unit; /* by number of the rank; -1: left out; NULL: itself */
    int32_t n_units;
    struct int_map at;
    struct job_pair *all;
    int n;
};

/* Adds what a rank sent to each other in one all-to-all-v. False: its split is not
 * recorded, was cut, or is not one number for each rank of the group; or which
 * ranks these are is not recorded. */
bool job_pairs_add(struct arena *a, struct job_pairs *p, int32_t rank,
                   const struct job_signature *s);

/* By sender, then by receiver. Nothing can be added afterwards. */
void job_pairs_sort(struct job_pairs *p);

#endif
