/* norm_floor.h - what no fused form of a normalisation gets below.
 *
 * Statistics are complete before the first element is normalised. A slice that has one
 * statistic (a channel of a batch, a row of a layer) is read once if it stays on chip
 * meanwhile, else again; and whatever gathers the statistics now takes as long in a
 * fused form, which can use no more blocks. */
#ifndef ANALYSIS_SYSTEM_NORM_FLOOR_H
#define ANALYSIS_SYSTEM_NORM_FLOOR_H

#include "base/str.h"

struct kernel_flow;

/* 0 for a kernel of any other operator, or of a normalisation that computes no
 * statistics. `us`: what the kernel takes. */
double norm_floor_us(struct str op, struct str kernel, double us,
                     const struct kernel_flow *flow, double memory_gb_per_s);

#endif
