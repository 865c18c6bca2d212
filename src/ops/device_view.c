#include "ops/device_view.h"

/* The thread of the last launch of all: who has no more work waits for what it does. */
static int32_t last_lane(const struct trace_view *v)
{
    event_id last = -1;
    for (int32_t k = 0; k < v->n_counted; k++) {
        event_id call = view_issue(v, v->counted[k]);
        if (call >= 0 && (last < 0 || v->s->start_ns[call] > v->s->start_ns[last]))
            last = call;
    }
    return last < 0 ? 0 : v->s->lane[last];
}

static void widen(struct trace_view *to, const struct trace_view *v)
{
    int64_t end_ns = v->timeline.start_ns + v->timeline.total_ns;
    to->timeline = to->device;
    to->window.lead_ns = to->device.start_ns - v->timeline.start_ns;
    to->window.tail_ns = end_ns - to->device.start_ns - to->device.total_ns;
    to->window.tail_lane = v->window.tail_ns ? v->window.tail_lane : last_lane(v);
    to->window.artefact_ns = 0;
    to->timeline.start_ns = v->timeline.start_ns;
    to->timeline.total_ns = v->timeline.total_ns;
    to->timeline.idle_ns += to->window.lead_ns + to->window.tail_ns;
}

struct trace_view device_view(struct arena *perm, struct arena tmp,
                              const struct trace_view *v, int device)
{
    const struct device_use *use = &v->devices->of[device];
    struct trace_view to = *v;
    to.counted = arena_take_raw(perm, sizeof *to.counted, 4, use->n_events);
    to.n_counted = 0;
    for (int32_t k = 0; k < v->n_counted; k++)
        if (v->s->lanes[v->s->lane[v->counted[k]]].pid == use->pid)
            to.counted[to.n_counted++] = v->counted[k];
    to.device =
        gpu_timeline_build(perm, tmp, v->s, v->gpu_names, to.counted, to.n_counted);
    widen(&to, v);
    return to;
}
