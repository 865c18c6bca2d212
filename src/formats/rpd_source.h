/* rpd_source.h - what rocmProfileData's tracer writes: mytrace.rpd.
 *
 * Calls (rocpd_api), device work (rocpd_op), which call started which (rocpd_api_ops),
 * and markers of rocTX, which are calls named UserMarker. Several processes may share a
 * file; device work belongs to the process that started it. */
#ifndef FORMATS_RPD_SOURCE_H
#define FORMATS_RPD_SOURCE_H

#include "formats/sqlite_source.h"

bool rpd_is(struct sqlite_file *file);

/* Takes `s`, also when it fails. */
MUST_CHECK bool rpd_events(struct event_source *events, struct sqlite_source *s,
                           const struct source_options *o, struct err *e);

#endif
