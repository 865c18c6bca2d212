/* device_fill.h - how well the launches of kernels fill the device: blocks for every
 * SM or compute unit, waves, occupancy.
 *
 * Sums of kernel time, and means weighted with it. Communication kernels are apart:
 * they take few blocks on purpose. */
#ifndef OPS_DEVICE_FILL_H
#define OPS_DEVICE_FILL_H

#include "ops/launch_shape.h"

#include <stdbool.h>

struct kernel_tables;
struct trace_view;

/* Of some kernels. Means are NaN where nothing of that is recorded. */
struct fill_sum {
    int64_t kernel_ns, known_ns; /* all; with blocks for each unit */
    int64_t grid_ns;             /* with a grid, of known_ns or not */
    int64_t few_ns;              /* with fewer blocks than units */
    double few_pct;              /* of kernel_ns */
    double known_pct, blocks_per_unit;
    double empty_pct;                          /* of the units: no block for them */
    double waves, tail_pct;                    /* of those whose waves are known */
    double occupancy_pct, occupancy_known_pct; /* the latter of kernel_ns */
    double threads, registers, shared_bytes;   /* the most */
};

struct device_fill {
    struct launch_units units;
    bool says_sm; /* "SM", as CUDA calls them; else compute units */
    struct launch_shapes shapes;
    struct fill_sum all, work; /* kernels that count; without communication */
    struct fill_sum *rows;     /* by row of kernel_tables; NULL: not asked for */
};

struct str device_fill_units(const struct device_fill *f); /* "SMs" */

struct device_fill device_fill_of(struct arena *perm, struct arena tmp,
                                  const struct trace_view *v, int compute_units);
void device_fill_rows(struct arena *perm, struct arena tmp, struct device_fill *f,
                      const struct trace_view *v, const struct kernel_tables *k);

#endif
