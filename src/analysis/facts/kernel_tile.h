/* kernel_tile.h - the tile geometry encoded in a matrix kernel's name.
 *
 * "MT256x128x64": the library is column-major, so the first side tiles the framework's
 * N and the second its M. An estimate from geometry alone: kernels that split the
 * reduction start more workgroups than it suggests, and are marked. */
#ifndef ANALYSIS_FACTS_KERNEL_TILE_H
#define ANALYSIS_FACTS_KERNEL_TILE_H

#include "base/str.h"

struct kernel_tile {
    int m, n, depth; /* 0: the name says nothing */
    bool split_k;
    bool a_transposed, b_transposed;
};

struct kernel_tile kernel_tile_of(struct str kernel_name);

/* Does the name say that the reduction is split: GSU2, PostGSU, splitK? */
bool kernel_splits_k(struct str kernel_name);

struct tile_use {
    double tiles;    /* of all b products */
    double tile_eff; /* 0 to 1 */
    double wave_eff; /* NaN: compute units unknown */
};

/* b products of m x n on `units` compute units (0: unknown). All at least 1. */
struct tile_use tile_use_of(struct kernel_tile t, double b, double m, double n,
                            int units);

#endif
