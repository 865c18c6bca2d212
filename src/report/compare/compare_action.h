/* compare_action.h - what to do about a difference, or that there is nothing to do.
 *
 * From the cause of the difference, for the candidate: a change that made it shorter is
 * kept, and what differs only once is measured again first. */
#ifndef REPORT_COMPARE_COMPARE_ACTION_H
#define REPORT_COMPARE_COMPARE_ACTION_H

#include "report/compare/compare_cause.h"

/* What is known of a difference beside the comparison itself. */
struct compare_acted_on {
    struct compare_cause cause;
    const struct compared_row *unexpected; /* that the hardware does not explain and
                                              costs most; NULL: none */
    bool noise;                            /* nothing differs by more */
    bool same_task; /* implemented differently, so the times can be compared */
    bool unknown;   /* one side lacks what would show whether the work is the same */
};

/* A clause in the imperative, without its full stop: "in `new`, add workers". */
struct str compare_action(struct arena *perm, const struct comparison *c,
                          const struct compare_acted_on *on);

#endif
