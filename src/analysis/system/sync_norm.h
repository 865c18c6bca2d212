/* sync_norm.h - batch normalisation that shares its statistics with all ranks.
 *
 * A SyncBatchNorm layer gathers the statistics of all ranks before it normalises, and
 * reduces their gradients in the backward pass: the next kernel needs the result, so
 * that nothing hides the call, however small it is. Which ranks had samples, the host
 * reads from the device.
 *
 * A layer that keeps its statistics to itself needs what gathers them and what
 * normalises: the longest kernels before the collective and behind it. What lies
 * between goes, on the device and on the host. */
#ifndef ANALYSIS_SYSTEM_SYNC_NORM_H
#define ANALYSIS_SYSTEM_SYNC_NORM_H

#include "analysis/model/system_results.h"
#include "analysis/system/loop_work.h"
#include "timeline/interval_set.h"

struct trace_view;

/* `kind`: of each counted device event, enum comm_kind_id, or COMM_KINDS and more.
 * `compute`: when the device computes. */
struct sync_norm sync_norm_find(struct arena tmp, const struct trace_view *v,
                                const uint8_t *kind, struct interval_set compute);

/* What goes with the sharing. `copies`: to the host, of those. */
struct loop_work sync_norm_work(struct arena *perm, struct arena tmp,
                                const struct analysis *a, const struct trace_view *v,
                                int32_t *copies);

#endif
