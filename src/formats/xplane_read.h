/* xplane_read.h - profiles of JAX and XLA (xplane.pb) as a source of events.
 *
 * A plane is a GPU or the host, a line of it a stream or a thread. A launch says which
 * operation of the framework it is for: that path becomes operators around the launch,
 * so the tree of calls is one of operations. One plane is in memory at a time. */
#ifndef FORMATS_XPLANE_READ_H
#define FORMATS_XPLANE_READ_H

#include "trace/byte_source.h"
#include "trace/event_source.h"

bool xplane_events_is(struct str head);
MUST_CHECK bool xplane_events_open(struct event_source *events, const char *path,
                                   struct source_options o, struct err *e);

#endif
