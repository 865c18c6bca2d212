/* perfetto_counter.h - counters of a device, as GpuCounterEvents record them.
 *
 * A packet holds the values of several. Their names are in a descriptor: interned, by
 * the number of which the packet names it, or in the packet, for all that follow. */
#ifndef FORMATS_PERFETTO_COUNTER_H
#define FORMATS_PERFETTO_COUNTER_H

#include "formats/perfetto_state.h"

/* An InternedGpuCounterDescriptor. */
void perfetto_counter_describe(struct perfetto_reader *r, uint32_t sequence,
                               struct str message);

/* Begins with what is in a packet. */
void perfetto_counter_begin(struct perfetto_reader *r, const struct perfetto_packet *p);

/* The next value of that packet, or NULL. */
struct event *perfetto_counter_next(struct perfetto_reader *r);

#endif
