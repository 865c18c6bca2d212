/* schedule.h - the recorded run as a graph of what waited for what.
 *
 * A node is the start of a host call that launches or waits, the end of one that waits,
 * or a device event. Its value is how much earlier it ends than recorded, in ns; a
 * change gains time at some nodes, and a node gains the least of what those before it
 * allow: the gain of each plus the slack towards it. What bound a node in the recording
 * has a slack of 0, so without a change every value is 0: the recorded run, to the ns.
 *
 * What binds a device event (insight.md, section 5), the first of these that fits:
 *
 * - other: it started at most 25 us after an event of another stream ended, while its
 *   own stream was free and its launch had returned. A dependency takes 1 to 3 us on
 *   NVIDIA's devices, 9 to 19 us on AMD's.
 * - queue: its launch had returned when the event before it on its stream ended, and
 *   lies more than twice the usual latency back. It keeps its distance to that end.
 * - launch: else the call that launched it. It keeps its distance to its start.
 * - late: queue, but more than 20 us behind that end, or launch, but more than 100 us
 *   behind the return of the call: kept as recorded, and unexplained.
 * - none: no launch is recorded. It keeps its distance to the event before it.
 *
 * Work of a GPU graph whose edges are recorded (graph_edges.h) is bound by what it
 * depends on instead, by the one that ended last, and by no stream.
 *
 * An event wait (cudaStreamWaitEvent) names neither stream nor event in a trace: the
 * next launch of its thread is taken to follow the last launch to another stream.
 *
 * A wait ends with the device event that ended last before it, of all streams or of
 * one; a launch that took long does too, if at least 128 events were queued. Host calls
 * follow host_points.h.
 *
 * What did not bind needs at least the usual latency or gap, the median of this trace,
 * or what it had if that is less (5 us and 0 in a short trace); what is beyond it is
 * the slack. */
#ifndef WHATIF_SCHEDULE_H
#define WHATIF_SCHEDULE_H

#include "whatif/host_points.h"
#include "whatif/schedule_facts.h"

enum { SCHEDULE_BEFORE = 3 };

/* Values and slacks are whole ns in doubles: exact below 2^53, 104 days, and a minimum
 * of doubles is one instruction. */
struct schedule_node {
    int32_t before[SCHEDULE_BEFORE]; /* earlier nodes; SCHEDULE_NOTHING */
    double slack_ns[SCHEDULE_BEFORE];
};

enum {
    SCHEDULE_FIXED,   /* a node that never moves: before those with nothing before */
    SCHEDULE_NOTHING, /* a node that allows everything */
    SCHEDULE_FIRST    /* of the rest */
};

/* Where the window may begin or end. */
struct schedule_edge {
    int32_t node;
    int64_t ns; /* the start, or the end, of its device event, in the window */
};

struct schedule {
    const struct trace_view *view; /* lent */
    struct host_points points;
    struct schedule_node *nodes;
    int32_t n;
    int32_t *of_device;   /* by place: node */
    int32_t *of_point;    /* node of the start of a call */
    int32_t *wait_of;     /* node of its end if it waits, or -1 */
    int64_t *waited_ns;   /* when the work ended that it waited for; else its start */
    int32_t *lane_start;  /* by lane, and the end: where its points start in */
    int32_t *lane_points; /* points, a lane after the other */
    int64_t begin_ns;     /* of the window if the host begins it; else INT64_MIN */
    struct schedule_edge *first, *last; /* of each stream's counted events; or the
                                           begin, and the end too */
    int32_t n_first, n_last;
    int64_t latency_ns, gap_ns; /* usual */
    struct schedule_facts facts;
};

struct schedule schedule_build(struct arena *perm, struct arena tmp,
                               const struct trace_view *v);

#endif
