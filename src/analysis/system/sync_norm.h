/* sync_norm.h - collectives by which batch normalisation shares its statistics.
 *
 * A SyncBatchNorm layer gathers the statistics of all ranks before it normalises, and
 * reduces their gradients in the backward pass: the next kernel needs the result, so
 * that nothing hides the call, however small it is. */
#ifndef ANALYSIS_SYSTEM_SYNC_NORM_H
#define ANALYSIS_SYSTEM_SYNC_NORM_H

#include "analysis/model/system_results.h"
#include "base/arena.h"
#include "timeline/interval_set.h"

struct trace_view;

/* `kind`: of each counted device event, enum comm_kind_id, or COMM_KINDS and more.
 * `compute`: when the device computes. */
struct sync_norm sync_norm_find(struct arena tmp, const struct trace_view *v,
                                const uint8_t *kind, struct interval_set compute);

#endif
