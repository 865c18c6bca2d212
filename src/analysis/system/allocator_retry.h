/* allocator_retry.h - allocations that the caching allocator repeats because the device
 * is full.
 *
 * When the driver refuses memory, the allocator waits for the device, returns the
 * blocks it keeps and asks again (c10/cuda/CUDACachingAllocator.cpp:
 * release_cached_blocks). So within one operator there is an allocation, then calls
 * that free, then an allocation, and no launch between them. Without the caching
 * allocator an operator allocates and frees too, but launches what uses the memory in
 * between.
 *
 * `empty_cache()` returns all blocks that are free in a row, outside of operators. */
#ifndef ANALYSIS_SYSTEM_ALLOCATOR_RETRY_H
#define ANALYSIS_SYSTEM_ALLOCATOR_RETRY_H

#include "analysis/stack/tree_index.h"

struct allocator_retries {
    int64_t n, freed; /* allocations repeated; blocks returned for them */
    int64_t emptied; /* calls in rows of four and more that free, as of empty_cache() */
};

struct allocator_retries allocator_retries_find(const struct tree_index *t);

#endif
