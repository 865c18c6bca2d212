#include "analysis/system/device_ahead.h"

#include "base/duration.h"
#include "ops/host_waits.h"
#include "timeline/interval_set.h"

enum { FEWEST_WAITS = 2, SCALAR_BYTES = 1024 };

static int device_at(const struct trace_view *v, event_id gpu)
{
    int k = 0;
    while (k < v->devices->n &&
           v->devices->of[k].pid != v->s->lanes[v->s->lane[gpu]].pid)
        k++;
    return k;
}

/* PyTorch copies on a stream of the device that it copies from. */
static int sends_all(const struct device_uses *d)
{
    for (int k = 0; k < d->n; k++)
        if (d->n_copies && d->of[k].n_copies_out == d->n_copies)
            return k;
    return -1;
}

bool devices_hold_models(const struct device_uses *d, bool training)
{
    return training && d->n == 2 && sends_all(d) >= 0;
}

/* What the host reads of the others is no more than a loss or a norm, and collectives
 * bring nothing either. */
static bool is_told_nothing(const struct trace_view *v, int device)
{
    const struct event_store *s = v->s;
    for (int32_t k = 0; k < v->n_counted; k++) {
        event_id g = v->counted[k];
        bool to_host =
            s->cat[g] == CAT_MEMCPY && role_way(store_role(s, g)) == COPY_D2H;
        if (view_class(v, g) == GPU_COMMUNICATION ||
            (to_host && device_at(v, g) != device && store_bytes(s, g) > SCALAR_BYTES))
            return false;
    }
    return true;
}

static bool is_peer_copy(const struct event_store *s, event_id g)
{
    return s->cat[g] == CAT_MEMCPY && store_role(s, g) & ROLE_PEER;
}

/* When the device works, copies to others aside, and no other one does. */
static struct interval_set alone_of(struct arena *a, const struct trace_view *v,
                                    int device)
{
    struct span *of[2]; /* its own, and those of others */
    ptrdiff_t n[2] = {0, 0};
    for (int k = 0; k < 2; k++)
        of[k] = arena_take_raw(a, sizeof **of, 8, v->n_counted);
    for (int32_t k = 0; k < v->n_counted; k++) {
        event_id g = v->counted[k];
        int other = device_at(v, g) != device;
        if (other || !is_peer_copy(v->s, g))
            of[other][n[other]++] =
                (struct span){v->s->start_ns[g], store_end_ns(v->s, g)};
    }
    struct interval_set own = interval_union(*a, of[0], n[0]);
    return interval_minus(a, own, interval_union(*a, of[1], n[1]));
}

/* From one moment to the next. */
static int64_t length_until(struct interval_set *rest, int64_t from_ns, int64_t to_ns)
{
    int64_t ns = 0;
    while (rest->n && rest->spans->start_ns < to_ns) {
        ns += shared_ns(rest->spans->start_ns, rest->spans->end_ns, from_ns, to_ns);
        if (rest->spans->end_ns > to_ns)
            break;
        rest->spans++;
        rest->n--;
    }
    return ns;
}

/* The wait that the host was in last before a call, if that began or went on after a
 * moment; NULL: none. */
static const struct wait_span *wait_before(const struct trace_view *v, event_id call,
                                           int64_t from_ns)
{
    const struct host_waits *w = &v->waits;
    int32_t lane = v->s->lane[call], low = w->first_of[lane],
            high = w->first_of[lane + 1], first = low;
    while (low < high) {
        int32_t mid = low + (high - low) / 2;
        if (w->at[mid].start_ns < v->s->start_ns[call])
            low = mid + 1;
        else
            high = mid;
    }
    const struct wait_span *x = low > first ? &w->at[low - 1] : NULL;
    return x && x->end_ns > from_ns && x->end_ns <= v->s->start_ns[call] ? x : NULL;
}

/* Of one device, by start. */
static event_id *events_of(struct arena *a, const struct trace_view *v, int device,
                           int32_t *n)
{
    event_id *at = arena_take_raw(a, sizeof *at, 4, v->n_counted);
    *n = 0;
    for (int32_t k = 0; k < v->n_counted; k++)
        if (device_at(v, v->counted[k]) == device)
            at[(*n)++] = v->counted[k];
    view_sort_by_start(*a, v->s, at, *n);
    return at;
}

static void look_at(struct arena tmp, const struct trace_view *v,
                    struct device_ahead *to)
{
    const struct event_store *s = v->s;
    int32_t n;
    event_id *at = events_of(&tmp, v, to->device, &n);
    struct interval_set alone = alone_of(&tmp, v, to->device);
    int64_t end_ns = n ? store_end_ns(s, at[0]) : 0, from_ns = 0, held_ns = 0;
    int64_t idle_ns = 0, all_held_ns = 0;
    for (int32_t k = 1; k <= n; k++) {
        event_id call = k < n ? view_issue(v, at[k]) : -1;
        int64_t start_ns = k < n ? s->start_ns[at[k]] : end_ns;
        const struct wait_span *w =
            call >= 0 && start_ns > end_ns ? wait_before(v, call, end_ns) : NULL;
        idle_ns += later(0, start_ns - end_ns);
        if (w || k == n) /* what the last one held up ends here */
            to->saved_ns += sooner(held_ns, length_until(&alone, from_ns, end_ns));
        if (w) {
            from_ns = start_ns;
            held_ns = shared_ns(w->start_ns, w->end_ns, end_ns, start_ns);
            all_held_ns += held_ns;
            to->wait = w->call;
            to->waits++;
        }
        end_ns = k < n ? later(end_ns, store_end_ns(s, at[k])) : end_ns;
    }
    if (to->waits < FEWEST_WAITS || 5 * all_held_ns < 4 * idle_ns)
        to->device = -1;
}

struct device_ahead device_ahead_of(struct arena tmp, const struct trace_view *v,
                                    bool training)
{
    struct device_ahead to = {.device = -1, .wait = -1};
    const struct device_uses *d = v->devices;
    if (!d || !devices_hold_models(d, training))
        return to;
    to.device = sends_all(d);
    if (is_told_nothing(v, to.device))
        look_at(tmp, v, &to);
    else
        to.device = -1;
    return to;
}
