/* trace_facts.h - what a trace holds, counted once.
 *
 * Everything that the checks and the head of a report need to know about the trace as a
 * whole. Holds values, no events. Times are whole nanoseconds; texts are lent by the
 * store. */
#ifndef OPS_TRACE_FACTS_H
#define OPS_TRACE_FACTS_H

#include "base/str.h"
#include "ops/sample_stats.h"
#include "ops/trace_kind.h"
#include "ops/trace_steps.h"
#include "ops/trace_window.h"
#include "perf/device_fit.h"

struct device_uses;
struct op_calls;
struct trace_view;
struct value;

/* Computation, exposed communication and copies, and idle time are the total. */
struct wall_time {
    int64_t total_ns, computation_ns, exposed_comm_ns, exposed_memcpy_ns, idle_ns;
    int64_t busy_ns, total_comm_ns, total_memcpy_ns;
    int32_t n_events;
};

enum { UNKNOWN_CATS_NAMED = 6 };

/* A call that waits for an idle device returns within some 100 us. */
enum { EARLY_WAIT_NS = 500000 };

struct trace_facts {
    const struct machine *machine; /* NULL: not known */
    const struct source_abilities *abilities;
    int64_t trace_bytes, n_events; /* elements of the file's list */
    bool has_events;               /* that count; first_ns: of the earliest of them */
    int64_t first_ns;
    bool has_cpu_op, has_shapes, has_frames, has_recompute;
    bool kernels_alone; /* of a profiler that records copies on request */
    bool shapes_hidden; /* on request, so has_shapes is false */
    int64_t n_frames;   /* calls of Python recorded */
    bool names_callers; /* operators do, in a text; has_frames is false */

    struct wall_time time;        /* of the window */
    struct wall_time device_time; /* from the first device event to the end of the
                                     last, as the reference has it */
    enum window_begin begin;
    int64_t lead_ns, tail_ns; /* of the window, before and behind device_time */
    int64_t host_ns; /* of all events, from the first to the end of the last; and what
                        of it is outside the window */
    int64_t before_ns, after_ns;
    int64_t n_data_waits;          /* annotations of a loop over a DataLoader */
    bool loader_starts;            /* it is made in the recording, before device work */
    struct wall_time split[2];     /* without and with recomputation */
    int32_t n_device, n_linked;    /* device events; those with a launch call */
    enum unlinked_rule unlinked;   /* which of the others count */
    int32_t n_backlog, n_unlinked; /* the others: of the step before; later ones */
    int64_t backlog_ns;            /* busy with the backlog */
    int64_t recording_ns; /* from the first device event to the end of the last, with
                             the backlog and the artefact */
    int64_t artefact_ns, queued_ns; /* trace_window.h */
    int64_t early_wait_ns; /* the longest wait for the device before anything is
                              launched that is recorded; its call */
    struct str early_wait;
    int64_t skew_ns, first_collective_ns, expected_collective_ns; /* start_skew.h */
    bool skew_has_size;
    int32_t n_collectives;        /* 0 in a window of the reference's rules, too */
    int64_t artefact_from_ns;     /* after the beginning of the window */
    int64_t busy_ns, unlinked_ns; /* of all device events; only by the later ones */
    int64_t graph_launches;
    int64_t graph_ns, kernel_ns; /* kernels that graphs replay; all of the timeline */
    int64_t lent_ns; /* kernels of graphs that another trace lends operators to */
    int64_t launched_ns, shaped_ns; /* of calls outside graphs; with shapes */
    struct trace_steps steps;
    struct sample_stats step_ms; /* their lengths */

    bool saw_nan;            /* NaN or infinities, which JSON does not have */
    bool unclosed;           /* the file ends before its list of events does */
    int64_t without_times;   /* events left out: no start, duration or phase, or: */
    int64_t out_of_bounds;   /* times or sizes too large to add up */
    int64_t crossing;        /* calls that end after their caller */
    int64_t duplicate_links; /* device events that share a launch with a later one */
    int64_t cut_names, repaired_names;
    int64_t n_unknown; /* spans of unknown categories, some of them named */
    struct str unknown[UNKNOWN_CATS_NAMED];
    int64_t unknown_n[UNKNOWN_CATS_NAMED];
    int64_t early, earliest_ns; /* device events ahead of their launch call; by most */
    int n_devices;              /* 64 means 64 or more */
    const struct device_uses *devices; /* of those that one process uses */
    struct trace_kind_facts kind;
};

/* As the trace names its first device; may be empty, and is hostile. */
struct str trace_device_name(const struct trace_facts *f);

/* Its name and size; all empty if the trace does not describe it. */
struct traced_device trace_device(const struct machine *m);

struct trace_facts trace_facts_of(struct arena tmp, const struct trace_view *v,
                                  const struct op_calls *launchers);

#endif
