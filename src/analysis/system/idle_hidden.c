#include "analysis/system/idle_hidden.h"

#include "base/sort.h"

enum {
    BURST_PAUSE_NS = 1000, /* from start to start: no stream is so fast */
    BURST_LATE_NS = 1000000,
    BURST_FASTER = 10 /* times as fast as they were launched */
};

struct str hidden_words(enum hidden_reason r)
{
    static const struct str words[] = {
        [HIDDEN_NOT] = S_INIT(""),
        [HIDDEN_GRAPH] = S_INIT("behind graph launches without kernels"),
        [HIDDEN_NODES] = S_INIT("in graph launches of which few kernels are recorded"),
        [HIDDEN_BURST] = S_INIT("before kernels that start in a burst"),
        [HIDDEN_WAIT] = S_INIT("while the host waits for the GPU")};
    return words[r];
}

static void find_graphs(struct arena *perm, struct arena tmp,
                        const struct trace_view *v, struct hidden *h)
{
    const struct event_store *s = v->s;
    bool any = false;
    uint8_t *ran = arena_new(&tmp, uint8_t, s->n_details + 1); /* by row */
    for (int32_t k = 0; k < v->launch.n_all; k++) {
        event_id call = view_issue(v, v->launch.all[k]);
        if (call >= 0)
            ran[store_row(s, call)] = 1;
    }
    for (int32_t k = 0; k < s->roles.n; k++)
        any |= (s->roles.of[k] & ROLE_LAUNCHES_GRAPH) > 0;
    for (event_id i = 0; any && i < s->n; i++) { /* few traces have any */
        if (!cat_is_runtime(s->cat[i]) || !launch_is_graph(s, i))
            continue;
        h->n_graph_launches++;
        if (ran[store_row(s, i)])
            continue;
        arena_grow(perm, h->graphs, h->n_graphs);
        h->graphs[h->n_graphs++] = i;
    }
    sort_ids(tmp, h->graphs, h->n_graphs, s->start_ns);
}

struct run { /* kernels of a stream, one right behind the other */
    int64_t first_ns, last_ns, launched_ns, last_launch_ns;
    int32_t n;
};

static bool is_burst(const struct run *r)
{
    int64_t launches_ns = r->last_launch_ns - r->launched_ns;
    return r->n >= BURST_KERNELS && launches_ns >= BURST_LATE_NS &&
           launches_ns / BURST_FASTER >= r->last_ns - r->first_ns;
}

static void end_run(struct arena *perm, struct hidden *h, struct run *r)
{
    if (is_burst(r)) {
        arena_grow(perm, h->bursts, h->n_bursts);
        h->bursts[h->n_bursts++] = (struct burst){r->first_ns, r->launched_ns, r->n};
    }
    r->n = 0;
}

static void find_bursts(struct arena *perm, struct arena tmp,
                        const struct trace_view *v, const event_id *by_start, int32_t n,
                        struct hidden *h)
{
    const struct event_store *s = v->s;
    struct run *runs = arena_new(&tmp, struct run, s->n_lanes + 1);
    for (int32_t k = 0; k < n; k++) {
        event_id gpu = by_start[k], call = view_issue(v, gpu);
        struct run *r = &runs[s->lane[gpu]];
        int64_t at_ns = s->start_ns[gpu];
        bool late = call >= 0 && s->cat[gpu] == CAT_KERNEL &&
                    at_ns - s->start_ns[call] >= BURST_LATE_NS / 2;
        if (r->n && (!late || at_ns - r->last_ns >= BURST_PAUSE_NS ||
                     s->start_ns[call] < r->last_launch_ns))
            end_run(perm, h, r);
        if (!late)
            continue;
        if (!r->n++)
            *r = (struct run){at_ns, at_ns, s->start_ns[call], s->start_ns[call], 1};
        r->last_ns = at_ns;
        r->last_launch_ns = s->start_ns[call];
    }
    for (int32_t l = 0; l < s->n_lanes; l++)
        end_run(perm, h, &runs[l]);
}

static void sort_bursts(struct arena *perm, struct arena tmp, struct hidden *h)
{
    struct sort_row *rows = arena_take_raw(&tmp, sizeof *rows, 8, h->n_bursts);
    struct burst *sorted = arena_take_raw(perm, sizeof *sorted, 8, h->n_bursts);
    for (int32_t k = 0; k < h->n_bursts; k++)
        rows[k] = (struct sort_row){h->bursts[k].start_ns, k};
    sort_rows(tmp, rows, h->n_bursts);
    for (int32_t k = 0; k < h->n_bursts; k++)
        sorted[k] = h->bursts[rows[k].row];
    h->bursts = sorted;
}

struct hidden hidden_find(struct arena *perm, struct arena tmp,
                          const struct trace_view *v, const event_id *by_start,
                          int32_t n)
{
    struct hidden h = {0};
    find_graphs(perm, tmp, v, &h);
    find_bursts(perm, tmp, v, by_start, n, &h);
    sort_bursts(perm, tmp, &h);
    return h;
}

/* The first graph launch after a time; -1. */
static event_id graph_after(const struct hidden *h, const struct event_store *s,
                            int64_t ns)
{
    int32_t low = 0, high = h->n_graphs;
    while (low < high) {
        int32_t mid = low + (high - low) / 2;
        if (s->start_ns[h->graphs[mid]] <= ns)
            low = mid + 1;
        else
            high = mid;
    }
    return low < h->n_graphs ? h->graphs[low] : -1;
}

/* The burst that starts at a time; NULL. */
static const struct burst *burst_at(const struct hidden *h, int64_t ns)
{
    int32_t low = 0, high = h->n_bursts;
    while (low < high) {
        int32_t mid = low + (high - low) / 2;
        if (h->bursts[mid].start_ns < ns)
            low = mid + 1;
        else
            high = mid;
    }
    return low < h->n_bursts && h->bursts[low].start_ns == ns ? &h->bursts[low] : NULL;
}

bool hidden_is_wait(const struct host_waits *w, int32_t lane, int64_t from_ns,
                    int64_t to_ns, int64_t gap_ns)
{
    const struct wait_span *loop = host_waits_loop_at(w, lane, from_ns);
    if (!loop)
        return to_ns - from_ns >= HIDDEN_WAIT_NS;
    return loop->end_ns - (loop->start_ns > gap_ns ? loop->start_ns : gap_ns) >=
           HIDDEN_WAIT_NS;
}

enum hidden_reason hidden_from(const struct hidden *h, const struct trace_view *v,
                               event_id before, event_id after, int64_t a, int64_t b,
                               int64_t *from_ns, event_id *by)
{
    const struct event_store *s = v->s;
    event_id first = before < 0 ? -1 : view_issue(v, before),
             next = after < 0 ? -1 : view_issue(v, after);
    *by = next;
    if (first < 0 || next < 0)
        return HIDDEN_NOT;
    event_id graph = graph_after(h, s, s->start_ns[first]);
    if (graph >= 0 && s->start_ns[graph] < s->start_ns[next] &&
        s->start_ns[graph] < b) {
        *by = graph;
        *from_ns = s->start_ns[graph] > a ? s->start_ns[graph] : a;
        return HIDDEN_GRAPH;
    }
    const struct burst *burst = burst_at(h, b);
    if (!burst || burst->launched_ns >= b)
        return HIDDEN_NOT;
    *from_ns = burst->launched_ns > a ? burst->launched_ns : a;
    return HIDDEN_BURST;
}
