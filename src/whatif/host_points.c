#include "whatif/host_points.h"

#include "base/sort.h"

enum call_kind { CALL_PLAIN, CALL_SYNC, CALL_SYNC_ALL, CALL_ORDER };

static enum call_kind kind_of(const struct event_store *s, event_id i)
{
    event_role role = store_role(s, i);
    if (role & ROLE_STREAM_WAIT)
        return CALL_ORDER;
    switch (role_wait(role)) {
    case WAITS_SOME:
    case WAITS_COPY:
        return CALL_SYNC;
    case WAITS_ALL:
    case WAITS_FREE:
        return CALL_SYNC_ALL;
    default:
        return CALL_PLAIN;
    }
}

/* The events that are points, in the order of the file, which `is_point` numbers. */
static event_id *find_points(struct arena *a, const struct trace_view *v,
                             struct bit_rows *is_point, int32_t *n)
{
    const struct event_store *s = v->s;
    const struct launch_link *l = &v->launch;
    for (int32_t k = 0; k < l->n_all; k++)
        if (l->call[k] >= 0)
            bit_set(is_point, l->call[k]);
    for (event_id i = 0; i < s->n; i++)
        if (cat_is_runtime(s->cat[i]) && kind_of(s, i) > CALL_PLAIN)
            bit_set(is_point, i);
    for (int32_t k = 0; k < v->waits.n; k++)
        if (v->waits.at[k].polls)
            bit_set(is_point, v->waits.at[k].call);
    bit_finish(is_point, s->n);
    event_id *ids = arena_take_raw(a, sizeof *ids, 4, bit_before(is_point, s->n));
    *n = 0;
    for (int32_t w = 0; w <= s->n / BIT_ROWS; w++)
        for (uint32_t left = is_point[w].bits; left; left &= left - 1)
            ids[(*n)++] = w * BIT_ROWS + __builtin_ctz(left);
    return ids;
}

static struct host_point point_of(const struct event_store *s, event_id i,
                                  enum call_kind kind)
{
    return (struct host_point){.call = i,
                               .lane = s->lane[i],
                               .before = -1,
                               .after_ns = s->start_ns[i],
                               .start_ns = s->start_ns[i],
                               .end_ns = store_end_ns(s, i),
                               .device = -1,
                               .wait = kind == CALL_SYNC       ? WAIT_SOME
                                       : kind == CALL_SYNC_ALL ? WAIT_DEVICE
                                                               : WAIT_NONE,
                               .waits_on_gpu = kind == CALL_ORDER};
}

/* Loops that ask whether the device is done are one wait, from the first question on.
 */
static void join_loops(struct host_points *p, const struct host_waits *w,
                       const struct bit_rows *is_point, const int32_t *place_of)
{
    for (int32_t k = 0; k < w->n; k++) {
        if (!w->at[k].polls)
            continue;
        struct host_point *at = &p->at[place_of[bit_row(is_point, w->at[k].call)]];
        at->end_ns = w->at[k].end_ns;
        at->wait = WAIT_SOME;
    }
}

/* Links device events to points; a call whose own copy began and ended in it waits (a
 * kernel is merely short: its launch goes on beside it, unless the call says that it
 * waits: copies may be made by kernels). */
static void link_devices(struct host_points *p, const struct trace_view *v,
                         const struct bit_rows *is_point, const int32_t *place_of)
{
    const struct event_store *s = v->s;
    const struct launch_link *l = &v->launch;
    for (int32_t k = 0; k < l->n_all; k++) {
        p->of_device[k] = -1;
        if (l->call[k] < 0)
            continue;
        int32_t at = place_of[bit_row(is_point, l->call[k])];
        struct host_point *call = &p->at[at];
        event_id gpu = l->all[k];
        p->of_device[k] = at;
        call->n_launched++;
        if (call->device < 0 || s->start_ns[gpu] >= s->start_ns[l->all[call->device]])
            call->device = k;
        bool waits = s->cat[gpu] != CAT_KERNEL || call->wait == WAIT_SOME;
        if (waits && s->start_ns[gpu] >= call->start_ns &&
            store_end_ns(s, gpu) <= call->end_ns)
            call->wait = WAIT_COPY;
    }
}

/* Launches that took ten times as long as the median launch, for each of the device
 * events that they launch, and at least 20 us. Where most of them wait for room in the
 * queue, the median is such a wait: a launch call alone takes 2 to 10 us. */
