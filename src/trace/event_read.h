/* event_read.h - profiler records, one event at a time.
 *
 * Knows the document around the records, and keeps nothing: an event is borrowed until
 * the next call. Every array element counts in `uid`, its place in traceEvents, whether
 * or not anybody wants it.
 *
 * The thread that inflates has time to spare, and parses some windows ahead: from where
 * a record seems to begin to the last one that ends there. When the reader comes to
 * this very place as the beginning of a record, it takes these; else it does not, and
 * reads on by itself. So how many were parsed ahead changes no event. */
#ifndef TRACE_EVENT_READ_H
#define TRACE_EVENT_READ_H

#include "base/err.h"
#include "trace/byte_source.h"
#include "trace/event_parse.h"

struct event_reader;

MUST_CHECK bool reader_open(struct event_reader **r, const char *path,
                            struct source_options o, struct err *e);

/* The next event. False at the end of the trace, and on an error, which sets e. */
bool reader_next(struct event_reader *r, struct event *ev, struct err *e);

/* Members of the document beside traceEvents, as one JSON object without the values
 * longer than 1 MiB; lent until reader_close. Whole after reader_next said false. */
struct str reader_header(struct event_reader *r);

/* A bare array may lack its ']': legal there, but told. */
bool reader_unclosed(const struct event_reader *r);

struct byte_source *reader_source(const struct event_reader *r);
void reader_close(struct event_reader *r);

#endif
