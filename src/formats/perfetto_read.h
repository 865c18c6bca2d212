/* perfetto_read.h - Perfetto traces of PyTorch and of rocprofv3 as a source of events.
 *
 * Work of a device that says its length is an event at once. Begins and ends of calls
 * are kept, as an end may be anywhere behind its begin, and are events when all is
 * read; then follow the names of lanes. Fields are those of protos/perfetto/trace of
 * google/perfetto. */
#ifndef FORMATS_PERFETTO_READ_H
#define FORMATS_PERFETTO_READ_H

#include "trace/byte_source.h"
#include "trace/event_source.h"

/* Whether a file begins as a Perfetto trace does: with a packet whose fields are those
 * of packets. */
bool perfetto_events_is(struct str head);

MUST_CHECK bool perfetto_events_open(struct event_source *events, const char *path,
                                     struct source_options o, struct err *e);

#endif
