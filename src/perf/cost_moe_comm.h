/* cost_moe_comm.h - tokens sent to the ranks of their experts, and brought back. */
#ifndef PERF_COST_MOE_COMM_H
#define PERF_COST_MOE_COMM_H

#include "perf/cost.h"

void cost_moe_comm(struct op_args *a, struct cost *c);

#endif
