/* what_if.h - how long the recorded run would take with changes to it.
 *
 * Eight changed runs (lanes) are replayed in one pass over the schedule: describe each,
 * then run. A change may be of several lanes at once, which are then told as bits. A
 * change makes device events shorter or takes time of a host thread away; later work of
 * that thread moves up, and other threads and streams as far as they waited for it.
 * Cost: linear in the nodes for each eight lanes. */
#ifndef WHATIF_WHAT_IF_H
#define WHATIF_WHAT_IF_H

#include "whatif/schedule.h"

enum { WHAT_IF_LANES = 8 };

/* What a change does to a node. */
struct what_if_gain {
    double ns, own_ns;
    int32_t node;
    uint8_t lanes, how;
};

struct what_if_gains {
    struct what_if_gain *at;
    int32_t n;
};

struct what_if {
    const struct schedule *o; /* lent */
    double *value_ns; /* by node and lane; until they are replayed, the gain of a node
                         where `lanes` has the bit */
    uint8_t *lanes;   /* by node: bits of the lanes that change it */
    int32_t near;     /* of schedule.lane_points: where the last cut began */
    struct what_if_gains *noted; /* changes are put there; NULL: they are made */
    struct arena *memory;        /* of `noted` */
};

struct what_if what_if_open(struct arena *a, const struct schedule *o);

/* A device event takes saved_ns less; if that is all its time, the usual gap before it
 * goes with it. Said twice of a lane, the larger saving counts. */
void what_if_shorten(struct what_if *w, unsigned lanes, event_id gpu, int64_t saved_ns);

/* A host thread (a lane of the store) does nothing in [from_ns, to_ns). Waiting for the
 * device is not its own time and stays, unless a whole call is within the span: then
 * the call is gone. Spans of one lane do not overlap; what several changes take of one
 * call is at most all of it. */
void what_if_cut(struct what_if *w, unsigned lanes, int32_t thread, int64_t from_ns,
                 int64_t to_ns);

/* A host thread takes `part` less of its own time in [from_ns, to_ns); all that it
 * waits for the device stays. Spans as those of what_if_cut. */
void what_if_quicken(struct what_if *w, unsigned lanes, int32_t thread, int64_t from_ns,
                     int64_t to_ns, double part);

/* Host threads take no time of their own: they only wait for the device. */
void what_if_free_host(struct what_if *w, unsigned lanes);

/* After all cuts: at least `part` of what the host spends before and in calls that
 * launch device work is gone, where that is less than a millisecond; what takes longer
 * is work of its own. */
void what_if_ease_launches(struct what_if *w, unsigned lanes, double part);

/* The call that launched a device event takes `part` less of its own time; all: it is
 * gone, and what it waited for does not hold its thread. */
void what_if_skip_call(struct what_if *w, unsigned lanes, event_id gpu, double part);

/* Changes are not made but noted, of the first two lanes; NULL: made again. Then they
 * can be made in many replays without finding the nodes each time: what is noted of the
 * first lane in `lanes`, of the second in those behind each of them. */
void what_if_note(struct what_if *w, struct arena *a, struct what_if_gains *to);
void what_if_again(struct what_if *w, unsigned lanes,
                   const struct what_if_gains *noted);

/* Replays all lanes and forgets their changes. `saved_ns`: of recorded_ns, by
 * lane; below 0 if the run takes longer. */
void what_if_run(struct what_if *w, int64_t saved_ns[WHAT_IF_LANES]);

#endif
