/* host_defects.h - mistakes of the host between launches, and what looks like one.
 *
 * Each does nothing where the plan does not have it, and leaves the random numbers as
 * they were: the rest of the trace is the same with it and without. */
#ifndef SAMPLE_HOST_DEFECTS_H
#define SAMPLE_HOST_DEFECTS_H

#include "sample_plan.h"

/* The recording begins while the device is busy with what was launched before it; all
 * that shows is one copy on another stream. */
void host_leading_artefact(struct simulator *s, const struct sample_plan *p);

/* Before a step: images resized in Python. */
void host_preprocessing(struct simulator *s, const struct sample_plan *p);

/* Before a step: an input is prepared, and copied to the device. */
void host_input_loop(struct simulator *s, const struct sample_plan *p);

/* Before a step: attention over a cache in the memory of the host, by operators that
 * launch nothing. */
void host_cpu_attention(struct simulator *s, const struct sample_plan *p);

/* Before a step: a function is called a few times, and stands still in one call. */
void host_pause(struct simulator *s, const struct sample_plan *p, int64_t step);

/* Before a step: logits are read, tokens are chosen on the host and copied back. */
void host_sampler(struct simulator *s, const struct sample_plan *p);

/* In a layer: memory taken from the driver, and given back to it. */
void host_allocator(struct simulator *s, const struct sample_plan *p);

#endif
