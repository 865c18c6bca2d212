#include "analysis/system/data_waits.h"

#include "base/sort.h"
#include "ops/window_edges.h"

static event_id *named_so(struct arena *a, struct arena tmp,
                          const struct event_store *s, int32_t *n)
{
    bool *waits = arena_new(&tmp, bool, s->names.n + 1), any = false;
    event_id *at = NULL;
    for (name_id k = 0; k < s->names.n; k++)
        any |= waits[k] = window_is_data_wait(pool_text(&s->names, k));
    for (event_id i = 0; any && i < s->n; i++) { /* few traces have any */
        if (!waits[s->name[i]] ||
            (s->cat[i] != CAT_PYTHON && s->cat[i] != CAT_ANNOTATION &&
             s->cat[i] != CAT_CPU_OP))
            continue;
        arena_grow(a, at, *n);
        at[(*n)++] = i;
    }
    return at;
}

struct data_waits data_waits_find(struct arena *perm, struct arena tmp,
                                  const struct event_store *s)
{
    struct data_waits w = {.s = s};
    int32_t n = 0, *count = arena_new(&tmp, int32_t, s->n_lanes + 2);
    event_id *found = named_so(perm, tmp, s, &n);
    if (!n)
        return w;
    sort_ids(tmp, found, n, s->start_ns);
    w.at = arena_take_raw(perm, sizeof *w.at, 4, n);
    for (int32_t k = 0; k < n; k++)
        count[s->lane[found[k]] + 1]++;
    for (int32_t l = 0; l < s->n_lanes; l++)
        count[l + 1] += count[l];
    for (int32_t k = 0; k < n; k++)
        w.at[count[s->lane[found[k]]]++] = found[k];
    for (int32_t k = 0; k < n; k++) {
        event_id last = w.n ? w.at[w.n - 1] : -1, i = w.at[k];
        if (last < 0 || s->lane[last] != s->lane[i] ||
            s->start_ns[i] >= store_end_ns(s, last))
            w.at[w.n++] = i;
    }
    return w;
}

int32_t data_wait_in(const struct data_waits *w, int32_t from, int32_t lane,
                     int64_t from_ns, int64_t to_ns)
{
    const struct event_store *s = w->s;
    int32_t low = from,
            high = w->n; /* the first that ends later than the span begins */
    while (low < high) {
        int32_t mid = low + (high - low) / 2;
        event_id i = w->at[mid];
        if (s->lane[i] < lane || (s->lane[i] == lane && store_end_ns(s, i) <= from_ns))
            low = mid + 1;
        else
            high = mid;
    }
    bool shares =
        low < w->n && s->lane[w->at[low]] == lane && s->start_ns[w->at[low]] < to_ns;
    return shares ? low : w->n;
}
