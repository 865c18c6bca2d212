#include "analysis/system/idle_gaps.h"

#include "analysis/model/name_match.h"
#include "base/sort.h"

#include <string.h>

/* The profiler's host and device clocks agree to a few microseconds. */
enum { CLOCK_SLACK_NS = 10000 };

enum sync_kind { NO_SYNC = 1, SYNC_WAIT, SYNC_SCALAR, SYNC_COPY };

static enum sync_kind kind_of_name(int cat, struct str name)
{
    if (cat == CAT_CPU_OP)
        return str_eq(name, S("aten::item")) ||
                       str_eq(name, S("aten::_local_scalar_dense"))
                   ? SYNC_SCALAR
                   : NO_SYNC;
    if (!cat_is_runtime(cat))
        return NO_SYNC;
    if (name_has(name,
                 "DeviceSynchronize|StreamSynchronize|EventSynchronize|CtxSynchronize"))
        return SYNC_WAIT;
    bool copies = name_begins(name, "cudaMemcpy|hipMemcpy|cuMemcpy");
    return copies && !name_has(name, "Async") ? SYNC_COPY : NO_SYNC;
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
        *kind = (uint8_t)kind_of_name(s->cat[i], store_name(s, i));
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
    *p =
        (struct sync_point){s->start_ns[i], store_end_ns(s, i), i, op >= 0 ? op : call};
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

static void find_gaps(struct arena *perm, struct arena tmp, const struct trace_view *v,
                      struct idle_gaps *g)
{
    const struct event_store *s = v->s;
    event_id *by_start = arena_take_raw(&tmp, sizeof *by_start, 4, v->n_counted);
    if (v->n_counted)
        memcpy(by_start, v->counted, (size_t)v->n_counted * sizeof *by_start);
    view_sort_by_start(tmp, s, by_start, v->n_counted);
    g->rows = arena_take_raw(perm, sizeof *g->rows, 8, v->timeline.busy.n);
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
    }
}

/* Synchronisation points that may explain the current gap, updated from gap to gap. */
struct sync_window {
    int32_t *open; /* points that began before the gap */
    int32_t n, next;
};

/* The point at which the host was waiting when the device ran out of work: begun before
 * the gap, over within it, with no launch in between. */
static int32_t waited_in(struct sync_window *w, const struct idle_gaps *g,
                         const struct gap_row *gap, int64_t call_ns)
{
    while (w->next < g->n_syncs && g->syncs[w->next].start_ns <= gap->start_ns)
        w->open[w->n++] = w->next++;
    int32_t kept = 0, found = -1;
    for (int32_t k = 0; k < w->n; k++) {
        const struct sync_point *p = &g->syncs[w->open[k]];
        if (p->end_ns < gap->start_ns - CLOCK_SLACK_NS)
            continue;
        if (p->end_ns <= gap->start_ns + gap->dur_ns && p->end_ns <= call_ns)
            found = w->open[k];
        w->open[kept++] = w->open[k];
    }
    w->n = kept;
    return found;
}

static void tell_waits(struct arena tmp, const struct tree_index *t,
                       struct idle_gaps *g)
{
    const struct event_store *s = t->v->s;
    struct sync_window w = {arena_take_raw(&tmp, sizeof *w.open, 4, g->n_syncs), 0, 0};
    for (int32_t k = 0; k < g->n; k++) {
        struct gap_row *gap = &g->rows[k];
        event_id call = view_issue(t->v, gap->after);
        gap->queued = call >= 0 && store_end_ns(s, call) <= gap->start_ns;
        gap->sync = waited_in(&w, g, gap, call >= 0 ? s->start_ns[call] : INT64_MAX);
    }
}

struct idle_gaps idle_gaps_find(struct arena *perm, struct arena tmp,
                                const struct tree_index *t)
{
    struct idle_gaps g = {0};
    find_syncs(perm, tmp, t, &g);
    find_gaps(perm, tmp, t->v, &g);
    tell_waits(tmp, t, &g);
    return g;
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
        if (str_has(name, S("::")) && !str_starts(name, S("autograd::")))
            found = i;
    }
    return found >= 0 ? found : nearest >= 0 ? nearest : call;
}
