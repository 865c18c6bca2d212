/* trace_cut.h - a small trace: the events of a window, for a viewer of events.
 *
 * Writes Chrome trace JSON, gzipped without name and time, from the columns of the
 * store: names, lanes, times, and the identifiers that join a launch to its kernel.
 * What reaches into the window is written whole, so that the callers of a gap are seen.
 */
#ifndef STORE_TRACE_CUT_H
#define STORE_TRACE_CUT_H

#include "base/err.h"
#include "store/event_store.h"

struct trace_cut {
    int64_t from_ns, to_ns; /* on the clock of the trace */
    bool has_frames;        /* Python frames too */
    int32_t n_events;
    int64_t bytes; /* unpacked, about */
};

enum { TRACE_CUT_BYTES_MAX = 20 << 20 }; /* unpacked */

/* The window around a span, half as long again on both sides and at least 200 us.
 * Leaves out Python frames where they would be too many; n_events 0: it does not fit at
 * all. */
struct trace_cut trace_cut_around(const struct event_store *s, int64_t from_ns,
                                  int64_t to_ns);

MUST_CHECK bool trace_cut_write(const struct event_store *s, const struct trace_cut *c,
                                const char *path, struct err *e);

#endif
