/* perfetto_stage.h - work of a device, as GpuRenderStageEvents record it. */
#ifndef FORMATS_PERFETTO_STAGE_H
#define FORMATS_PERFETTO_STAGE_H

#include "formats/perfetto_state.h"

/* The event in a packet with a stage. */
struct event *perfetto_stage_event(struct perfetto_reader *r,
                                   const struct perfetto_packet *p);

/* Once all packets are read: the ends of the next edge of a GPU graph, one after the
 * other; NULL behind the last. */
void perfetto_index_nodes(struct perfetto_reader *r);
struct event *perfetto_edge_event(struct perfetto_reader *r);

#endif
