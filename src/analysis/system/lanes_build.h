/* lanes_build.h - the lanes of a run, from its events and the calls of the host. */
#ifndef ANALYSIS_SYSTEM_LANES_BUILD_H
#define ANALYSIS_SYSTEM_LANES_BUILD_H

#include "analysis/model/run_lanes.h"

struct arena;
struct trace_view;
struct timeline_data;
struct host_time;
struct critical_path;

/* What the host does; nothing without device work. */
struct run_lanes *run_lanes_of_host(struct arena *perm, struct arena tmp,
                                    const struct host_time *host,
                                    const struct timeline_data *d);

/* The streams, the critical path with its steps (NULL: not known), then the lanes of
 * the host, whose boxes are shared. class, op: of each device event, as
 * kernel_class_of_events and kernel_op_of_events have them. */
struct run_lanes *run_lanes_with_streams(struct arena *perm, struct arena tmp,
                                         const struct run_lanes *host,
                                         const struct trace_view *v,
                                         const struct timeline_data *d,
                                         const int8_t *class, const int32_t *op,
                                         const struct critical_path *path);

#endif
