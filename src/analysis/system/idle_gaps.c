#include "analysis/system/idle_gaps.h"

#include "analysis/model/name_match.h"
#include "analysis/model/number_text.h"
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
    *p = (struct sync_point){s->start_ns[i], store_end_ns(s, i), i, op >= 0 ? op : call,
                             s->cat[i] != CAT_CPU_OP && waits < 0};
    return true;
}

static void find_syncs(struct arena *perm, struct arena tmp, const struct tree_index *t,
                       struct idle_gaps *g)
{
    const struct call_tree *tree = &t->v->tree;
    struct sync_scan c = {t, arena_new(&tmp, uint8_t, t->v->s->names.n + 1)};
    int32_t n = 0;
    for (int32_t pos = 0; pos < tree->n_order; pos++)
        n += sync_kind(&c, tree->order[pos]) > NO_SYNC;
    struct sync_point *found = arena_take_raw(&tmp, sizeof *found, 8, n);
    for (int32_t pos = 0; pos < tree->n_order;) {
        bool is = sync_kind(&c, tree->order[pos]) > NO_SYNC;
        g->n_syncs += is && read_sync(&c, pos, &found[g->n_syncs]);
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
            g->rows[g->n++] = (struct gap_row){
                store_end_ns(s, before), gap, before, now, IDLE_UNKNOWN, -1};
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

/* A launch call takes a few microseconds; one of 100 that fills most of the gap is what
 * the device waited for, whatever the host did before. */
static bool spent_in_call(const struct event_store *s, event_id call,
                          const struct gap_row *gap)
{
    int64_t from = s->start_ns[call], to = store_end_ns(s, call);
    int64_t gap_end = gap->start_ns + gap->dur_ns;
    from = from < gap->start_ns ? gap->start_ns : from;
    to = to > gap_end ? gap_end : to;
    return store_dur_ns(s, call) >= LONG_GAP_NS && 2 * (to - from) >= gap->dur_ns;
}

static void tell_causes(struct arena tmp, const struct tree_index *t,
                        struct idle_gaps *g)
{
    const struct event_store *s = t->v->s;
    struct sync_window w = {arena_take_raw(&tmp, sizeof *w.open, 4, g->n_syncs), 0, 0};
    for (int32_t k = 0; k < g->n; k++) {
        struct gap_row *gap = &g->rows[k];
        event_id call = launch_call(&t->v->launch, gap->after);
        int64_t call_ns = call >= 0 ? s->start_ns[call] : INT64_MAX;
        gap->sync = waited_in(&w, g, gap, call_ns);
        if (call >= 0 && spent_in_call(s, call, gap)) {
            gap->cause = IDLE_CALL;
            gap->sync = -1;
        } else if (gap->sync >= 0) {
            gap->cause = g->syncs[gap->sync].is_copy ? IDLE_COPY : IDLE_SYNC;
        } else if (call >= 0) {
            gap->cause = call_ns >= gap->start_ns ? IDLE_HOST : IDLE_DEVICE;
        }
    }
}

struct idle_gaps idle_gaps_find(struct arena *perm, struct arena tmp,
                                const struct tree_index *t)
{
    struct idle_gaps g = {0};
    find_syncs(perm, tmp, t, &g);
    find_gaps(perm, tmp, t->v, &g);
    tell_causes(tmp, t, &g);
    return g;
}

event_id launched_operation(const struct tree_index *t, event_id call)
{
    const struct event_store *s = t->v->s;
    event_id found = -1, nearest = -1;
    for (event_id i = call; i >= 0; i = tree_parent(&t->v->tree, i)) {
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

/* What the host did for most of [from, to) on the thread of `call`: a child of the
 * frame that spans all of it; or -1. */
static event_id host_activity(const struct tree_index *t, event_id call, int64_t from,
                              int64_t to)
{
    const struct event_store *s = t->v->s;
    event_id around = call, best = -1;
    while (around >= 0 && s->start_ns[around] > from)
        around = tree_above(t, around);
    int64_t longest = (to - from) / 2;
    event_id c = around >= 0 ? tree_first_child(t, around) : -1;
    for (; c >= 0 && s->start_ns[c] < to; c = tree_next_sibling(t, c)) {
        int64_t start = s->start_ns[c] > from ? s->start_ns[c] : from;
        int64_t end = store_end_ns(s, c) < to ? store_end_ns(s, c) : to;
        if (end - start > longest) {
            longest = end - start;
            best = c;
        }
    }
    return best;
}

struct str idle_gap_clause(struct arena *perm, const struct tree_index *t,
                           const struct idle_gaps *g, const struct gap_row *gap)
{
    const struct event_store *s = t->v->s;
    event_id call = launch_call(&t->v->launch, gap->after);
    if (gap->cause == IDLE_UNKNOWN || call < 0)
        return S("no launch call is recorded for the next device event");
    struct str op = quoted_name(perm, store_name(s, launched_operation(t, call)), 60);
    if (gap->cause == IDLE_CALL)
        return say(perm, "the call that launched {} took {} ms itself", said(op),
                   said_ms((double)store_dur_ns(s, call) / 1e6));
    if (gap->cause == IDLE_DEVICE) {
        double ahead_ms = (double)(gap->start_ns - s->start_ns[call]) / 1e6;
        return say(perm, "{} was queued {} ms ahead; the device itself started late",
                   said(op), said_ms(ahead_ms));
    }
    int64_t from = gap->start_ns;
    struct str waited = S("nothing was queued");
    if (gap->sync >= 0) {
        const struct sync_point *p = &g->syncs[gap->sync];
        event_id named = s->cat[p->event] == CAT_CPU_OP ? p->event : p->op;
        struct str name = quoted_name(perm, store_name(s, named), 60);
        waited = str_printf(perm,
                            p->is_copy ? "the host waited for a copy in %.*s"
                                       : "the host waited for the device in %.*s",
                            STRF(name));
        from = p->end_ns > from ? p->end_ns : from;
    }
    struct str late = text_ms(perm, (double)(s->start_ns[call] - from) / 1e6);
    event_id busy = host_activity(t, call, from, s->start_ns[call]);
    if (busy < 0)
        return say(perm, "{} and {} was launched {} ms later", said(waited), said(op),
                   said(late));
    struct str in = quoted_name(perm, store_name(s, busy), 80);
    return say(perm, "{}; the host was in {} and launched {} {} ms later", said(waited),
               said(in), said(op), said(late));
}
