/* kernel_grid.h - how many blocks a kernel was launched with, where it is recorded. */
#ifndef ANALYSIS_FACTS_KERNEL_GRID_H
#define ANALYSIS_FACTS_KERNEL_GRID_H

#include "base/arena.h"
#include "base/str.h"

struct event_store;
struct op_tables;

struct kernel_grid {
    double blocks; /* NaN: not recorded */
    int64_t side[3];
};

struct kernel_grid kernel_grid_of(const struct event_store *s, int32_t gpu);

/* PyTorch writes what the launch call was given, and two calls of HIP count a grid in
 * work items, as OpenCL does: in blocks. */
struct kernel_grid kernel_grid_in_blocks(const struct op_tables *t, int32_t gpu);

/* The same of the threads of a block. */
struct kernel_grid kernel_block_of(const struct event_store *s, int32_t gpu);

/* "3 x 1 x 1"; empty: not recorded. */
struct str kernel_grid_text(struct arena *a, const struct kernel_grid *g);

#endif
