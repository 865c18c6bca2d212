/* trace_view.h - the trace, its call trees and links: what every table is made from.
 *
 * Built once after reading, read-only afterwards. What counts of the device work is
 * what trace_window.h says. */
#ifndef OPS_TRACE_VIEW_H
#define OPS_TRACE_VIEW_H

#include "ops/device_use.h"
#include "ops/host_waits.h"
#include "ops/start_skew.h"
#include "ops/trace_steps.h"
#include "ops/trace_window.h"
#include "timeline/gpu_timeline.h"
#include "tree/backward_link.h"
#include "tree/launch_link.h"

struct view_options {
    enum unlinked_rule unlinked;
    bool detect_recompute; /* nest Python frames, mark activation recomputation */
};

struct trace_view {
    const struct event_store *s;
    struct view_options options;
    struct call_tree tree;
    struct launch_link launch;
    struct backward_link backward;
    struct host_waits waits;
    const uint8_t
        *recompute; /* by event: 1 under a recomputation; NULL: not asked for */

    struct trace_window window;
    struct start_skew skew; /* in no total, only in a window of the default rule */
    struct trace_steps steps;
    event_id *notes; /* annotations of host and device, in the order of the file */
    int32_t n_notes;
    int64_t profiler_steps;   /* those of the host that are named "ProfilerStep#" */
    const uint8_t *gpu_names; /* what names of device events say; read by view_class */
    event_id *counted; /* device events of the timeline, in the order of the file */
    int32_t n_counted;
    struct gpu_timeline device;   /* of those, from the first to the end of the last; a
                                     leading artefact in total and idle */
    struct gpu_timeline timeline; /* the same in the whole window (window_edges.h) */
    struct gpu_timeline everything;    /* with all that is left out of it */
    struct gpu_timeline split[2];      /* without and with recomputation */
    const struct device_uses *devices; /* of the work that counts */
    bool has_cpu_op;
    const struct lane_names *lanes; /* by lane of the store */
};

struct trace_view view_build(struct arena *perm, struct arena tmp,
                             const struct event_store *s, struct view_options o);

/* Device events below a host event, by start time: lent if they are in that order,
 * otherwise a copy in `a`. */
const event_id *view_kernels_by_start(struct arena *a, const struct trace_view *v,
                                      event_id i, int32_t *n);

/* Device events below all backward nodes of i and of what i called, by start time. */
event_id *view_backward_kernels(struct arena *a, const struct trace_view *v, event_id i,
                                int32_t *n);

/* Sort device events by start; equal starts keep their order. */
void view_sort_by_start(struct arena tmp, const struct event_store *s, event_id *events,
                        int32_t n);

/* Total and idle time, without the leading artefact: what percentages are of. */
int64_t view_total_ns(const struct trace_view *v);
int64_t view_idle_ns(const struct trace_view *v);

/* How long a device event took, without start skew. */
int64_t view_own_ns(const struct trace_view *v, event_id gpu);

/* Exposed communication, without start skew. */
int64_t view_exposed_comm_ns(const struct trace_view *v);

/* The same total of device time alone: what the tables of the reference are of. */
int64_t view_device_ns(const struct trace_view *v);

/* The stream number of a device event, or -1. */
int64_t view_stream(const struct event_store *s, event_id gpu);

static inline enum gpu_class view_class(const struct trace_view *v, event_id gpu)
{
    return gpu_class_of(v->s->cat[gpu], v->gpu_names[v->s->name[gpu]]);
}

/* Whether the name of a device event says that it communicates. */
static inline bool view_communicates(const struct trace_view *v, event_id gpu)
{
    return v->gpu_names[v->s->name[gpu]] & NAME_COMMUNICATES;
}

/* The call that the host made for a device event; see launch_issue. */
static inline event_id view_issue(const struct trace_view *v, event_id gpu)
{
    return v->s->lender ? launch_issue(v->s, &v->tree, &v->launch, gpu)
                        : launch_call(&v->launch, gpu);
}

/* The operator whose call launched device work; -1: none is recorded. */
event_id view_operator(const struct trace_view *v, event_id gpu);

#endif
