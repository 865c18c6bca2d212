/* perfetto_clock.h - the time of a packet, on the clock that all packets share.
 *
 * A sequence may count on clocks of its own, in steps since its last packet; snapshots
 * say how they relate to the shared one. */
#ifndef FORMATS_PERFETTO_CLOCK_H
#define FORMATS_PERFETTO_CLOCK_H

#include "formats/wire.h"

enum { CLOCKS_OWN = 4, CLOCK_OWN_FIRST = 64, CLOCK_OWN_LAST = 127 };

struct own_clock {
    uint32_t id; /* 0: none */
    bool is_incremental;
    int64_t unit_ns;
    int64_t at; /* of the last packet, in ns of this clock */
    int64_t offset_ns;
};

struct sequence_clocks {
    uint32_t usual; /* of packets that name none; 0: the shared one */
    struct own_clock own[CLOCKS_OWN];
};

struct clock_snapshot {
    bool has_shared, has_real;
    int64_t shared_ns, real_ns; /* since 1970 */
};

/* Reads a ClockSnapshot. */
struct clock_snapshot clock_snapshot_read(struct sequence_clocks *s,
                                          struct str message);

/* In ns; `id` as the packet names it, 0: not. */
int64_t clock_time_ns(struct sequence_clocks *s, uint32_t id, uint64_t timestamp);

#endif
