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

/* Vendors publish what the units could do; what a product of matrices reaches at best
 * is up to half of it. Efficiencies of two devices compare only by the same kind. */
enum peak_kind { PEAKS_UNKNOWN, PEAKS_ACHIEVABLE, PEAKS_DATASHEET };

struct device_spec {
    struct str name;
    struct str file_text;   /* the JSON it came from */
    double memory_gb_per_s; /* 1e9 byte/s; 0: unknown */
    double memory_gb;       /* as sold: 2^30 byte, give or take; 0: unknown */
    int compute_units;      /* SMs, compute units, Xe cores; 0: unknown */
    double l2_mb;           /* 2^20 byte; 0: unknown */
    double host_link_gb_per_s, peer_link_gb_per_s; /* one direction; 0: unknown */
    char form;                                     /* as in device_words; 0: unknown */
    struct str arch;                               /* "gfx942", "sm_90"; empty: unknown */
    enum peak_kind kind;                           /* of `peaks` */
    struct device_peak *peaks;
    int n_peaks;
    struct device_peak *sheet; /* the data sheet's, where `peaks` are achievable */
    int n_sheet;
    double sheet_gb_per_s; /* 0: as memory_gb_per_s */
};

/* Read one platform document. `file` is named in errors. */
MUST_CHECK bool device_parse(struct arena *perm, struct str json, const char *file,
                             struct device_spec *out, struct err *e);

/* The largest of the 16-bit types on matrix units, by which devices are compared. */
double device_half_peak(const struct device_spec *d);

/* The peak for a Compute Spec in TFLOP/s, or 0 if the device has none. */
double device_peak(const struct device_spec *d, struct str compute_spec);

/* The same of the data sheet, whether `peaks` are that or not; 0: unknown. */
double device_sheet_peak(const struct device_spec *d, struct str compute_spec);

/* What work of a type is judged by: the peak for its spec, or else the data sheet's.
 * Products without matrix units for their type run on the vector units, as those in
 * FP32 do on NVIDIA's. Never the peak of another type; 0: unknown. */
double device_type_peak(const struct device_spec *d, struct str compute_spec);

/* Makes the data sheet's figures those that count. False: they are unknown. */
bool device_use_sheet(struct device_spec *d);

enum roofline_bound { BOUND_NONE, BOUND_COMPUTE, BOUND_MEMORY };

struct roofline {
    enum roofline_bound bound; /* BOUND_NONE: no figures */
    double time_us;            /* least time on this device */
};

/* Williams, Waterman, Patterson, "Roofline", CACM 52(4), 2009. flop > 0, byte known and
 * a peak for the spec, else BOUND_NONE. */
struct roofline roofline_of(const struct device_spec *d, double flop, double byte,
                            struct str compute_spec);

/* The same by device_type_peak. */
struct roofline roofline_of_type(const struct device_spec *d, double flop, double byte,
                                 struct str compute_spec);

/* The same of work without arithmetic: only the bandwidth binds it. */
struct roofline roofline_of_bytes(const struct device_spec *d, double byte);

#endif
