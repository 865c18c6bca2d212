/* nsys_source.h - what `nsys export --type sqlite` writes.
 *
 * Device work, calls and synchronisation are in tables of CUPTI's activities, ranges of
 * NVTX in one of their own; their columns differ from version to version. Of a file
 * with several processes one is read: their ids of calls and streams are not each
 * other's. */
#ifndef FORMATS_NSYS_SOURCE_H
#define FORMATS_NSYS_SOURCE_H

#include "formats/sqlite_source.h"

/* Whether these are tables of Nsight Systems. */
bool nsys_is(struct sqlite_file *file);

/* Takes `s`, also when it fails. */
MUST_CHECK bool nsys_events(struct event_source *events, struct sqlite_source *s,
                            const struct source_options *o, struct err *e);

#endif
