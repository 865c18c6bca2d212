/* rpd_json.h - JSON that rpd2tracing.py makes of a trace of rocmProfileData.
 *
 * Its records have no category: what runs on a process called "GPU2" is device work of
 * the type in "desc", anything else a call or a range of the host. Times are whole
 * microseconds, begins and lengths each rounded down. Arrows, behind all calls, lead
 * from 2 us before the end of a call (or from the begin of the work, if that is
 * earlier) to the begin of the work, and name neither.
 *
 * Sizes, sequence numbers, grids and bytes of copies are not in it. */
#ifndef FORMATS_RPD_JSON_H
#define FORMATS_RPD_JSON_H

#include "trace/byte_source.h"
#include "trace/event_source.h"

/* Whether a file begins as the tool writes it. */
bool rpd_json_is(struct str head);

/* Device work comes last, when the arrows are known. */
MUST_CHECK bool rpd_json_open(struct event_source *events, const char *path,
                              struct source_options o, struct err *e);

#endif
