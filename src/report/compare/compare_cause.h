/* compare_cause.h - what most of a difference comes from, in the words of a colleague.
 *
 * Of the difference of the windows, whatever accounts for most of it: a step that is
 * far from the others; idle time by what the host did, from the findings of the side
 * that has more of it; communication or copies that nothing hides; the pace of all
 * kernels; one operation, by layer where one layer has it; calls; a class of kernels. */
#ifndef COMPARE_CAUSE_H
#define COMPARE_CAUSE_H

#include "compare/comparison.h"

/* A clause: "each step waits 3.876 ms more for its input (`__next__`)". Empty: nothing
 * accounts for most of it. */
struct str compare_cause(struct arena *perm, const struct comparison *c);

/* Whether nothing differs by more than noise: neither the whole nor a part. */
bool compare_is_noise(const struct comparison *c);

/* What the two were set up to do differently: "the candidate replays GPU graphs".
 * Empty: nothing that the captures tell. */
struct str compare_setup_cause(struct arena *perm, const struct comparison *c);

#endif
