/* sharded_units.h - a sharded model (FSDP) whose units are single layers of a block.
 *
 * Each unit gathers its parameters and reduces its gradients in calls of their own,
 * with hooks of the wrapper on the host around them. Where a block is several units,
 * the sizes of all-gathers repeat after as many calls: with the block as one unit, one
 * of these calls and hooks is left of each round, and the latency of the others goes.
 */
#ifndef ANALYSIS_SYSTEM_SHARDED_UNITS_H
#define ANALYSIS_SYSTEM_SHARDED_UNITS_H

#include "analysis/system/loop_work.h"

/* Calls after which the sizes of all-gathers repeat; 0: hooks of no such wrapper are
 * recorded, or sizes, or no round of three units and more. `kind`: of each counted
 * device event, enum comm_kind_id, or COMM_KINDS and more. */
int32_t sharded_units_period(struct arena tmp, const struct trace_view *v,
                             const uint8_t *kind);

/* What goes with one unit for each round: hooks, and the latency that the smallest call
 * shows beside the rate of the largest. */
struct loop_work sharded_units_work(struct arena *perm, struct arena tmp,
                                    const struct trace_view *v, int32_t period);

#endif
