/* lane_join.h - one thread that a trace shows as two.
 *
 * Ascend's trace_view.json gives calls of the runtime a process of their own, "CANN",
 * with the threads of the real process under the same numbers: their calls belong among
 * the operators of that thread, which make them. */
#ifndef STORE_LANE_JOIN_H
#define STORE_LANE_JOIN_H

#include "store/event_store.h"

/* Moves events and arrows of such lanes to the thread they are of. */
void lanes_join(struct event_store *s);

#endif
