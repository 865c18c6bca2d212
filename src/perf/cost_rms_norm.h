/* cost_rms_norm.h - root mean square norms of inference libraries, with what they fuse:
 * the sum of the residual before, the rounding to fewer bits after. */
#ifndef PERF_COST_RMS_NORM_H
#define PERF_COST_RMS_NORM_H

#include "perf/cost.h"

/* A square, a sum and a division, then scale by the root and by the weight. */
double rms_norm_flop(double elements, double channels);

void cost_rms_norm(struct op_args *a, struct cost *c);
void cost_rms_norm_mxfp4(struct op_args *a, struct cost *c);

#endif
