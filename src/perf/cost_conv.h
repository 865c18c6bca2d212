/* cost_conv.h - convolutions of one to three spatial dimensions, both directions. */
#ifndef PERF_COST_CONV_H
#define PERF_COST_CONV_H

#include "perf/cost.h"

void cost_conv(struct op_args *a, struct cost *c);

#endif
