#include "ops/trace_window.h"

#include "base/sort.h"
#include "ops/host_waits.h"
#include "timeline/gpu_timeline.h"
#include "tree/launch_link.h"

bool window_is_backlog(const struct trace_window *w, const struct event_store *s,
                       const struct launch_link *l, int32_t place)
{
    return l->call[place] < 0 && s->start_ns[l->all[place]] < w->linked_ns;
}

bool window_counts(const struct trace_window *w, const struct event_store *s,
                   const struct launch_link *l, int32_t place)
{
    return l->call[place] >= 0 || w->rule == UNLINKED_ALL ||
           (w->rule == UNLINKED_IN_WINDOW && !window_is_backlog(w, s, l, place));
}

static int64_t first_linked_ns(const struct event_store *s, const struct launch_link *l)
{
    int64_t first = INT64_MIN;
    for (int32_t k = 0; k < l->n_all; k++)
        if (l->call[k] >= 0 && (first == INT64_MIN || s->start_ns[l->all[k]] < first))
            first = s->start_ns[l->all[k]];
    return first;
}

struct trace_window trace_window_build(struct arena tmp, const struct event_store *s,
                                       const struct launch_link *l,
                                       enum unlinked_rule rule)
{
    struct trace_window w = {.rule = rule, .linked_ns = first_linked_ns(s, l)};
    event_id *backlog = arena_take_raw(&tmp, sizeof *backlog, 4, l->n_all);
    bool any = false;
    for (int32_t k = 0; k < l->n_all; k++) {
        int64_t start_ns = s->start_ns[l->all[k]];
        bool before = window_is_backlog(&w, s, l, k);
        if (before)
            backlog[w.n_backlog++] = l->all[k];
        w.n_unlinked += !before && l->call[k] < 0;
        if (window_counts(&w, s, l, k) && (!any || start_ns < w.begin_ns)) {
            w.begin_ns = start_ns;
            any = true;
        }
    }
    w.backlog_ns = w.n_backlog ? busy_ns(tmp, s, backlog, w.n_backlog) : 0;
    return w;
}

enum {
    FIRST_EVENTS = 3,  /* at most, before the gap */
    TIMES_MEDIAN = 10, /* so many times as long as other gaps */
    LEAST_PCT = 5,     /* of the window */
    LATE_PCT = 10,     /* of the gap: so late may the launch be */
    WAIT_PCT = 50      /* of the gap, in a synchronising call */
};

static int64_t median_gap_ns(struct arena tmp, const struct interval_set *busy)
{
    ptrdiff_t n = busy->n - 1;
    struct sort_row *rows = arena_take_raw(&tmp, sizeof *rows, 8, n);
    for (ptrdiff_t k = 0; k < n; k++)
        rows[k] = (struct sort_row){busy->spans[k + 1].start_ns - busy->spans[k].end_ns,
                                    (int32_t)k};
    sort_rows(tmp, rows, n);
    return rows[(n - 1) / 2].key;
}

/* When the events that start at a time had been issued; INT64_MAX: unknown. */
static int64_t launched_ns(const struct event_store *s, const struct launch_link *l,
                           const event_id *counted, int32_t n, int64_t start_ns)
{
    int64_t issued = INT64_MAX;
    for (int32_t k = 0; k < n; k++) {
        if (s->start_ns[counted[k]] != start_ns)
            continue;
        event_id call = launch_call(l, counted[k]);
        int64_t at_ns = call >= 0 ? call_issued_ns(s, call) : INT64_MAX;
        issued = at_ns < issued ? at_ns : issued;
    }
    return issued;
}

static bool is_artefact(const struct trace_window *w, struct arena tmp,
                        const struct event_store *s, const struct launch_link *l,
                        const struct host_waits *waits, const event_id *counted,
                        int32_t n, const struct interval_set *busy)
{
    int64_t from_ns = w->artefact_from_ns, to_ns = from_ns + w->artefact_ns;
    int32_t before = 0;
    if (w->artefact_ns / TIMES_MEDIAN < median_gap_ns(tmp, busy))
        return false;
    for (int32_t k = 0; k < n; k++)
        before += s->start_ns[counted[k]] < from_ns;
    int64_t ended_ns = launched_ns(s, l, counted, n, to_ns);
    if (before > FIRST_EVENTS || ended_ns > from_ns + w->artefact_ns / 100 * LATE_PCT)
        return false;
    return ended_ns <= from_ns || host_waits_longest_ns(waits, from_ns, to_ns) >=
                                      w->artefact_ns / 100 * WAIT_PCT;
}

bool window_is_artefact(const struct trace_window *w, int64_t gap_from_ns)
{
    return w->artefact_ns > 0 && w->artefact_from_ns == gap_from_ns;
}

void trace_window_find_artefact(struct trace_window *w, struct arena tmp,
                                const struct event_store *s,
                                const struct launch_link *l,
                                const struct host_waits *waits, const int32_t *counted,
                                int32_t n, const struct interval_set *busy)
{
    if (w->rule != UNLINKED_IN_WINDOW || busy->n < 1)
        return;
    const struct span *first = &busy->spans[0];
    int64_t least_ns =
        (busy->spans[busy->n - 1].end_ns - first->start_ns) / 100 * LEAST_PCT;
    int64_t ended_ns = launched_ns(s, l, counted, n, first->start_ns);
    if (!w->n_backlog && ended_ns <= first->start_ns - least_ns)
        w->queued_ns = first->start_ns - ended_ns;
    if (busy->n < 3 || first[1].start_ns - first->end_ns < least_ns)
        return;
    w->artefact_from_ns = first->end_ns;
    w->artefact_ns = first[1].start_ns - first->end_ns;
    if (!is_artefact(w, tmp, s, l, waits, counted, n, busy))
        w->artefact_ns = 0;
}
