/* idle_tally.h - what is counted by name within a group of idle time: what the host ran
 * (leaves), in which calls, after which synchronisation, and where. Names that differ
 * only in what changes from call to call are one. Rows come in the order of their first
 * counts. */
#ifndef ANALYSIS_SYSTEM_IDLE_TALLY_H
#define ANALYSIS_SYSTEM_IDLE_TALLY_H

#include "base/int_map.h"
#include "ops/trace_view.h"

enum tally_kind {
    TALLY_LEAF,
    TALLY_SYNC,
    TALLY_CALL,
    TALLY_BESIDE,
    TALLY_WHERE,
    TALLY_ROOT
};

struct tally {
    int32_t group;
    enum tally_kind kind;
    event_id example; /* -1: nothing recorded */
    struct str name; /* of TALLY_WHERE and TALLY_ROOT; the others go by the example's */
    int64_t count, ns;
};

struct tallies {
    struct arena *tmp; /* lent */
    const struct event_store *s;
    struct known_name *names; /* by name, and one for no event */
    struct int_map of;
    struct tally *rows;
    int32_t n;
};

struct tallies tallies_make(struct arena *tmp, const struct event_store *s);

/* Equal for events whose names are one; -1: that of no event. */
uint64_t tally_name_key(struct tallies *t, event_id i);

/* Counts `like`, of which group, kind, example and name are read, once more. Returns
 * its row. */
int32_t tally_add(struct tallies *t, struct tally like, int64_t ns);
/* The same for more time of what is counted already. */
int32_t tally_more(struct tallies *t, struct tally like, int64_t ns);
void tally_leaf(struct tallies *t, int32_t group, event_id leaf, int64_t ns);

#endif
