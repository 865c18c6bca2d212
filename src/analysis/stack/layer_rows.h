/* layer_rows.h - the layers of a model, one by one, as values; layers.h finds them. */
#ifndef ANALYSIS_STACK_LAYER_ROWS_H
#define ANALYSIS_STACK_LAYER_ROWS_H

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

struct layer {
    struct str name, class; /* "ViTLayer_3", "ViTLayer" */
    int64_t calls, kernels;
    int64_t forward_ns, backward_ns; /* durations of device events, summed */
    int64_t idle_ns; /* nothing of it runs between its first and its last, by call */
    double share_pct, off_pct; /* of all device time; from the median of its class */
    bool off;                  /* by more than LAYERS_DIFFER_PCT, where most are not */
    /* By performance models; NaN: none. */
    double bytes, efficiency_pct; /* moved; of the peak that binds, weighted by time */
    double covered_pct;           /* of its time */
};

enum { LAYERS_DIFFER_PCT = 15 };

/* All modules of a class, whether they repeat or not. */
struct module_row {
    struct str name; /* "Linear" */
    int64_t instances, calls;
    int64_t below_ns, own_ns; /* device time that their calls launch; outside of other
                                 modules in them. Of the forward pass, and of what is
                                 computed again */
    double share_pct;         /* of all device time: below_ns */
    double bytes;             /* that they hold at the peak of memory; NaN: not known */
};

struct modules {
    struct module_row *rows; /* by own_ns, longest first */
    int32_t n;               /* 0: the trace has none */
};

struct layer_class {
    struct str name;
    int32_t first, n; /* of the rows */
    int32_t n_off;    /* that differ */
    double total_ms, mean_ms, share_pct;
    int64_t least_ns, median_ns, most_ns;
    int64_t backward_ns;
};

struct layers {
    struct layer *rows; /* class by class, in the order in which they ran first */
    struct layer_class *classes; /* longest first */
    int32_t n, n_classes;        /* 0: none */
    int32_t period;              /* kernels in one that only they tell; 0: modules do */
    struct modules modules;
};

#endif
