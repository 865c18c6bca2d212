/* sqlite_open.h - the formats that are tables of SQLite. */
#ifndef FORMATS_SQLITE_OPEN_H
#define FORMATS_SQLITE_OPEN_H

#include "formats/trace_format.h"

/* Takes f->fd, also when it fails. */
MUST_CHECK bool sqlite_events_open(struct event_source *events, const char *path,
                                   const struct trace_file *f, struct source_options o,
                                   struct err *e);

/* Processes whose traces it holds, at least 1; closes f->fd. */
int sqlite_parts(const char *path, const struct trace_file *f);

#endif
