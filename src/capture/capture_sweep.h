/* capture_sweep.h - what each part takes of a capture's time, or of some of it.
 *
 * Where kernels of several classes share a stretch, what integer division leaves goes
 * to the first of them by the bytes of its displayed name. */
#ifndef CAPTURE_CAPTURE_SWEEP_H
#define CAPTURE_CAPTURE_SWEEP_H

#include "capture/capture.h"
#include "capture/waterfall.h"

/* Into parts_ns what lies in the spans, which are in order and disjoint. */
void capture_sweep(struct arena tmp, const struct capture *c,
                   const struct step_span *spans, int n_spans,
                   int64_t parts_ns[CAPTURE_PARTS]);

/* The parts of the window and of each step. */
void capture_find_sums(struct arena tmp, struct capture *c);

#endif
