/* bootstrap.h - an interval for a difference, by drawing captures and steps again.
 *
 * Percentiles of 2,000 draws from xoshiro256**: the same seed gives the same interval.
 */
#ifndef COMPARE_BOOTSTRAP_H
#define COMPARE_BOOTSTRAP_H

#include "compare/sample.h"

/* The middle 95 % of the difference of medians, in % of the reference. */
void bootstrap_interval(struct arena tmp, const struct sample *const captures[2],
                        const int n[2], uint64_t seed, double *low_pct,
                        double *high_pct);

#endif
