/* trace_open.h - opens a trace of any format that is known.
 *
 * A format is recognised by what the file begins with, decompressed, never by its name.
 * Files may be compressed with gzip or zstd, and may come from standard input: what a
 * format cannot read so is first put into a file without a name in $TMPDIR. Of a file
 * with the traces of several processes the first is read, or the one that is named as
 * FILE:rank=1. */
#ifndef FORMATS_TRACE_OPEN_H
#define FORMATS_TRACE_OPEN_H

#include "trace/byte_source.h"
#include "trace/event_source.h"

/* `path` is lent until the source is closed. */
MUST_CHECK bool trace_open(struct event_source *events, const char *path,
                           struct source_options o, struct err *e);

/* How many traces a file holds, each of which opens as FILE:rank=0 and so on; 1 also
 * for what cannot be read. */
int trace_parts(const char *path);

#endif
