/* backward_prefetch.h - a sharded model (FSDP) whose backward pass gathers the
 * parameters of a layer only once it comes to it.
 *
 * The all-gather of the next layer is then queued behind the reduce-scatter of the last
 * one, and nothing can be computed before both are done. Where it is launched a layer
 * earlier, that layer's computation runs beside the next all-gather and the
 * reduce-scatter alike. */
#ifndef ANALYSIS_SYSTEM_BACKWARD_PREFETCH_H
#define ANALYSIS_SYSTEM_BACKWARD_PREFETCH_H

#include "analysis/model/system_results.h"
#include "base/arena.h"
#include "timeline/interval_set.h"

struct trace_view;

/* `kind`: of each counted device event, enum comm_kind_id, or COMM_KINDS and more;
 * `compute`: when the device computes. No pairs where the hooks of no such wrapper are
 * recorded, or some of them prefetch. */
struct backward_prefetch backward_prefetch_find(struct arena *perm, struct arena tmp,
                                                const struct trace_view *v,
                                                const uint8_t *kind,
                                                struct interval_set compute);

#endif
