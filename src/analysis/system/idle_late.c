#include "analysis/system/idle_late.h"

enum {
    LONG_WORK_NS = 1000000
}; /* between two launches, a host that works on its own */

struct lateness {
    const struct trace_view *v;
    const struct idle_gaps *g;
    int64_t *idle_ns;  /* by gap: of all before it */
    uint8_t *launches; /* by lane */
    int32_t next;      /* sync point that has not begun */
    int32_t sync;      /* that the host is late from; -1 */
    int64_t left_ns;   /* by how much, still */
    bool launched;     /* behind it: a kernel for which the device was idle */
};

static struct lateness lateness_of(struct arena *a, const struct trace_view *v,
                                   const struct idle_gaps *g)
{
    struct lateness l = {.v = v, .g = g, .sync = -1};
    l.idle_ns = arena_new(a, int64_t, g->n + 1);
    l.launches = arena_new(a, uint8_t, v->s->n_lanes + 1);
    for (int32_t k = 0; k < g->n; k++)
        l.idle_ns[k + 1] = l.idle_ns[k] + g->rows[k].dur_ns;
    for (int32_t k = 0; k < v->n_counted; k++) {
        event_id call = view_issue(v, v->counted[k]);
        if (call >= 0)
            l.launches[v->s->lane[call]] = 1;
    }
    return l;
}

/* Idle time before a moment. Gaps touch no other. */
static int64_t idle_until(const struct lateness *l, int64_t at_ns)
{
    int32_t low = 0, high = l->g->n;
    while (low < high) {
        int32_t mid = low + (high - low) / 2;
        if (l->g->rows[mid].start_ns < at_ns)
            low = mid + 1;
        else
            high = mid;
    }
    const struct gap_row *last = low ? &l->g->rows[low - 1] : NULL;
    int64_t end_ns = last ? last->start_ns + last->dur_ns : at_ns;
    return l->idle_ns[low] - (end_ns > at_ns ? end_ns - at_ns : 0);
}

/* Of a wait in the first collective: until the other ranks' recordings had begun. */
static int64_t skew_in(const struct lateness *l, int64_t from_ns, int64_t to_ns)
{
    const struct event_store *s = l->v->s;
    event_id first = l->v->skew.first;
    if (!(l->v->skew.ns > 0))
        return 0;
    from_ns = later(from_ns, s->start_ns[first]);
    to_ns = sooner(to_ns, store_end_ns(s, first));
    return sooner(later(to_ns - from_ns, 0), l->v->skew.ns);
}

/* How long the device worked while the host waited, as far as that is recorded and no
 * artefact of the recording. */
static int64_t worked_ns(const struct lateness *l, const struct sync_point *p)
{
    int64_t begin_ns = l->v->timeline.start_ns;
    int64_t from_ns = later(p->start_ns, begin_ns);
    int64_t idle_ns = idle_until(l, p->end_ns) - idle_until(l, from_ns);
    if (idle_ns >= HIDDEN_WAIT_NS)
        return 0;
    return p->end_ns - from_ns - idle_ns - skew_in(l, from_ns, p->end_ns);
}

/* Waits in one operator go together: without all of them, nothing drains the queue. */
static bool takes_over(const struct lateness *l, const struct sync_point *p, int64_t ns)
{
    const struct event_store *s = l->v->s;
    const struct sync_point *last = l->sync < 0 ? p : &l->g->syncs[l->sync];
    return l->launched && ns >= 0 && s->lane[p->event] == s->lane[last->event] &&
           s->name[p->op] != s->name[last->op];
}

/* Of a thread that launches nothing, no wait delays a launch. One that finds the device
 * idle costs its own time alone. But what the thread was ahead by before a wait is of
 * no use behind it: the next wait, of another operator, for kernels launched since
 * takes over. */
static void begin_syncs(struct lateness *l, int64_t until_ns)
{
    for (; l->next < l->g->n_syncs && l->g->syncs[l->next].start_ns <= until_ns;
         l->next++) {
        const struct sync_point *p = &l->g->syncs[l->next];
        int64_t ns = l->launches[l->v->s->lane[p->event]] ? worked_ns(l, p) : -1;
        if (ns < l->left_ns && !takes_over(l, p, ns))
            continue;
        l->sync = l->next;
        l->left_ns = ns;
        l->launched = false;
    }
}

static struct late_part part_of(struct lateness *l, const struct gap_row *gap)
{
    const struct late_part none = {.sync = -1};
    int64_t end_ns = gap->start_ns + gap->dur_ns;
    event_id call = gap->after < 0 ? -1 : view_issue(l->v, gap->after);
    int64_t call_ns = call < 0 ? end_ns : l->v->s->start_ns[call];
    begin_syncs(l, sooner(call_ns, end_ns));
    if (l->sync < 0 || call < 0 || gap->queued)
        return none;
    const struct sync_point *p = &l->g->syncs[l->sync];
    l->launched |= l->v->s->cat[gap->after] == CAT_KERNEL && call_ns >= p->end_ns;
    int64_t from_ns = later(p->start_ns, gap->start_ns);
    int64_t after_ns = later(p->end_ns, from_ns);
    int64_t late_ns = end_ns - after_ns; /* below 0: the wait outlasts the gap */
    bool hides = late_ns >= LONG_WORK_NS && l->left_ns >= late_ns;
    if (late_ns >= LONG_WORK_NS)
        l->left_ns = 0;
    late_ns = sooner(late_ns, l->left_ns);
    l->left_ns -= later(late_ns, 0);
    return (struct late_part){l->sync, hides, from_ns,
                              late_ns < 0 ? end_ns : after_ns + late_ns};
}

struct late_part *idle_late_find(struct arena *perm, struct arena tmp,
                                 const struct trace_view *v, const struct idle_gaps *g)
{
    struct lateness l = lateness_of(&tmp, v, g);
    struct late_part *parts = arena_take_raw(perm, sizeof *parts, 8, g->n);
    for (int32_t k = 0; k < g->n; k++)
        parts[k] = part_of(&l, &g->rows[k]);
    return parts;
}
