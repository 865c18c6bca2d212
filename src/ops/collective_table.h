/* collective_table.h - communication kernels of one rank, by group, kind and size.
 *
 * Reads what the profiler records about a collective in the kernel's arguments. Kernels
 * without such arguments are in the timeline and in the kernel table, not here. */
#ifndef OPS_COLLECTIVE_TABLE_H
#define OPS_COLLECTIVE_TABLE_H

#include "base/str.h"
#include "kernels/collective_kind.h"
#include "ops/sample_stats.h"

struct trace_view;

enum {
    COLLECTIVE_GROUP,
    COLLECTIVE_RANKS,
    COLLECTIVE_NAME,
    COLLECTIVE_GROUP_SIZE,
    COLLECTIVE_DTYPE,
    COLLECTIVE_IN_COUNT,
    COLLECTIVE_OUT_COUNT,
    COLLECTIVE_IN_SPLIT,
    COLLECTIVE_OUT_SPLIT,
    COLLECTIVE_KEYS
};
extern const char
    *const collective_keys[COLLECTIVE_KEYS]; /* in the order of the table */

struct collective_row {
    struct str key[COLLECTIVE_KEYS]; /* as Python prints them */
    int64_t stream;
    double in_mib, out_mib; /* NaN: element size or count unknown */
    struct sample_stats us;
};

struct collective_table {
    struct collective_row *rows; /* by time, longest first */
    int32_t n;
    int32_t n_without_facts; /* communication kernels that lack a key */
};

struct collective_table collective_table_build(struct arena *perm, struct arena tmp,
                                               const struct trace_view *v);

/* MiB that this rank puts into a collective; NaN: not recorded. */
double collective_in_mib(const struct trace_view *v, int32_t gpu);

/* Bytes of an element; 0: not recorded. */
double collective_type_bytes(const struct trace_view *v, int32_t gpu);

/* Of the group of a call; 0: not recorded. */
int64_t collective_ranks(const struct trace_view *v, int32_t gpu);

enum collective_kind collective_kind(const struct trace_view *v, int32_t gpu);

#endif
