/* collective_rows.h - collectives of one kind that follow each other with next to no
 * computation between them: what one call for all of them would do as well.
 *
 * Layers that are split over devices compute between their collectives, at least a
 * matrix product; gradients that are reduced one by one do not. What a graph replays is
 * left out: no call of the host goes with its collectives. */
#ifndef ANALYSIS_SYSTEM_COLLECTIVE_ROWS_H
#define ANALYSIS_SYSTEM_COLLECTIVE_ROWS_H

#include "analysis/model/system_results.h"

struct work_traits;

/* Sets `rows` and `in_rows` of every kind. `kind`: by place in v->counted, an enum
 * comm_kind_id; COMM_KINDS for what computes, and any other number for the rest. */
void collective_rows_find(struct arena tmp, const struct trace_view *v,
                          const struct work_traits *w, const uint8_t *kind,
                          struct comm_kind kinds[COMM_KINDS]);

#endif
