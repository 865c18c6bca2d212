/* idle_input.h - gaps in which the host makes the input of a step.
 *
 * Such a gap is long and ends with a copy to the device. Where the profiler marks
 * steps, that copy is the first work of one. Elsewhere it recurs: the same kernel
 * follows the copy each time, as in a loop over images. A copy inside a module that ran
 * before the gap, or for most of it, is none of an input, but of something that the
 * model keeps on the host. Nor does a function make an input that first reads results
 * of the device, and works until shortly before the copy, or an operator that computes
 * on the CPU with as many bytes as were read: they work on these. Nor is what goes back
 * when the numbers of several requests were read, and no more than these: the next step
 * of a server, which depends on the tokens of this one. Nor does the step of
 * an optimizer, which makes weights. */
#ifndef ANALYSIS_SYSTEM_IDLE_INPUT_H
#define ANALYSIS_SYSTEM_IDLE_INPUT_H

#include "analysis/system/idle_gaps.h"

enum input_gap {
    INPUT_NONE,
    INPUT_MADE,
    INPUT_OR_DETOUR, /* what operators compute here may be of values of the device */
    INPUT_RESULTS    /* none: the host works on results of the device */
};

/* enum input_gap by gap. */
uint8_t *idle_input_find(struct arena *perm, struct arena tmp,
                         const struct tree_index *t, const struct idle_gaps *g);

#endif
