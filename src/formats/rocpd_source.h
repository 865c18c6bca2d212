/* rocpd_source.h - what rocprofv3 of ROCm 7 writes: NAME_results.db.
 *
 * Every table has a uuid behind its name; views of the plain names are not run. Two
 * versions of schema 3 are in use: times and threads in each row, or in tables of their
 * own. Device work and the call that started it share a stack id. */
#ifndef FORMATS_ROCPD_SOURCE_H
#define FORMATS_ROCPD_SOURCE_H

#include "formats/sqlite_source.h"

bool rocpd_is(struct sqlite_file *file);

/* Takes `s`, also when it fails. */
MUST_CHECK bool rocpd_events(struct event_source *events, struct sqlite_source *s,
                             const struct source_options *o, struct err *e);

#endif
