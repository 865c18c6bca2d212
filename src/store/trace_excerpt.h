/* trace_excerpt.h - a small trace: the events of a window, for a trace viewer.
 *
 * Writes Chrome trace JSON, gzipped without name or time, from the columns of the
 * store: names, lanes, times, and the identifiers that join a launch to its kernel.
 * Events that overlap the window are written whole, so that the callers around a gap
 * are visible. */
#ifndef STORE_TRACE_EXCERPT_H
#define STORE_TRACE_EXCERPT_H

#include "base/err.h"
#include "store/event_store.h"

struct trace_excerpt {
    int64_t from_ns, to_ns; /* on the clock of the trace */
    bool has_frames;        /* Python frames too */
    int32_t n_events;
    int64_t bytes; /* unpacked, about */
};

enum { TRACE_EXCERPT_BYTES_MAX = 20 << 20 }; /* unpacked */

/* The window around a span, extended on each side by half its length but at least 200
 * us. Leaves out Python frames if there would be too many; n_events is 0 if it still
 * does not fit. */
struct trace_excerpt trace_excerpt_around(const struct event_store *s, int64_t from_ns,
                                          int64_t to_ns);

MUST_CHECK bool trace_excerpt_write(const struct event_store *s,
                                    const struct trace_excerpt *c, const char *path,
                                    struct err *e);

#endif
