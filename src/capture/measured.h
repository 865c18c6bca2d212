/* measured.h - figures of a run that one trace tells and that captures keep, so that
 * comparisons and jobs show them side by side: how much of its peak a device gives, how
 * much of its memory is in use, what its counters say, how long a layer takes, where
 * compiled code breaks off.
 *
 * Each is what report.json says of the trace. NaN: not known. */
#ifndef CAPTURE_MEASURED_H
#define CAPTURE_MEASURED_H

#include "base/str.h"

struct analysis;
struct arena;
struct capture;

enum measure {
    MEASURED_MFU,     /* % of the dense peak; see analysis/facts/model_use.h */
    MEASURED_HFU,     /* the same with what is recomputed */
    MEASURED_COVERED, /* % of kernel time that models cover, for these two */
    MEASURED_FILL,    /* % of kernel time with fewer blocks than units of the device */
    MEASURED_MEMORY,  /* bytes allocated at the peak */
    MEASURED_BUS,     /* GB/s on the bus, of the best collective */
    MEASURED_SM,      /* % of SMs with work while kernels run, from here by counters */
    MEASURED_POWER,   /* W, the mean */
    MEASURED_STEP,    /* J of a step */
    MEASURED_LAYER,   /* ms of a call of a layer, both passes; of the longest class */
    MEASURED_BREAKS,  /* between calls of compiled code, in a step if steps are known */
    MEASURED_BREAK,   /* ms of host time between them, the same */
    MEASURED_AGAIN,   /* frames that were compiled more than once */
    MEASURED_ALL
};

struct str measure_name(enum measure m);  /* "mfu_pct" */
struct str measure_title(enum measure m); /* "Model FLOP utilisation, %" */
struct str measure_text(struct arena *a, enum measure m, double value); /* "12.35" */

/* Most layers that a capture keeps: models have some hundreds. The same of frames and
 * graphs of compiled code, the longest of each kind. */
enum { CAPTURE_LAYERS_MAX = 512, CAPTURE_CODE_MAX = 256 };

/* Known figures of an analysed trace, its layers and compiled code, into the capture of
 * it. */
void capture_measure(struct arena *perm, const struct analysis *a, struct capture *c);

double capture_measured(const struct capture *c, enum measure m);

#endif
