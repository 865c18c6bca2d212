/* efficiency.h - how much of the peak that binds an operation reaches
 * (analysis.md 3.2).
 *
 * Computed from the row's roofline if it has one, else from its intensity and rates.
 * Also holds what to expect of each kind of operation. Looks at one row at a time. */
#ifndef ANALYSIS_FACTS_EFFICIENCY_H
#define ANALYSIS_FACTS_EFFICIENCY_H

#include "analysis/model/finding.h"

/* `device` may be NULL: then only the intensity counts. */
struct work_efficiency efficiency_of(const struct op_group *g, enum work_category c,
                                     const struct device_spec *device);

/* The same against another peak, such as TF32's where the kernels say so; 0: unknown.
 */
struct work_efficiency efficiency_at(struct work_efficiency e, enum work_category c,
                                     double peak_tflop_per_s);

/* The same from bytes alone, for rows whose model is a fallback: memory-bound. */
struct work_efficiency efficiency_of_bytes(double bytes, double flop, double mean_us,
                                           const struct device_spec *device);

/* Efficiency expected of a kind of operation: below `enough` it is a bottleneck; a
 * better kernel is assumed to reach lo to hi. All in % of peak. */
struct expectation {
    double enough, lo, hi;
};
struct expectation expectation_of(enum work_category c);

/* Attention by sequence length; decode against bandwidth, backward a little lower. */
struct expectation expectation_of_attention(double seq, bool decode, bool backward);
struct expectation expectation_of_convolution(struct str conv_class);

#endif
