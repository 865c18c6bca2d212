/* step_annotation.h - what a serving engine says of a step in its annotation: how many
 * tokens were new, how many attended to, summed over the requests of the step. */
#ifndef PERF_STEP_ANNOTATION_H
#define PERF_STEP_ANNOTATION_H

#include "base/str.h"

/* Over the requests of one kind: sums of new tokens q, of attended tokens k, and of the
 * products q q and q k. */
struct step_tokens {
    double sq, sk, sqsq, sqsk;
};

/* False: the text is of another form, or one without sums. */
bool step_annotation_read(struct str text, struct step_tokens *context,
                          struct step_tokens *generation);

#endif
