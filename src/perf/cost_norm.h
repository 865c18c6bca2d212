/* cost_norm.h - batch, layer, group and instance normalisation of frameworks, and RMS.
 *
 * Absent weights are recorded as [], which the reference takes for present: affine and
 * bias are true wherever their slot exists, and `training` is true for any text. */
#ifndef PERF_COST_NORM_H
#define PERF_COST_NORM_H

#include "perf/cost.h"

void cost_norm(struct op_args *a, struct cost *c);
void cost_norm_backward(struct op_args *a, struct cost *c);
void cost_rms_norm_aten(struct op_args *a, struct cost *c);
void cost_rms_norm_aten_backward(struct op_args *a, struct cost *c);
void cost_ln_modulate(struct op_args *a, struct cost *c);

#endif
