#include "ops/window_edges.h"

enum {
    LONG_WAIT_NS = 1000000, /* no idle device takes so long to say that it is idle */
    LATENCY_NS = 100000,    /* from the return of a launch to its event, at most, */
    LATENCY_PARTS = 10      /* or a tenth of the time before that event */
};

bool window_is_data_wait(struct str name)
{
    return str_starts(name, S("enumerate(DataLoader)")) ||
           (str_has(name, S("torch/utils/data/dataloader.py")) &&
            str_ends(name, S(": __next__")));
}

/* Where the first wait for data begins that is before a time; else that time. */
static int64_t first_data_wait_ns(struct arena tmp, const struct event_store *s,
                                  int64_t before_ns)
{
    enum { ASKED = 1, WAITS = 2 };
    uint8_t *of = arena_new(&tmp, uint8_t, s->names.n + 1);
    int64_t first_ns = before_ns;
    for (event_id i = 0; i < s->n; i++) {
        if (s->start_ns[i] >= first_ns ||
            (s->cat[i] != CAT_PYTHON && s->cat[i] != CAT_ANNOTATION &&
             s->cat[i] != CAT_CPU_OP))
            continue;
        uint8_t *known = &of[s->name[i]];
        if (!*known)
            *known = window_is_data_wait(store_name(s, i)) ? WAITS : ASKED;
        if (*known == WAITS)
            first_ns = s->start_ns[i];
    }
    return first_ns;
}

/* A launch of what is not recorded. */
static bool is_lost(const struct window_events *v, event_id i)
{
    int32_t n;
    if (!(store_role(v->s, i) & (ROLE_LAUNCHES_KERNEL | ROLE_LAUNCHES_GRAPH)))
        return false;
    launch_range(v->launch, v->tree, i, &n);
    return n == 0;
}

/* A long wait for the device itself: other calls set things up the first time. What is
 * before `known_ns` waits for work that the trace has. */
static bool is_wait(const struct window_events *v, const struct wait_span *w,
                    int64_t known_ns)
{
    enum wait_kind kind = role_wait(store_role(v->s, w->call));
    int64_t from_ns = w->start_ns > known_ns ? w->start_ns : known_ns;
    return w->end_ns - from_ns >= LONG_WAIT_NS &&
           (w->polls || kind == WAITS_SOME || kind == WAITS_ALL);
}

/* The end of the last call that ends in a span and shows that the device had work which
 * the trace does not; its beginning if there is none. */
static int64_t idle_from_ns(const struct window_events *v, int64_t from_ns,
                            int64_t to_ns, int64_t known_ns)
{
    const struct event_store *s = v->s;
    for (int32_t k = 0; k < v->waits->n; k++) {
        int64_t end_ns = v->waits->at[k].end_ns;
        if (end_ns > from_ns && end_ns <= to_ns &&
            is_wait(v, &v->waits->at[k], known_ns))
            from_ns = end_ns;
    }
    for (event_id i = 0; i < s->n; i++)
        if (cat_is_runtime(s->cat[i]) && s->start_ns[i] < to_ns &&
            store_end_ns(s, i) > from_ns && store_end_ns(s, i) <= to_ns &&
            is_lost(v, i))
            from_ns = store_end_ns(s, i);
    return from_ns;
}

/* When the host had issued the first device event; INT64_MAX: unknown. */
static int64_t first_issued_ns(const struct window_events *v, int64_t first_ns)
{
    const struct event_store *s = v->s;
    int64_t issued_ns = INT64_MAX;
    for (int32_t k = 0; k < v->n_counted; k++) {
        event_id call = s->start_ns[v->counted[k]] == first_ns
                            ? launch_call(v->launch, v->counted[k])
                            : -1;
        if (call >= 0 && call_issued_ns(s, call) < issued_ns)
            issued_ns = call_issued_ns(s, call);
    }
    return issued_ns;
}

static int64_t backlog_end_ns(const struct trace_window *w,
                              const struct window_events *v, int64_t from_ns)
{
    for (int32_t k = 0; w->n_backlog && k < v->launch->n_all; k++) {
        int64_t end_ns = store_end_ns(v->s, v->launch->all[k]);
        if (window_is_backlog(w, v->s, v->launch, k) && end_ns > from_ns)
            from_ns = end_ns;
    }
    return from_ns;
}

static void find_lead(struct trace_window *w, const struct window_events *v,
                      struct arena tmp, int64_t device_ns)
{
    const struct trace_steps *t = v->steps;
    int64_t from_ns =
        t->marked ? t->marks_from_ns : first_data_wait_ns(tmp, v->s, device_ns);
    int64_t issued_ns = first_issued_ns(v, device_ns);
    if (from_ns >= device_ns || issued_ns == INT64_MAX)
        return;
    int64_t late_ns = (device_ns - from_ns) / LATENCY_PARTS;
    late_ns = late_ns > LATENCY_NS ? late_ns : LATENCY_NS;
    if (device_ns - issued_ns > late_ns && !w->n_backlog)
        return;
    int64_t old_ns = backlog_end_ns(w, v, from_ns),
            idle_ns = idle_from_ns(v, old_ns, device_ns, INT64_MIN);
    if (idle_ns >= device_ns)
        return;
    w->lead_ns = device_ns - idle_ns;
    w->begin = old_ns > from_ns   ? WINDOW_FROM_BACKLOG /* and the wait for it */
               : idle_ns > old_ns ? WINDOW_FROM_UNSEEN
               : t->marked        ? WINDOW_FROM_STEP
                                  : WINDOW_FROM_DATA_WAIT;
}

static void find_tail(struct trace_window *w, const struct window_events *v,
                      int64_t device_ns)
{
    const struct trace_steps *t = v->steps;
    if (!t->marked || t->marks_to_ns <= device_ns ||
        idle_from_ns(v, device_ns, t->marks_to_ns, device_ns) > device_ns)
        return;
    w->tail_ns = t->marks_to_ns - device_ns;
    w->tail_lane = t->lane;
}

void window_edges_find(struct trace_window *w, const struct window_events *v,
                       struct arena tmp, struct gpu_timeline *t)
{
    if (w->rule != UNLINKED_IN_WINDOW || !v->n_counted)
        return;
    find_lead(w, v, tmp, t->start_ns);
    find_tail(w, v, t->start_ns + t->total_ns);
    t->start_ns -= w->lead_ns;
    t->total_ns += w->lead_ns + w->tail_ns;
    t->idle_ns += w->lead_ns + w->tail_ns;
}
