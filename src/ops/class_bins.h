/* class_bins.h - what the devices compute over time, by class of the operation.
 *
 * Where several computations run at once, the time belongs to the one that began first,
 * so the classes of a bin add up to its computation in timeline_data. */
#ifndef OPS_CLASS_BINS_H
#define OPS_CLASS_BINS_H

#include "ops/op_tables.h"
#include "ops/timeline_data.h"

/* class: kernel_class_of_events, 0 to n_classes - 1, or -1. The result: ns by
 * class, then by bin of `d`; the last, at n_classes, is of what no row counts. */
int64_t **class_bins_build(struct arena *perm, struct arena tmp,
                           const struct trace_view *v, const struct timeline_data *d,
                           const int8_t *class, int n_classes);

#endif
