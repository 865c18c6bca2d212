/* cost_inference_attention.h - attention of serving engines, over a cache of keys.
 *
 * How much is attended to is not in the shapes: the step's annotation says it. */
#ifndef PERF_COST_INFERENCE_ATTENTION_H
#define PERF_COST_INFERENCE_ATTENTION_H

#include "perf/cost.h"

void cost_inference_attention(struct op_args *a, struct cost *c);
void cost_sparse_prefill(struct op_args *a, struct cost *c);
void cost_gdn_attention(struct op_args *a, struct cost *c);
void cost_store_cache(struct op_args *a, struct cost *c);

#endif
