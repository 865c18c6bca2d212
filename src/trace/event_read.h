/* event_read.h - profiler records, one event at a time.
 *
 * Knows the document around the records and keeps nothing: an event is lent until the
 * next call. `uid` is the index in traceEvents and counts every element, used or not.
 *
 * The inflating thread has time to spare and parses some windows in advance, from where
 * a record seems to begin to the end of the last complete one. The reader uses these
 * records if it arrives at exactly that place expecting a record, and otherwise parses
 * by itself. So the events do not depend on what was parsed in advance. */
#ifndef TRACE_EVENT_READ_H
#define TRACE_EVENT_READ_H

#include "base/err.h"
#include "trace/byte_source.h"
#include "trace/event_source.h"

/* Whether a file that begins so is JSON; also if it is all space. */
bool json_events_is(struct str head);

/* The header is an object of the members other than traceEvents; values longer than 1
 * MiB are left out. */
MUST_CHECK bool json_events_open(struct event_source *events, const char *path,
                                 struct source_options o, struct err *e);

/* The same of a file that TraceFusion wrote, whose records say whose they were. */
MUST_CHECK bool json_fused_open(struct event_source *events, const char *path,
                                struct source_options o, struct err *e);

/* The same of a file that rpd2tracing.py wrote: `rest` of a record without a category is
 * {"desc":...}, if it has that. */
MUST_CHECK bool json_described_open(struct event_source *events, const char *path,
                                    struct source_options o, struct err *e);

/* The rank that the last event was recorded on, and its process as recorded there; NO_ID
 * if it does not say. `state` is that of a source of json_fused_open. */
int64_t json_fused_rank(const void *state, struct event *ev);

#endif
