/* compare_step.h - steps that are far from the others of their side, as what a
 * difference comes from. */
#ifndef COMPARE_STEP_H
#define COMPARE_STEP_H

#include "compare/comparison.h"

struct step_cause {
    struct str says;              /* a clause; empty: there are none */
    int side;                     /* of which capture they are */
    int64_t step;                 /* the number of the longest of them */
    int n_steps;                  /* how many there are */
    const struct finding *remedy; /* what would help there; NULL: not known */
};

/* Fewer than half of the steps of one side, each far longer than its median one, that
 * account for most of the difference beyond those of the other side: "step 7 of `new`
 * takes 40.000 ms, 30.000 ms more than the median step", "every 4th step of `new`
 * takes ...". */
struct step_cause compare_step_cause(struct arena *perm, const struct comparison *c);

#endif
