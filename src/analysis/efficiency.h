/* efficiency.h - how much of the peak that binds an operation reaches
 * (analysis.md 3.2).
 *
 * From the roofline of its row where there is one; else from its intensity and rates.
 * Also what may be expected of its kind. Nothing here looks at other rows. */
#ifndef ANALYSIS_EFFICIENCY_H
#define ANALYSIS_EFFICIENCY_H

#include "analysis/finding.h"

/* `device` may be NULL: only the intensity speaks. */
struct work_efficiency efficiency_of(const struct op_group *g, enum work_category c,
                                     const struct device_spec *device);

/* The same from bytes alone, for rows whose model is a fallback: memory-bound. */
struct work_efficiency efficiency_of_bytes(double bytes, double flop, double mean_us,
                                           const struct device_spec *device);

/* Efficiency expected of a kind: below `enough` it is a bottleneck; a better kernel is
 * assumed to reach lo to hi. All in % of peak. */
struct expectation {
    double enough, lo, hi;
};
struct expectation expectation_of(enum work_category c);

/* Attention by sequence length; decode against bandwidth, backward a little lower. */
struct expectation expectation_of_attention(double seq, bool decode, bool backward);
struct expectation expectation_of_convolution(struct str conv_class);

/* Time in ms above which a group of a category matters, whatever its share. */
double bottleneck_ms(enum work_category c);

/* "Excellent", "Good", "Acceptable", "Needs investigation"; NaN: "Not modelled". */
struct str efficiency_word(double percent);

/* "low", "intermediate", "moderately high", "high". */
struct str intensity_word(double flop_per_byte);

/* Compute units of a device, from its document; 0: not known. */
int device_compute_units(const struct device_spec *d);

#endif
