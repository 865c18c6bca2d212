#include "analysis/system/idle_gaps.h"

#include "analysis/model/name_match.h"
#include "base/sort.h"

#include <string.h>

/* The profiler's host and device clocks agree to a few microseconds. */
enum { CLOCK_SLACK_NS = 10000 };

enum sync_kind { NO_SYNC = 1, SYNC_WAIT, SYNC_SCALAR, SYNC_COPY };

static enum sync_kind kind_of_event(int cat, struct str name, event_role role)
{
    if (cat == CAT_CPU_OP)
        return str_eq(name, S("aten::item")) ||
                       str_eq(name, S("aten::_local_scalar_dense"))
                   ? SYNC_SCALAR
                   : NO_SYNC;
    if (!cat_is_runtime(cat))
        return NO_SYNC;
    switch (role_wait(role)) {
    case WAITS_SOME:
    case WAITS_ALL:
        return SYNC_WAIT;
    case WAITS_COPY:
        return SYNC_COPY;
    default:
        return NO_SYNC;
    }
}

struct sync_scan {
    const struct tree_index *t;
    uint8_t *kind_of; /* by name */
};

static enum sync_kind sync_kind(struct sync_scan *c, event_id i)
{
    const struct event_store *s = c->t->v->s;
    uint8_t *kind = &c->kind_of[s->name[i]];
    if (s->cat[i] == CAT_PYTHON)
        return NO_SYNC;
    if (!*kind)
        *kind = (uint8_t)kind_of_event(s->cat[i], store_name(s, i), store_role(s, i));
    return (enum sync_kind) * kind;
}

/* What waits inside a synchronisation point: a scalar read of host memory waits for
 * nothing and is not one. */
static bool read_sync(struct sync_scan *c, int32_t pos, struct sync_point *p)
{
    const struct event_store *s = c->t->v->s;
    const struct call_tree *tree = &c->t->v->tree;
    event_id waits = -1, copies = -1;
    for (int32_t k = pos; k < tree->after[pos]; k++) {
        enum sync_kind kind = sync_kind(c, tree->order[k]);
        if (kind == SYNC_WAIT && waits < 0)
            waits = tree->order[k];
        if (kind == SYNC_COPY && copies < 0)
            copies = tree->order[k];
    }
    event_id call = waits >= 0 ? waits : copies;
    if (call < 0)
        return false;
    event_id i = tree->order[pos], op = tree_operator(s, tree, call);
    *p = (struct sync_point){s->start_ns[i], store_end_ns(s, i), i, op >= 0 ? op : call,
                             call};
    return true;
}

static void find_syncs(struct arena *perm, struct arena tmp, const struct tree_index *t,
                       struct idle_gaps *g)
{
    const struct call_tree *tree = &t->v->tree;
    struct sync_scan c = {t, arena_new(&tmp, uint8_t, t->v->s->names.n + 1)};
    struct sync_point *found = NULL;
    for (int32_t pos = 0; pos < tree->n_order;) {
        struct sync_point p;
        bool is = sync_kind(&c, tree->order[pos]) > NO_SYNC;
        if (is && read_sync(&c, pos, &p)) {
            arena_grow(&tmp, found, g->n_syncs);
            found[g->n_syncs++] = p;
        }
        pos = is ? tree->after[pos] : pos + 1;
    }
    struct sort_row *rows = arena_take_raw(&tmp, sizeof *rows, 8, g->n_syncs);
    for (int32_t k = 0; k < g->n_syncs; k++)
        rows[k] = (struct sort_row){found[k].start_ns, k};
    sort_rows(tmp, rows, g->n_syncs);
    g->syncs = arena_take_raw(perm, sizeof *g->syncs, 8, g->n_syncs);
    for (int32_t k = 0; k < g->n_syncs; k++)
        g->syncs[k] = found[rows[k].row];
}

/* Of device events that start together, one whose launch is known tells more. */
static event_id gap_end(const struct trace_view *v, const event_id *by_start, int32_t k)
{
    int64_t at = v->s->start_ns[by_start[k]];
    for (int32_t i = k; i < v->n_counted && v->s->start_ns[by_start[i]] == at; i++)
        if (launch_call(&v->launch, by_start[i]) >= 0)
            return by_start[i];
    return by_start[k];
}

