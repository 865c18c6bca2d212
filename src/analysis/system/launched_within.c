#include "analysis/system/launched_within.h"

#include "analysis/model/name_match.h"

/* Most traces have no such name: then no event is looked at. */
struct named_spans named_spans_of(struct arena *a, const struct event_store *s,
                                  enum event_cat cat, const char *names)
{
    uint8_t *is = arena_new(a, uint8_t, s->names.n + 1);
    struct named_spans to = {NULL, 0};
    bool any = false;
    for (int32_t k = 0; k < s->names.n; k++) {
        is[k] = name_has(pool_text(&s->names, k), names);
        any |= is[k];
    }
    if (!any)
        return to;
    to.at = arena_take_raw(a, sizeof *to.at, 4, s->n);
    for (event_id i = 0; i < s->n; i++)
        if (is[s->name[i]] &&
            (s->cat[i] == cat || (cat == CAT_ANNOTATION && s->cat[i] == CAT_CPU_OP)))
            to.at[to.n++] = i;
    view_sort_by_start(*a, s, to.at, to.n);
    return to;
}

/* How many begin at a time or before. */
static int32_t begun(const struct named_spans *x, const struct event_store *s,
                     int64_t at_ns)
{
    int32_t low = 0, high = x->n;
    while (low < high) {
        int32_t mid = low + (high - low) / 2;
        if (s->start_ns[x->at[mid]] <= at_ns)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

bool named_spans_run(const struct named_spans *x, const struct event_store *s,
                     int64_t at_ns)
{
    enum { LEVELS = 16 };
    int32_t k = begun(x, s, at_ns), least = k > LEVELS ? k - LEVELS : 0;
    while (k > least)
        if (store_end_ns(s, x->at[--k]) > at_ns)
            return true;
    return false;
}

bool named_spans_hold(const struct named_spans *x, const struct event_store *s,
                      event_id call)
{
    int32_t n = begun(x, s, s->start_ns[call]);
    event_id span = n ? x->at[n - 1] : -1;
    return span >= 0 && s->lane[span] == s->lane[call] &&
           s->start_ns[call] < store_end_ns(s, span);
}

struct launched launched_within(struct arena *a, const struct trace_view *v,
                                enum event_cat cat, const char *names, bool fills)
{
    const struct event_store *s = v->s;
    struct launched to = {arena_take_raw(a, sizeof *to.at, 4, v->n_counted), 0, 0};
    struct arena tmp = *a;
    struct named_spans spans = named_spans_of(&tmp, s, cat, names);
    for (int32_t k = 0; k < v->n_counted && spans.n; k++) {
        event_id gpu = v->counted[k];
        bool may = s->cat[gpu] == CAT_KERNEL || (fills && s->cat[gpu] == CAT_MEMSET);
        event_id call = may ? view_issue(v, gpu) : -1;
        if (call < 0 || !named_spans_hold(&spans, s, call))
            continue;
        to.at[to.n++] = gpu;
        to.total_ns += store_dur_ns(s, gpu);
    }
    return to;
}
