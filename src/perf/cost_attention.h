/* cost_attention.h - scaled dot product attention of training frameworks.
 *
 * Softmax, masks and dropout cost nothing here; two bytes an element whatever the type.
 */
#ifndef PERF_COST_ATTENTION_H
#define PERF_COST_ATTENTION_H

#include "perf/cost.h"

void cost_attention(struct op_args *a, struct cost *c);

#endif
