/* perfetto_packet.h - one packet of a Perfetto trace, its fields apart.
 *
 * Numbers are those of protos/perfetto/trace/trace_packet.proto. */
#ifndef FORMATS_PERFETTO_PACKET_H
#define FORMATS_PERFETTO_PACKET_H

#include "formats/wire.h"

struct perfetto_packet {
    uint64_t timestamp;
    uint32_t clock; /* 0: the usual one of its sequence */
    uint32_t sequence;
    struct str snapshot, event, interned, counters, stage, defaults, track; /* n 0:
                                                                               absent */
    bool is_packed; /* holds packets, deflated */
};

/* False: not a packet. */
bool perfetto_packet_read(struct perfetto_packet *p, struct str message);

/* A TrackEvent, without its annotations. */
struct perfetto_event {
    uint64_t type; /* 1 a begin, 2 an end */
    uint64_t track, name_iid, category_iid;
    bool has_track;
    struct str name, category, correlation; /* p NULL: absent */
    struct str annotations;                 /* from the first to the end of the event */
};

enum { PERFETTO_BEGIN = 1, PERFETTO_END = 2, PERFETTO_ANNOTATIONS = 4 };

void perfetto_event_read(struct perfetto_event *v, struct str message);

/* A GpuRenderStageEvent, without its extra data. */
struct perfetto_stage {
    bool waits; /* for others: PERFETTO_WAIT */
    uint64_t id, dur_ns, queue_iid, stage_iid, name_iid, kernel_iid;
    int32_t gpu;
    struct str name, launch; /* n 0: absent */
};

enum { PERFETTO_EXTRA = 6, PERFETTO_WAIT = 18 };

struct perfetto_stage perfetto_stage_read(struct str message);

#endif
