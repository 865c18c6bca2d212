/* layers_period.h - layers of a model without modules in the trace: the same kernels in
 * the same order, three times and more one after the other.
 *
 * Of the stream that computes most. Where such a period begins within a layer the names
 * do not tell; its length and its number do not depend on that. */
#ifndef ANALYSIS_STACK_LAYERS_PERIOD_H
#define ANALYSIS_STACK_LAYERS_PERIOD_H

#include "analysis/stack/layer_rows.h"

struct arena;
struct trace_view;

/* Their kernels and times; `period` 0: there is none that is half of all device time.
 */
struct layers layers_by_period(struct arena *perm, struct arena tmp,
                               const struct trace_view *v);

#endif
