/* device_fit.h - whether a device's figures are those of the device in a trace.
 *
 * Names alone do not tell: an A100 has 40 or 80 GB, and its bandwidth with them. */
#ifndef PERF_DEVICE_FIT_H
#define PERF_DEVICE_FIT_H

#include "perf/device_spec.h"

/* As a trace records it; empty or 0: not recorded. */
struct traced_device {
    struct str name;
    double bytes; /* of its memory */
    int compute_units;
};

enum device_fit {
    FIT_UNKNOWN, /* the trace has nothing to compare */
    FIT_NAME,    /* another name */
    FIT_MEMORY,  /* the same name, and another size of memory */
    FIT_YES
};

enum device_fit device_fit(const struct device_spec *d, const struct traced_device *t);

/* The name without what tells variants apart: "A100" of "A100-40GB", "MI325X" of
 * "MI325X@e". */
struct str device_model(struct str name);

#endif
