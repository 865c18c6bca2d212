/* trace_excerpt.h - a small trace: the events of a window, for a trace viewer.
 *
 * Writes Chrome trace JSON, gzipped without name or time, from the columns of the
 * store: names, lanes, times, the identifiers that join a launch to its kernel and, if
 * asked for, arguments. Events that overlap the window are written whole, so that the
 * callers around a gap are visible; counters as samples, the first at its beginning. */
#ifndef STORE_TRACE_EXCERPT_H
#define STORE_TRACE_EXCERPT_H

#include "base/err.h"
#include "base/out.h"
#include "store/event_store.h"

struct trace_excerpt {
    int64_t from_ns, to_ns; /* on the clock of the trace */
    int64_t least_frame_ns; /* shorter Python frames are left out; INT64_MAX: all are */
    int32_t n_events;
    int64_t bytes;      /* unpacked, about */
    bool has_args;      /* shapes and whatever else was recorded of a call */
    int64_t shift_ns;   /* added to all times that are written */
    struct str process; /* written before the names of processes; empty: nothing */
    int place;          /* of `process` beside others of one file */
};

enum { TRACE_EXCERPT_BYTES_MAX = 20 << 20 }; /* unpacked */

/* A window as it is asked for, of any size; fills in n_events and bytes. */
void trace_excerpt_count(const struct event_store *s, struct trace_excerpt *c);

/* The window around a span, extended on each side by half its length but at least 200
 * us and at most 2 ms. Leaves out Python frames too short to see on a screen which
 * shows the span, all of them if they would still be too many; n_events is 0 if it
 * still does not fit. */
struct trace_excerpt trace_excerpt_around(const struct event_store *s, int64_t from_ns,
                                          int64_t to_ns);

/* One file of excerpts of several traces: begin, add each, end, which packs it. The
 * text lies in `o` meanwhile, which begin opens and end frees; n counts its entries.
 * `head` is what the document begins with: "{" or that and a member. */
struct excerpt_file {
    struct out o;
    int64_t n;
    struct deflater *packs; /* NULL: all of the text is packed at the end */
    struct out *to;
};
void excerpt_begin(struct excerpt_file *f, struct str head);
void excerpt_add(struct excerpt_file *f, const struct event_store *s,
                 const struct trace_excerpt *c);
/* What a run waits for, one after the other: slices of a process of its own,
 * "critical path", and arrows from the event of each to that of the next. */
struct excerpt_step {
    struct str name;
    event_id event; /* -1: none */
    int64_t from_ns, to_ns;
};
void excerpt_add_path(struct excerpt_file *f, const struct event_store *s,
                      const struct trace_excerpt *c, const struct excerpt_step *steps,
                      int32_t n);
void excerpt_end(struct excerpt_file *f, struct out *to);

/* A file of one, packed while it is made: its text may be megabytes. */
MUST_CHECK bool trace_excerpt_write(const struct event_store *s,
                                    const struct trace_excerpt *c, const char *path,
                                    struct err *e);

#endif
