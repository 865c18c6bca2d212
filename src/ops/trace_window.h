/* trace_window.h - what part of a recording its figures are about.
 *
 * A recording begins while the devices still work for the step before. That work has no
 * launch call, and starts before the first device event that has one: it is the
 * backlog. The window begins at that first event. If no device event has a launch call,
 * nothing tells a backlog apart: all of it is in the window.
 *
 * A gap at the very beginning, for work that was queued long before, is a leading
 * artefact: the device was most likely finishing what the recording does not show. It
 * is part of the timeline's span, and of no idle time and no percentage. Times are ns
 * on the trace's clock. */
#ifndef OPS_TRACE_WINDOW_H
#define OPS_TRACE_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

struct arena;
struct event_store;
struct host_waits;
struct interval_set;
struct launch_link;

/* Which device events without a launch call count. */
enum unlinked_rule {
    UNLINKED_IN_WINDOW, /* all but the backlog */
    UNLINKED_LEFT_OUT,  /* none: the reference's default */
    UNLINKED_ALL        /* the backlog too */
};

/* What the window begins with (window_edges.h). */
enum window_begin {
    WINDOW_FROM_DEVICE,
    WINDOW_FROM_STEP,
    WINDOW_FROM_DATA_WAIT,
    WINDOW_FROM_BACKLOG, /* its end, behind the beginning of the step or the wait */
    WINDOW_FROM_UNSEEN   /* the same: the last sign of work that is not recorded */
};

struct trace_window {
    enum unlinked_rule rule;
    enum window_begin begin;
    int64_t lead_ns, tail_ns; /* of it, before the first event that counts and behind
                                 the last */
    int32_t tail_lane;        /* of the host that the tail is of */
    int64_t begin_ns;         /* of the first event that counts, unless there is none */
    int64_t linked_ns;        /* start of the first linked event; INT64_MIN: none is */
    int32_t n_backlog;        /* device events before that, which have no launch call */
    int64_t backlog_ns;       /* union of their times */
    int32_t n_unlinked;       /* the other device events without one */
    int64_t artefact_from_ns, artefact_ns; /* a leading artefact; 0 ns: none */
    int64_t queued_ns; /* so long the first event waited after its launch call, for
                          nothing that is recorded; 0: not long */
};

struct trace_window trace_window_build(struct arena tmp, const struct event_store *s,
                                       const struct launch_link *l,
                                       enum unlinked_rule rule);

/* Looks at the first gap of `busy`, the union of the n events that count. Only in a
 * window of the default rule: the reference's tables know no artefact. */
void trace_window_find_artefact(struct trace_window *w, struct arena tmp,
                                const struct event_store *s,
                                const struct launch_link *l,
                                const struct host_waits *waits, const int32_t *counted,
                                int32_t n, const struct interval_set *busy);

/* Whether the artefact begins here. */
bool window_is_artefact(const struct trace_window *w, int64_t gap_from_ns);

/* Whether the device event at a place of l->all counts; whether it is of the backlog.
 */
bool window_counts(const struct trace_window *w, const struct event_store *s,
                   const struct launch_link *l, int32_t place);
bool window_is_backlog(const struct trace_window *w, const struct event_store *s,
                       const struct launch_link *l, int32_t place);

#endif
