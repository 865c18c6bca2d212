/* device_spec.h - peak figures of a device, from which rooflines are drawn.
 *
 * Built-in devices come from assets/platforms, one JSON file each; users can supply a
 * file of the same form. A device owns nothing: its texts live in the arena it was read
 * into. */
#ifndef PERF_DEVICE_SPEC_H
#define PERF_DEVICE_SPEC_H

#include "base/err.h"
#include "base/str.h"

struct arena;

struct device_peak {
    struct str spec;         /* "matrix_bf16": the reference's Compute Spec */
    double peak_tflop_per_s; /* largest achievable, 1e12 FLOP/s */
};

struct device_spec {
    struct str name;
    struct str file_text;   /* the JSON it came from */
    double memory_gb_per_s; /* 1e9 byte/s; 0: unknown */
    double memory_gb;       /* 1e9 byte; 0: unknown */
    struct device_peak *peaks;
    int n_peaks;
};

/* Read one platform document. `file` is named in errors. */
MUST_CHECK bool device_parse(struct arena *perm, struct str json, const char *file,
                             struct device_spec *out, struct err *e);

/* The peak for a Compute Spec in TFLOP/s, or 0 if the device has none. */
double device_peak(const struct device_spec *d, struct str compute_spec);

enum roofline_bound { BOUND_NONE, BOUND_COMPUTE, BOUND_MEMORY };

struct roofline {
    enum roofline_bound bound; /* BOUND_NONE: no figures */
    double time_us;            /* least time on this device */
};

/* Williams, Waterman, Patterson, "Roofline", CACM 52(4), 2009. flop > 0, byte known and
 * a peak for the spec, else BOUND_NONE. */
struct roofline roofline_of(const struct device_spec *d, double flop, double byte,
                            struct str compute_spec);

/* The same of work without arithmetic: only the bandwidth binds it. */
struct roofline roofline_of_bytes(const struct device_spec *d, double byte);

#endif
