/* launch_shape.h - how large a launch is for its device: blocks, threads, registers, as
 * the profiler recorded them with the kernel.
 *
 * CUDA traces have blocks per SM and an estimate of occupancy; others have only the
 * grid, which the units of the device divide. NaN: not recorded. */
#ifndef OPS_LAUNCH_SHAPE_H
#define OPS_LAUNCH_SHAPE_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

struct event_store;
struct value;

struct launch_shape {
    double blocks_per_unit; /* of SMs or compute units */
    bool has_grid;          /* recorded; the units may still be unknown */
    double threads;         /* of a block */
    double occupancy_pct;   /* estimated by the profiler, which writes 0 for unknown */
    double registers, shared_bytes; /* of a thread, of a block */
    /* How often the units take blocks until all have run, and which part of the last
     * time they are without: by the blocks that fit at once where the estimate of
     * occupancy tells, by one block each where there is none at all. */
    double waves, tail_pct;
};

struct launch_units {
    int n;               /* SMs or compute units; 0: unknown */
    double most_threads; /* of one at a time; 0: unknown */
};

/* `args`: what is recorded with the kernel; may be NULL. */
struct launch_shape launch_shape_of(const struct value *args,
                                    struct launch_units units);

/* Those of all kernels of a trace, each distinct one once. */
struct launch_shapes {
    const struct launch_shape *list;
    const int32_t *of; /* by row of store.texts: from 1; 0: nothing is recorded */
};

struct launch_shapes launch_shapes_of(struct arena *perm, struct arena tmp,
                                      const struct event_store *s,
                                      const int32_t *events, int32_t n,
                                      struct launch_units units);

/* NULL: nothing is recorded of this event. */
const struct launch_shape *launch_shape_find(const struct launch_shapes *l,
                                             const struct event_store *s, int32_t gpu);

#endif
