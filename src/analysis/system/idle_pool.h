/* idle_pool.h - who would have to act on idle time, which the verdict goes by; and
 * where the parts of each group lie. */
#ifndef ANALYSIS_SYSTEM_IDLE_POOL_H
#define ANALYSIS_SYSTEM_IDLE_POOL_H

#include "analysis/system/idle_gaps.h"

enum { LATE_START_NS = 100000 }; /* work starts some 10 us after its launch */

struct idle_span_row {
    int32_t group;
    struct idle_span span;
};

/* Each group gets its range of one array. Gaps come by start, so spans do too. */
void idle_spans_place(struct arena *perm, struct idle_result *r,
                      const struct idle_span_row *spans, int32_t n);

/* Of a part of a gap. in_graph: of what was queued, between two events of one graph
 * launch or behind them; before_input: the host makes the input of a
 * step (idle_input.h). */
enum idle_pool idle_pool_of(enum idle_class class, int64_t ns, bool in_graph,
                            bool before_input);

/* Whether a data loader is what the host is in. */
bool group_is_of_loader(const struct idle_group *g);

/* The sums of the groups' pools; what waits for a data loader is input. */
void idle_pools_fill(struct idle_result *r);

#endif