static void mark_long_launches(struct arena tmp, struct host_points *p)
{
    enum { SAMPLES = 4096, MANY = 10, LONG_NS = 20000, USUAL_MOST_NS = 10000 };
    struct sort_row *took = arena_take_raw(&tmp, sizeof *took, 8, SAMPLES);
    int32_t n = 0, step = p->n / SAMPLES + 1;
    for (int32_t i = 0; i < p->n; i += step)
        if (p->at[i].n_launched && p->at[i].wait == WAIT_NONE)
            took[n++].key = p->at[i].end_ns - p->at[i].start_ns;
    sort_rows(tmp, took, n);
    int64_t usual_ns =
        n && took[n / 2].key < USUAL_MOST_NS ? took[n / 2].key : USUAL_MOST_NS;
    for (int32_t i = 0; i < p->n; i++) {
        struct host_point *at = &p->at[i];
        int64_t ns = at->end_ns - at->start_ns;
        if (at->n_launched && at->wait == WAIT_NONE && ns >= LONG_NS &&
            ns / MANY >= usual_ns * at->n_launched)
            at->wait = WAIT_QUEUE;
    }
}

/* Whether the thread of a point began no event in [from, to], before the point. */
static bool was_quiet(const struct trace_view *v, const struct host_point *at,
                      int64_t from_ns, int64_t to_ns)
{
    const struct event_store *s = v->s;
    for (int32_t pos = tree_rank(&v->tree, at->call) - 1; pos >= 0; pos--) {
        event_id i = v->tree.order[pos];
        if (s->lane[i] != at->lane || s->start_ns[i] < from_ns)
            return true;
        if (s->start_ns[i] <= to_ns)
            return false;
    }
    return true;
}

static bool hands_over(const struct trace_view *v, const struct host_points *p,
                       int32_t own, int32_t i)
{
    const struct host_point *at = &p->at[i], *other = &p->at[i - 1];
    if (own < 0 || at->call < 0)
        return own < 0;
    return own < i - 1 && other->end_ns <= at->start_ns &&
           p->at[own].end_ns <= other->start_ns &&
           was_quiet(v, at, p->at[own + 1].start_ns, other->end_ns);
}

static void find_before(struct arena tmp, const struct trace_view *v,
                        struct host_points *p)
{
    int32_t *last = arena_new(&tmp, int32_t, v->s->n_lanes); /* by lane; 0: none */
    for (int32_t i = 0; i < p->n; i++) {
        struct host_point *at = &p->at[i];
        int32_t own = last[at->lane] - 1;
        last[at->lane] = i + 1;
        at->before = i && hands_over(v, p, own, i) ? i - 1 : own;
        if (at->before < 0) {
            bool leads = v->window.lead_ns && v->timeline.start_ns < at->start_ns;
            at->after_ns = leads ? v->timeline.start_ns : at->start_ns;
            continue;
        }
        const struct host_point *before = &p->at[at->before];
        at->after_ns = before->end_ns <= at->start_ns ? before->end_ns : at->start_ns;
    }
}

/* Nothing happens there, but what comes before it on its thread moves it. */
static struct host_point end_point(const struct trace_view *v)
{
    int64_t end_ns = v->timeline.start_ns + v->timeline.total_ns;
    return (struct host_point){.call = -1,
                               .lane = v->window.tail_lane,
                               .before = -1,
                               .after_ns = end_ns,
                               .start_ns = end_ns,
                               .end_ns = end_ns,
                               .device = -1};
}

struct host_points host_points_build(struct arena *perm, struct arena tmp,
                                     const struct trace_view *v)
{
    const struct event_store *s = v->s;
    struct host_points p = {.end = -1};
    struct bit_rows *is_point = arena_new(&tmp, struct bit_rows, BIT_WORDS(s->n));
    event_id *ids = find_points(&tmp, v, is_point, &p.n);
    int32_t *place_of = arena_take_raw(&tmp, sizeof *place_of, 4, p.n);
    sort_ids(tmp, ids, p.n, s->start_ns);
    p.at = arena_take_raw(perm, sizeof *p.at, 8, p.n + 1);
    p.of_device = arena_take_raw(perm, sizeof *p.of_device, 4, v->launch.n_all);
    const struct host_point end = end_point(v);
    int32_t n = 0;
    for (int32_t i = 0; i <= p.n; i++) {
        if (v->window.tail_ns && p.end < 0 &&
            (i == p.n || s->start_ns[ids[i]] >= end.start_ns))
            p.at[p.end = n++] = end;
        if (i == p.n)
            break;
        bool known = cat_is_runtime(s->cat[ids[i]]);
        p.at[n] = point_of(s, ids[i], known ? kind_of(s, ids[i]) : CALL_PLAIN);
        place_of[bit_row(is_point, ids[i])] = n++;
    }
    p.n = n;
    join_loops(&p, &v->waits, is_point, place_of);
    link_devices(&p, v, is_point, place_of);
    mark_long_launches(tmp, &p);
    find_before(tmp, v, &p);
    return p;
}
