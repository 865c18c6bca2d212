/* duration_bins.h - how long things take: counts and times in fixed bins, eight per
 * decade from 0.1 us to 1 s. The first and last bins also hold what is outside. */
#ifndef OPS_DURATION_BINS_H
#define OPS_DURATION_BINS_H

#include <stdint.h>

enum { DURATION_BINS = 56 };

struct duration_bins {
    int64_t count[DURATION_BINS];
    int64_t total_ns[DURATION_BINS];
};

/* Where bin k begins and bin k - 1 ends; k may be DURATION_BINS. */
double duration_edge_us(int k);

void duration_bins_add(struct duration_bins *d, int64_t ns);

#endif
