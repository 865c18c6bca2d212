/* capture_fit.h - whether what a capture says fits together: whoever uses one that does
 * may index, add and subtract without a check. */
#ifndef CAPTURE_CAPTURE_FIT_H
#define CAPTURE_CAPTURE_FIT_H

#include "capture/capture.h"

/* What the reader of traces accepts too: sums of two fit. */
#define CAPTURE_TIME_MAX_NS (INT64_C(1) << 61)

struct capture_misfit {
    const char *where, *what; /* what NULL: it fits */
};

struct capture_misfit capture_misfit_of(const struct capture *c);

#endif
