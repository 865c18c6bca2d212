/* matrix_units.h - which matrix units a device has: by its peaks, by what the trace
 * recorded of it, or else by what its kernels are compiled for. */
#ifndef ANALYSIS_FACTS_MATRIX_UNITS_H
#define ANALYSIS_FACTS_MATRIX_UNITS_H

#include <stdbool.h>

struct analysis;
struct device_spec;
struct trace_facts;

struct matrix_units {
    bool half; /* for 16-bit types */
    bool bf16; /* among them: from Ampere on, and of every Instinct with any */
    bool tf32; /* or xf32 */
    bool fp32; /* as AMD's Instinct have from the MI100 on, and no other */
};

struct matrix_units matrix_units_of(const struct analysis *a);

/* What narrower matrix units of a device give, in TFLOP/s; 0: it has none, or unknown.
 */
double matrix_peak_half(const struct device_spec *d);
double matrix_peak_tf32(const struct device_spec *d, double generation);

/* 90 of compute capability 9.0, as the trace recorded it; NaN. */
double device_generation(const struct trace_facts *f);

#endif
