/* device_fit.h - whether a device's figures are those of the device in a trace.
 *
 * Names alone do not tell: an A100 has 40 or 80 GB, and its bandwidth with them, and
 * sits on a board for SXM or PCIe. */
#ifndef PERF_DEVICE_FIT_H
#define PERF_DEVICE_FIT_H

#include "perf/device_spec.h"

/* As a trace records it; empty or 0: not recorded. */
struct traced_device {
    struct str name;
    double bytes; /* of its memory */
    int compute_units;
    double generation; /* NVIDIA's compute capability, times ten; 0 or NaN: not known */
};

enum device_fit {
    FIT_UNKNOWN, /* the trace has nothing to compare */
    FIT_NAME,    /* another device */
    FIT_MEMORY,  /* the same device, and another size of memory */
    FIT_FORM,    /* the same device on another board: SXM and PCIe */
    FIT_YES
};

/* Whether its name tells more than the vendor. */
bool device_is_named(const struct traced_device *t);

enum device_fit device_fit(const struct device_spec *d, const struct traced_device *t);

/* How well a device fits, to choose among variants: units, form and memory count, in
 * this order. Below 0: it is not FIT_YES. */
double device_likeness(const struct device_spec *d, const struct traced_device *t);

#endif
