/* xplane_meta.h - what the events of one plane of an XSpace call by number: names,
 * and names and texts of statistics.
 *
 * Numbers are those of tsl/profiler/protobuf/xplane.proto. */
#ifndef FORMATS_XPLANE_META_H
#define FORMATS_XPLANE_META_H

#include "base/int_map.h"
#include "base/name_pool.h"
#include "formats/wire.h"

/* Statistics that are used. */
enum xplane_stat {
    XSTAT_OTHER,
    XSTAT_CORRELATION,
    XSTAT_KERNEL,
    XSTAT_COPY,
    XSTAT_FILL,
    XSTAT_TF_OP,
    XSTAT_HLO_OP,
    XSTAT_MODULE,
    XSTAT_PROGRAM,
    XSTAT_HLO,
    XSTAT_VENDOR,
    XSTAT_CORES,
    XSTAT_MEMORY,
    XSTAT_MAJOR,
    XSTAT_MINOR,
    XSTAT_STEP,
    XSTAT_START,
    XSTATS
};

struct xplane_meta {
    struct name_pool texts; /* of all planes */
    struct arena memory;
    char *start;
    struct int_map events; /* by id: name */
    struct int_map stats;  /* by id: text */
    struct int_map kinds;  /* by id: enum xplane_stat */
};

void xplane_meta_open(struct xplane_meta *m);
void xplane_meta_close(struct xplane_meta *m);

/* Reads the numbers of a plane, in place of those of the last one. */
void xplane_meta_read(struct xplane_meta *m, struct str plane);

/* The text, or "". */
struct str xplane_event_name(const struct xplane_meta *m, uint64_t id);

/* One XStat: what it is, and its number or text. */
struct xplane_value {
    enum xplane_stat kind;
    uint64_t number;
    struct str text;
};
struct xplane_value xplane_value_of(const struct xplane_meta *m, struct str stat);

#endif
