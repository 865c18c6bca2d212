/* rocprof_json.h - JSON of rocprofv3 (rocprofiler-sdk) as a source of events.
 *
 * One process: dispatches, copies and, if they were traced, HIP calls, markers and
 * calls of RCCL. Times count from the start of the machine. Names stand before the
 * records that refer to them. */
#ifndef FORMATS_ROCPROF_JSON_H
#define FORMATS_ROCPROF_JSON_H

#include "trace/byte_source.h"
#include "trace/event_source.h"

bool rocprof_json_is(struct str head);
MUST_CHECK bool rocprof_json_open(struct event_source *events, const char *path,
                                  struct source_options o, struct err *e);

#endif
