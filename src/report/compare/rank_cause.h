/* rank_cause.h - why a rank of a job is late, from what a comparison with another rank
 * shows, in the words of a colleague. */
#ifndef REPORT_COMPARE_RANK_CAUSE_H
#define REPORT_COMPARE_RANK_CAUSE_H

#include "compare/comparison.h"

/* What makes a rank late, from the comparison of a rank that is not (reference) with
 * it (candidate), over the steps of both. Waiting for others does not count. */
enum rank_cause {
    RANK_CAUSE_NONE,   /* nothing accounts for most of it */
    RANK_CAUSE_CLOCKS, /* all kernels take longer */
    RANK_CAUSE_KERNEL, /* one does, or those of a class */
    RANK_CAUSE_WORK,   /* it has more to do */
    RANK_CAUSE_HOST,   /* the same calls take its host longer */
    RANK_CAUSE_INPUT,  /* its data loader */
    RANK_CAUSE_WAITS,  /* the host does something that the finding names */
    RANK_CAUSE_COPIES, /* to its host, which others do not make */
    RANK_CAUSES
};

struct rank_cause_said {
    enum rank_cause cause;
    struct str because; /* a clause: "all kernels take 15.0% longer: clock ..." */
};

struct rank_cause_said compare_rank_cause(struct arena *perm, struct arena tmp,
                                          const struct comparison *c);

#endif
