/* device_bins.h - what the run looked like over time on one of several devices. */
#ifndef OPS_DEVICE_BINS_H
#define OPS_DEVICE_BINS_H

#include "ops/class_bins.h"

struct device_bins {
    const struct timeline_data *over_time; /* bins and steps of all devices */
    int64_t **computed_ns;                 /* class_bins.h */
};

/* Of the device at a place of v->devices. */
struct device_bins device_bins_build(struct arena *perm, struct arena tmp,
                                     const struct trace_view *v, int device,
                                     const int8_t *class, int n_classes);

#endif
