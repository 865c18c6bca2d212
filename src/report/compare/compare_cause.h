/* compare_cause.h - what most of a difference comes from, in the words of a colleague.
 *
 * A step that is far from the others; the pace of all kernels; one call of one layer,
 * or all of one layer (compare_layer_words.h).
 * Else up to three parts of the waterfall that have most of the difference together:
 * idle time by what the host did, from the findings of the side that has more of it;
 * communication or copies that nothing hides; classes of kernels, or the operation that
 * has most of one. */
#ifndef COMPARE_CAUSE_H
#define COMPARE_CAUSE_H

#include "compare/comparison.h"
#include "report/compare/compare_step.h"

enum cause_kind {
    CAUSE_NONE, /* nothing accounts for most of it */
    CAUSE_PLACE,
    CAUSE_LAYER,
    CAUSE_STEP,
    CAUSE_PACE,
    CAUSE_EXCHANGE,
    CAUSE_RECAST,
    CAUSE_HIDDEN, /* of no difference: communication that takes longer or less, hidden
                   */
    CAUSE_IDLE,   /* this and those below: the largest of its parts */
    CAUSE_EXPOSED,
    CAUSE_TRANSFERS, /* communication or copies that take longer themselves */
    CAUSE_KERNELS
};

struct compare_cause {
    struct str says; /* a clause: "each step waits 3.876 ms more for its input
                        (`__next__`)"; empty: CAUSE_NONE */
    enum cause_kind kind;
    struct step_cause steps; /* CAUSE_STEP */
};

struct compare_cause compare_cause(struct arena *perm, const struct comparison *c);

/* What would help the candidate, where most of what it takes longer is idle time: the
 * finding that the reference has not, or has less of. NULL: another cause. */
const struct finding *compare_remedy(const struct comparison *c);

/* Whether nothing differs by more than noise: neither the whole nor a part. */
bool compare_is_noise(const struct comparison *c);

#endif
