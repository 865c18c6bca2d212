/* step_annotation.h - what a serving engine's annotation records about a step: how many
 * tokens were new and how many attended to, summed over the step's requests. */
#ifndef PERF_STEP_ANNOTATION_H
#define PERF_STEP_ANNOTATION_H

#include "base/str.h"

/* Sums over the requests of one kind: new tokens q, attended tokens k, and the products
 * q q and q k. */
struct step_tokens {
    double sq, sk, sqsq, sqsk;
};

/* False if the text has another form, or no sums. */
bool step_annotation_read(struct str text, struct step_tokens *context,
                          struct step_tokens *generation);

#endif
