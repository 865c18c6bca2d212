/* cost_rope.h - rotary position embedding: three FLOP for each element turned. */
#ifndef PERF_COST_ROPE_H
#define PERF_COST_ROPE_H

#include "perf/cost.h"

void cost_rope(struct op_args *a, struct cost *c);
void cost_rope_cached(struct op_args *a, struct cost *c);
void cost_rope_sgl(struct op_args *a, struct cost *c);
void cost_rope_mla_cache(struct op_args *a, struct cost *c);

#endif
