/* call_durations.h - how long the calls of a row took, as counts in bins.
 *
 * 16 bins an octave, so a quantile is good to 3 %. Histograms of several rows or
 * captures merge by adding counts. */
#ifndef CAPTURE_CALL_DURATIONS_H
#define CAPTURE_CALL_DURATIONS_H

#include "base/arena.h"
#include "capture/capture.h"
#include "capture/waterfall.h"

enum { CALL_BINS = 64 * 16, ROW_BINS_MAX = 25 };

int call_bin(int64_t ns);
double call_bin_ns(int bin); /* ns, its middle */

/* Calls that begin in the spans, by row and bin; of a capture without events, what it
 * brought. Columns of at most ROW_BINS_MAX bins a row: the least are joined. */
struct call_durations {
    struct capture_bin *bins; /* by row, then bin */
    const int32_t *first;     /* by row, and one more */
};

struct call_durations call_durations_of(struct arena *perm, struct arena tmp,
                                        const struct capture *c,
                                        const struct step_span *spans, int n_spans);

/* The duration below which `frac` of the calls are; NaN: none are known. */
double call_quantile(const int64_t counts[CALL_BINS], double frac);

#endif
