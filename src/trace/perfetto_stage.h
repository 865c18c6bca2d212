/* perfetto_stage.h - work of a device, as GpuRenderStageEvents record it. */
#ifndef TRACE_PERFETTO_STAGE_H
#define TRACE_PERFETTO_STAGE_H

#include "trace/perfetto_state.h"

/* The event in a packet with a stage. */
struct event *perfetto_stage_event(struct perfetto_reader *r,
                                   const struct perfetto_packet *p);

#endif
