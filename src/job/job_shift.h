/* job_shift.h - by how many collectives two ranks are shifted against each other, by
 * the distances between their ends, which need no clock. */
#ifndef JOB_JOB_SHIFT_H
#define JOB_JOB_SHIFT_H

#include "job/job.h"

enum {
    SHIFT_MAX = 64,          /* collectives that a rank may lack at its beginning */
    RESIDUAL_MAX_NS = 100000 /* the right shift leaves 6 to 16 us */
};

/* The collectives of a group on one rank. */
struct lane {
    int32_t rank, n;
    int32_t *rows;
};

const struct job_member *lane_row(const struct job *j, const struct lane *l, int32_t i);
int64_t lane_end_ns(const struct job *j, const struct lane *l, int32_t i);

/* Kind and type agree, and the size where all ranks have the same: of signatures, and
 * of rows. */
bool signatures_alike(const struct job *j, int32_t a, int32_t b);
bool lane_rows_alike(const struct job *j, const struct lane *a, int32_t i,
                     const struct lane *b, int32_t k);

/* The shift that leaves least, and what the second best leaves; ns. */
struct shift {
    int by;
    int64_t best_ns, second_ns; /* -1: no such shift */
};
struct shift lanes_shift(const struct job *j, const struct lane *a,
                         const struct lane *b);

/* It is surely that shift. */
bool shift_is_verified(const struct shift *s);

#endif
