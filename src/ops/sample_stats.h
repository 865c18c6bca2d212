/* sample_stats.h - mean, median, deviation, least and largest of some numbers.
 *
 * Skips NaN samples; without any sample, everything but n and sum is NaN. */
#ifndef OPS_SAMPLE_STATS_H
#define OPS_SAMPLE_STATS_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

struct sample_stats {
    int64_t n;
    double sum, mean, median, std, min, max; /* std: of a sample (n - 1); NaN for one */
};

/* values are reordered. */
struct sample_stats stats_of(double *values, int64_t n);

/* The same in a fraction of the time, without median and std: NaN. */
struct sample_stats stats_sum(double *values, int64_t n);

/* The 95th percentile of n values, none NaN, by nearest rank. Reorders them; NaN if n
 * is 0. */
double stats_p95(double *values, int64_t n);

/* Pairwise sum in blocks of eight sums, as in numpy: the reference rounds a mean made
 * from it, so the last bit matters. */
double stats_sum_by_halves(const double *values, int64_t n);

/* The deviation of the whole population (n instead of n - 1) from the same figures. */
double stats_population_std(const struct sample_stats *s);

#endif
