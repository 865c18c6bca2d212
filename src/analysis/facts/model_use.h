/* model_use.h - model FLOP utilisation: how much of the device's peak the products,
 * convolutions and attention of a step need, by their models.
 *
 * Of steady steps, or of the window where there are none. The peak is the dense one of
 * the data sheet for the type of each call; FLOP of several types add up as the time
 * that they take at their peaks. Kernels without a model count as none, so that low
 * coverage makes a lower bound. */
#ifndef ANALYSIS_FACTS_MODEL_USE_H
#define ANALYSIS_FACTS_MODEL_USE_H

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

struct analysis;
struct arena;

struct model_use {
    double used_pct; /* of the peak; NaN: no such work, or no peak */
    double mfu_pct;  /* the same without recomputation; NaN also where something is
                        recomputed and not marked */
    double hfu_pct;  /* the same with it; NaN: nothing is recomputed */
    double
        covered_pct;  /* of kernel time without communication: has a model and a peak */
    bool lower_bound; /* that is below 60 %, or much matrix work has no model */
    struct str type;  /* "bf16": that of most of it */
    double type_pct;  /* of the time at the peak: of that type */
    double peak_tflop_per_s; /* of that type, on one device */
    double tflop;            /* of a step or of the window, on all devices */
    double tflop_per_s;
    int64_t n_steps; /* steady ones; 0: of the window */
    double time_ms;  /* of a step, or of the window */
    int n_devices;
    struct model_use_step *steps; /* two or more, in order; also those that differ */
    int32_t n;                    /* of them */
};

struct model_use_step {
    int64_t number; /* of its mark, else counted from 1 */
    bool steady;
    double time_ms, tflop, tflop_per_s; /* on all devices, without recomputation */
    double mfu_pct, hfu_pct;            /* as those of all */
};

/* The steps are in `perm`. */
struct model_use model_use_of(struct arena *perm, const struct analysis *a);

#endif
