/* cost_mhc.h - hyper-connections: n residual streams mixed before and after a layer. */
#ifndef PERF_COST_MHC_H
#define PERF_COST_MHC_H

#include "perf/cost.h"

void cost_mhc(struct op_args *a, struct cost *c);

#endif
