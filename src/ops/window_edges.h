/* window_edges.h - where the window of percentages begins and ends.
 *
 * Before the first device event the host may keep the device waiting, and behind the
 * last one too: a wait for data is as much idle time as a gap. The window begins where
 * the host begins the first recorded step; without marks, with the first wait for a
 * DataLoader that comes before all device work; else with the first device event. It
 * ends with the last device event, or with the last step if that is later. Imports and
 * the building of a model are before it.
 *
 * The device must be known to be idle there: a backlog, a long wait of the host for
 * work that nobody recorded and launches without a device event move the beginning up,
 * and a first event that was queued long before takes it back to that event. */
#ifndef OPS_WINDOW_EDGES_H
#define OPS_WINDOW_EDGES_H

#include "ops/host_waits.h"
#include "ops/trace_steps.h"
#include "ops/trace_window.h"
#include "timeline/gpu_timeline.h"
#include "tree/launch_link.h"

struct window_events { /* lent */
    const struct event_store *s;
    const struct call_tree *tree;
    const struct launch_link *launch;
    const struct host_waits *waits;
    const event_id *counted;
    int32_t n_counted;
    const struct trace_steps *steps;
};

/* Widens a timeline of the counted events, and says so in `w`. Only in a window of the
 * default rule: the reference's tables know device time alone. */
void window_edges_find(struct trace_window *w, const struct window_events *v,
                       struct arena tmp, struct gpu_timeline *t);

/* Whether the host waits in an event of this name for a DataLoader. */
bool window_is_data_wait(struct str name);

#endif