static event_id *counted_by_start(struct arena *a, const struct trace_view *v)
{
    event_id *by_start = arena_take_raw(a, sizeof *by_start, 4, v->n_counted);
    if (v->n_counted)
        memcpy(by_start, v->counted, (size_t)v->n_counted * sizeof *by_start);
    view_sort_by_start(*a, v->s, by_start, v->n_counted);
    return by_start;
}

static void find_gaps(struct arena *perm, const event_id *by_start,
                      const struct trace_view *v, struct idle_gaps *g)
{
    const struct event_store *s = v->s;
    g->rows = arena_take_raw(perm, sizeof *g->rows, 8, v->timeline.busy.n + 2);
    if (v->window.lead_ns)
        g->rows[g->n++] = (struct gap_row){.start_ns = v->timeline.start_ns,
                                           .dur_ns = v->window.lead_ns,
                                           .before = -1,
                                           .after = gap_end(v, by_start, 0)};
    for (int32_t k = 0, last = 0; k < v->n_counted; k++) {
        event_id now = by_start[k], before = by_start[last];
        int64_t gap = s->start_ns[now] - store_end_ns(s, before);
        gap = window_is_artefact(&v->window, store_end_ns(s, before)) ? 0 : gap;
        if (k && gap > 0)
            g->rows[g->n++] = (struct gap_row){.start_ns = store_end_ns(s, before),
                                               .dur_ns = gap,
                                               .before = before,
                                               .after = gap_end(v, by_start, k)};
        if (store_end_ns(s, now) > store_end_ns(s, before))
            last = k;
        if (k == v->n_counted - 1 && v->window.tail_ns)
            g->rows[g->n++] =
                (struct gap_row){.start_ns = v->device.start_ns + v->device.total_ns,
                                 .dur_ns = v->window.tail_ns,
                                 .before = by_start[last],
                                 .after = -1};
    }
}

/* Synchronisation points that began before the current gap, by their ends: the latest
 * of those that end between two times, however many last on. */
struct sync_window {
    struct sort_row *by_end;
    int32_t *rank; /* by point: its row there */
    int32_t
        *latest; /* a tree of greatest points: node k has 2k and 2k + 1, leaves n on */
    int32_t n, next;
};

static struct sync_window sync_window_of(struct arena *a, const struct idle_gaps *g)
{
    int32_t n = g->n_syncs;
    struct sync_window w = {arena_take_raw(a, sizeof *w.by_end, 8, n),
                            arena_take_raw(a, sizeof *w.rank, 4, n),
                            arena_take_raw(a, sizeof *w.latest, 4, 2 * (ptrdiff_t)n), n,
                            0};
    for (int32_t k = 0; k < n; k++)
        w.by_end[k] = (struct sort_row){g->syncs[k].end_ns, k};
    sort_rows(*a, w.by_end, n);
    for (int32_t k = 0; k < n; k++)
        w.rank[w.by_end[k].row] = k;
    memset(w.latest, -1, 2 * (size_t)n * sizeof *w.latest);
    return w;
}

