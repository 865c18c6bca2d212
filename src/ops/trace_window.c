#include "ops/trace_window.h"

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
