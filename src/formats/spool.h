/* spool.h - a trace as a plain file that can be read anywhere.
 *
 * Of compressed data and of pipes a copy is made in $TMPDIR, or /tmp, in a file without
 * a name, which is gone when it is closed. */
#ifndef FORMATS_SPOOL_H
#define FORMATS_SPOOL_H

#include "formats/trace_format.h"

struct file_kind;

/* Takes k->fd. */
MUST_CHECK bool spool_file(struct trace_file *f, const char *path, struct file_kind *k,
                           struct source_options o, struct err *e);

#endif