/* How many end before a time. */
static int32_t ends_before(const struct sync_window *w, int64_t at_ns)
{
    int32_t low = 0, high = w->n;
    while (low < high) {
        int32_t mid = low + (high - low) / 2;
        if (w->by_end[mid].key < at_ns)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* Of those that began, the latest that ends in [from_ns, to_ns]; -1: none. */
static int32_t latest_of(const struct sync_window *w, int64_t from_ns, int64_t to_ns)
{
    int32_t found = -1, to = ends_before(w, to_ns + 1);
    int64_t a = (int64_t)ends_before(w, from_ns) + w->n, b = (int64_t)to + w->n;
    for (; a < b; a /= 2, b /= 2) {
        int32_t left = a % 2 ? w->latest[a++] : -1;
        int32_t right = b % 2 ? w->latest[--b] : -1;
        found = left > found ? left : found;
        found = right > found ? right : found;
    }
    return found;
}

/* The point at which the host was waiting when the device ran out of work: begun before
 * the gap, over within it, with no launch in between. */
static int32_t waited_in(struct sync_window *w, const struct idle_gaps *g,
                         const struct gap_row *gap, int64_t call_ns)
{
    for (; w->next < w->n && g->syncs[w->next].start_ns <= gap->start_ns; w->next++)
        for (int64_t k = (int64_t)w->rank[w->next] + w->n; k > 0; k /= 2)
            w->latest[k] = w->next; /* each begins after those before */
    int64_t end_ns = gap->start_ns + gap->dur_ns;
    return latest_of(w, gap->start_ns - CLOCK_SLACK_NS,
                     end_ns < call_ns ? end_ns : call_ns);
}

static void tell_waits(struct arena tmp, const struct tree_index *t,
                       struct idle_gaps *g)
{
    const struct event_store *s = t->v->s;
    struct sync_window w = sync_window_of(&tmp, g);
    for (int32_t k = 0; k < g->n; k++) {
        struct gap_row *gap = &g->rows[k];
        event_id call = gap->after < 0 ? -1 : view_issue(t->v, gap->after);
        gap->queued = call >= 0 && store_end_ns(s, call) <= gap->start_ns;
        gap->sync = waited_in(&w, g, gap, call >= 0 ? s->start_ns[call] : INT64_MAX);
    }
}

struct idle_gaps idle_gaps_find(struct arena *perm, struct arena tmp,
                                const struct tree_index *t)
{
    struct idle_gaps g = {0};
    find_syncs(perm, tmp, t, &g);
    const event_id *by_start = counted_by_start(&tmp, t->v);
    g.hidden = hidden_find(perm, tmp, t->v, by_start, t->v->n_counted);
    find_gaps(perm, by_start, t->v, &g);
    tell_waits(tmp, t, &g);
    return g;
}

struct idle_gaps idle_gaps_of_device(struct arena *perm, struct arena tmp,
                                     const struct tree_index *t,
                                     const struct idle_gaps *all,
                                     const struct idle_peers *peers)
{
    struct idle_gaps g = *all;
    g.n = 0;
    g.peers = peers;
    find_gaps(perm, counted_by_start(&tmp, t->v), t->v, &g);
    tell_waits(tmp, t, &g);
    return g;
}

int64_t idle_gaps_ns(const struct idle_gaps *g)
{
    int64_t ns = 0;
    for (int32_t k = 0; k < g->n; k++)
        ns += g->rows[k].dur_ns;
    return ns;
}

event_id *first_device_events(struct arena *a, const struct trace_view *v)
{
    const struct event_store *s = v->s;
    event_id *first = arena_take_raw(a, sizeof *first, 4, s->names.n);
    for (int32_t k = 0; k < s->names.n; k++)
        first[k] = -1;
    for (int32_t k = 0; k < v->n_counted; k++) {
        event_id gpu = v->counted[k], *one = &first[s->name[gpu]];
        if (*one < 0 || s->start_ns[gpu] < s->start_ns[*one])
            *one = gpu;
    }
    return first;
}

/* Of most names the first colon tells. */
static bool has_namespace(struct str name)
{
    const char *colon = name.n ? memchr(name.p, ':', (size_t)name.n) : NULL;
    struct str rest = colon ? str_skip(name, colon - name.p) : S("");
    return rest.n > 1 && (rest.p[1] == ':' || str_has(rest, S("::")));
}

event_id launched_operation(const struct tree_index *t, event_id call)
{
    const struct event_store *s = t->v->s;
    event_id found = -1, nearest = -1, i = call;
    for (int k = 0; i >= 0 && k < CALLERS_MAX; k++, i = tree_parent(&t->v->tree, i)) {
        if (s->cat[i] != CAT_CPU_OP)
            continue;
        struct str name = store_name(s, i);
        if (nearest < 0)
            nearest = i;
        if (has_namespace(name) && !str_starts(name, S("autograd::")))
            found = i;
    }
    return found >= 0 ? found : nearest >= 0 ? nearest : call;
}
