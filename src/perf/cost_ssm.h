/* cost_ssm.h - state space models: the short convolution before, and the scan; and the
 * loss at the end, which has no family to share a file with. */
#ifndef PERF_COST_SSM_H
#define PERF_COST_SSM_H

#include "perf/cost.h"

void cost_causal_conv1d(struct op_args *a, struct cost *c);
void cost_mamba(struct op_args *a, struct cost *c);
void cost_cross_entropy(struct op_args *a, struct cost *c);

#endif
