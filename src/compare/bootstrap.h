/* bootstrap.h - how far a difference may be from what was seen, by drawing again.
 *
 * 2,000 draws from xoshiro256**: the same seed gives the same figures. */
#ifndef COMPARE_BOOTSTRAP_H
#define COMPARE_BOOTSTRAP_H

#include "compare/sample.h"

/* The middle 95 % of the difference of medians, in % of the reference. */
void bootstrap_interval(struct arena tmp, const struct sample *const captures[2],
                        const int n[2], uint64_t seed, double *low_pct,
                        double *high_pct);

/* The least difference of two sides, in % of the reference, that captures like these show
 * in four of five tries, at 5 % two-sided. Captures are drawn from those of both sides
 * together, each as far from the mean of its side as it was seen; the value of a side is
 * that of its median capture, the lower of two. values: a mean a capture, > 0.
 *
 *   returns   t(0.975) + t(0.8) standard deviations of what is drawn; NaN: a side has
 *             fewer than two captures
 *   source    Efron, Tibshirani, "An Introduction to the Bootstrap", 1993, chapter 8;
 *             factors: Bloom, "Minimum detectable effects", Evaluation Review 19(5), 1995 */
double bootstrap_least_pct(struct arena tmp, const double *const values[2],
                           const int n[2], uint64_t seed);

#endif
