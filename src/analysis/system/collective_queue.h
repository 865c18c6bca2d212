/* collective_queue.h - collectives that wait for nobody.
 *
 * A collective that exchanges data among all its ranks ends on all of them at about the
 * same time. One that was queued behind it, on the same stream and so of the same
 * group, begins on all of them then: its time is transfer, unless it needs what another
 * rank still computes. Where calls of the same size are faster, that is so. */
#ifndef ANALYSIS_SYSTEM_COLLECTIVE_QUEUE_H
#define ANALYSIS_SYSTEM_COLLECTIVE_QUEUE_H

#include "analysis/model/system_results.h"
#include "base/arena.h"

struct trace_view;

/* `kind`: of each counted device event, enum comm_kind_id, or COMM_KINDS and more. */
void collective_queue_find(struct arena tmp, const struct trace_view *v,
                           const uint8_t *kind, struct comm_kind kinds[COMM_KINDS]);

/* Of large messages among them, what the link moves in a second, in both directions
 * where the algorithm sends twice; 0: none. */
double collective_queue_gb_per_s(const struct comm_kind *k, enum comm_kind_id id);

/* Slower than any link, and than a tenth of the device's own if that is known, not 0;
 * and no call is faster. */
bool collective_queue_is_slow(const struct comm_kind *k, enum comm_kind_id id,
                              double peer_link_gb_per_s);

#endif
