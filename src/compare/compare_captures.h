/* compare_captures.h - from captures to their comparison. */
#ifndef COMPARE_COMPARE_CAPTURES_H
#define COMPARE_COMPARE_CAPTURES_H

#include "compare/comparison.h"

/* The captures are lent. False if steps that were asked for are not recorded. */
MUST_CHECK bool comparison_make(struct arena *perm, struct arena tmp,
                                const struct capture *const captures[2],
                                const int n_captures[2],
                                const struct comparison_options *o,
                                struct comparison *c, struct err *e);

/* Which of several captures of one side stands for it: that with the median step, the
 * lower one of an even number. */
int capture_median(struct arena tmp, const struct capture *const *of, int n);

#endif
