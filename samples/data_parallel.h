/* data_parallel.h - gradients of a distributed job: buckets and their all-reduces.
 *
 * As the backward pass produces gradients they fill buckets; a full bucket is reduced
 * on the second stream while the pass goes on. With the defect all of them wait for its
 * end. */
#ifndef SAMPLE_DATA_PARALLEL_H
#define SAMPLE_DATA_PARALLEL_H

#include "sample_plan.h"

enum { MAX_BUCKETS = 256 };

struct reducer {
    int64_t filling;              /* elements of the bucket that is not full yet */
    int64_t waiting[MAX_BUCKETS]; /* full ones, with a defect */
    int n_waiting;
};

/* AccumulateGrad of one parameter. */
void reducer_gradient(struct reducer *r, struct simulator *s,
                      const struct sample_plan *p, int64_t elements);

/* With allreduce-per-parameter, after the backward pass: one call for each gradient. */
void reducer_average(struct reducer *r, struct simulator *s,
                     const struct sample_plan *p);

/* The end of the backward pass: the optimiser may go on after this. */
void reducer_finish(struct reducer *r, struct simulator *s,
                    const struct sample_plan *p);

#endif
