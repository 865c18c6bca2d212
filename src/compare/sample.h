/* sample.h - what was measured in one capture, a value a step. */
#ifndef COMPARE_SAMPLE_H
#define COMPARE_SAMPLE_H

#include "base/arena.h"

#include <stdint.h>

struct sample {
    const double *steps;
    int n;
};

/* Sorts the values; NaN if there are none. */
double median_of(double *values, int n);

/* Over its steps; NaN if there are none. */
double sample_mean(const struct sample *s);
double sample_median(struct arena tmp, const struct sample *s);

#endif
