/* micro_batches.h - gradients that are reduced more often than weights are updated.
 *
 * Where gradients accumulate over several backward passes, only the last pass before an
 * update has to reduce them; DistributedDataParallel reduces in each unless it is told
 * otherwise (`no_sync`). Its forward passes and the optimizer's steps are marked. */
#ifndef ANALYSIS_SYSTEM_MICRO_BATCHES_H
#define ANALYSIS_SYSTEM_MICRO_BATCHES_H

#include "analysis/model/system_results.h"
#include "base/arena.h"

struct trace_view;
struct work_traits;

/* `kind`: of each counted device event, enum comm_kind_id, or COMM_KINDS and more.
 * Zero where passes or updates are not marked. */
struct micro_batches micro_batches_find(struct arena tmp, const struct trace_view *v,
                                        const struct work_traits *w,
                                        const uint8_t *kind);

/* Of the reductions, those that no update needs; 0: each update has its own. */
double micro_batches_spare_frac(const struct micro_batches *m);

#endif
