/* hidden_defects.h - what a recording does not show, and what is not the program's
 * doing.
 *
 * Each does nothing where the plan does not have it, and leaves the random numbers as
 * they were. */
#ifndef SAMPLE_HIDDEN_DEFECTS_H
#define SAMPLE_HIDDEN_DEFECTS_H

#include "sample_plan.h"

/* Before the first step: another process on the device, time stamps that are deferred.
 */
void hidden_set_up(struct simulator *s, const struct sample_plan *p);

/* In a layer: the device works for a library that the profiler does not see, and the
 * host waits for it. */
void hidden_wait(struct simulator *s, const struct sample_plan *p);

/* Whether the kernels of a layer are left out, of a graph that is replayed. */
bool hidden_layer(const struct sample_plan *p, int64_t step, int64_t layer);

/* How long the collective takes that is launched now. */
double hidden_skew_ns(struct simulator *s, const struct sample_plan *p, double ns);

#endif
