#include "tree/lend_plan.h"

#include "base/sort.h"
#include "tree/launch_link.h"

#include <string.h>

/* Graphs that differ from one another, and frames around a call. */
enum { GRAPHS_MAX = 256, DEPTH_MAX = 512 };

struct launches { /* of the lender, in the order of their calls */
    event_id *call;
    name_id *kernel;
    int32_t n;
};

/* Device events that one call replays, by start: places in `gpu` and `kernel`. */
struct replay {
    event_id call;
    int32_t start, n;
    uint64_t hash;
};

struct lending {
    struct arena *perm, *tmp;
    const struct event_store *to, *from;
    struct name_pool names;
    struct call_tree ops, frames; /* of the lender */
    struct launches l;
    int32_t *before; /* by place in frames.order: launches before it */
    int32_t *nth;    /* of those launches in that order: place in `l` */
    int32_t *breaks; /* the same of calls that begin a capture */
    event_id *gpu;   /* of all replays */
    name_id *kernel;
    struct replay *replays;
    int32_t n_replays;
    struct lend_plan *plan;
};

static struct str work_of(const struct event_store *s, event_id gpu)
{
    return s->cat[gpu] == CAT_MEMCPY   ? S("Memcpy")
           : s->cat[gpu] == CAT_MEMSET ? S("Memset")
                                       : store_name(s, gpu);
}

/* What a call of the lender starts; empty: nothing, or nobody knows. */
static struct str started_by(const struct event_store *s, const struct call_tree *t,
                             const struct launch_link *l, event_id call)
{
    int32_t n;
    const event_id *gpu = launch_range(l, t, call, &n);
    if (n > 0)
        return n == 1 ? work_of(s, gpu[0]) : S("");
    const struct op_texts *texts = store_texts(s, call);
    struct str kernel =
        texts ? value_text(value_get(store_value(s, texts->rest), "kernel")) : S("");
    if (kernel.n)
        return kernel;
    event_role role = store_role(s, call);
    return !(role & ROLE_ASYNC) ? S("")
           : role & ROLE_COPIES ? S("Memcpy")
           : role & ROLE_FILLS  ? S("Memset")
                                : S("");
}

static void find_launches(struct lending *w)
{
    const struct event_store *s = w->from;
    struct launch_link link =
        launch_link_build(w->tmp, *w->perm, s, &w->ops, LINK_BY_IDS_TOO);
    struct sort_row *order = arena_new(w->tmp, struct sort_row, s->n_details + 1);
    int32_t n = 0;
    for (event_id i = 0; i < s->n; i++)
        if (cat_is_runtime(s->cat[i]) && started_by(s, &w->ops, &link, i).n)
            order[n++] = (struct sort_row){s->start_ns[i], i};
    sort_rows(*w->perm, order, n);
    w->l = (struct launches){arena_new(w->tmp, event_id, n),
                             arena_new(w->tmp, name_id, n), n};
    for (int32_t k = 0; k < n; k++) {
        w->l.call[k] = order[k].row;
        w->l.kernel[k] =
            pool_add(&w->names, started_by(s, &w->ops, &link, order[k].row));
    }
}

/* How many launches, and beginnings of captures, lie before each place. */
static void count_before(struct lending *w)
{
    const struct call_tree *t = &w->frames;
    int32_t *launch = arena_new(w->tmp, int32_t, w->from->n + 1); /* and 1 */
    w->before = arena_new(w->tmp, int32_t, t->n_order + 1);
    w->breaks = arena_new(w->tmp, int32_t, t->n_order + 1);
    w->nth = arena_new(w->tmp, int32_t, w->l.n + 1);
    for (int32_t k = 0; k < w->l.n; k++)
        launch[w->l.call[k]] = k + 1;
    for (int32_t p = 0; p < t->n_order; p++) {
        event_id i = t->order[p];
        bool begins = cat_is_runtime(w->from->cat[i]) &&
                      (store_role(w->from, i) & ROLE_CAPTURE_BEGINS);
        if (launch[i])
            w->nth[w->before[p]] = launch[i] - 1;
        w->before[p + 1] = w->before[p] + (launch[i] > 0);
        w->breaks[p + 1] = w->breaks[p] + begins;
    }
}

static uint64_t mixed(uint64_t hash, uint64_t more)
{
    return (hash ^ more) * 1099511628211u;
}

static void add_replay(struct lending *w, event_id call, const event_id *gpu, int32_t n,
                       int32_t at)
{
    struct arena scratch = *w->perm;
    struct sort_row *order = arena_new(&scratch, struct sort_row, n);
    struct replay r = {call, at, n, 14695981039346656037u};
    for (int32_t k = 0; k < n; k++)
        order[k] = (struct sort_row){w->to->start_ns[gpu[k]], gpu[k]};
    sort_rows(*w->tmp, order, n);
    for (int32_t k = 0; k < n; k++) {
        event_id g = order[k].row;
        w->gpu[at + k] = g;
        w->kernel[at + k] = pool_add(&w->names, work_of(w->to, g));
        r.hash = mixed(r.hash, (uint64_t)w->kernel[at + k]);
    }
    w->replays[w->n_replays++] = r;
}

static void find_replays(struct lending *w)
{
    const struct event_store *s = w->to;
    struct call_tree ops = tree_build(w->tmp, *w->perm, s, TREE_OPS);
    struct launch_link link =
        launch_link_build(w->tmp, *w->perm, s, &ops, LINK_BY_IDS_TOO);
    struct sort_row *order = arena_new(w->tmp, struct sort_row, s->n_details + 1);
    int32_t n = 0, at = 0;
    for (event_id i = 0; i < s->n; i++)
        if (cat_is_runtime(s->cat[i]) && launch_is_graph(s, i))
            order[n++] = (struct sort_row){s->start_ns[i], i};
    sort_rows(*w->perm, order, n);
    w->replays = arena_new(w->tmp, struct replay, n);
    w->gpu = arena_new(w->tmp, event_id, link.n_all);
    w->kernel = arena_new(w->tmp, name_id, link.n_all);
    for (int32_t k = 0; k < n; k++) {
        int32_t n_gpu;
        const event_id *gpu = launch_range(&link, &ops, order[k].row, &n_gpu);
        if (!n_gpu)
            continue;
        add_replay(w, order[k].row, gpu, n_gpu, at);
        at += n_gpu;
    }
    w->plan->counts.graphs = w->n_replays;
    w->plan->counts.events = at;
}

/* Places of the lender where the kernels of a replay are launched, without overlap. */
static int32_t find_places(struct arena *a, const struct lending *w,
                           const struct replay *r, int32_t *places)
{
    const name_id *p = &w->kernel[r->start];
    int32_t *fail = arena_new(a, int32_t, r->n + 1), n = 0, k = 0;
    for (int32_t i = 1; i < r->n; i++) {
        while (k > 0 && p[k] != p[i])
            k = fail[k - 1];
        k += p[k] == p[i];
        fail[i] = k;
    }
    k = 0;
    for (int32_t i = 0; i < w->l.n; i++) {
        while (k > 0 && p[k] != w->l.kernel[i])
            k = fail[k - 1];
        k += p[k] == w->l.kernel[i];
        if (k == r->n) {
            places[n++] = i + 1 - r->n;
            k = 0;
        }
    }
    return n;
}

/* What operators a part of the lender would lend, their shapes and types. */
static uint64_t lends(const struct lending *w, int32_t place, int32_t n)
{
    uint64_t hash = 14695981039346656037u;
    for (int32_t k = place; k < place + n; k++) {
        event_id op = tree_operator(w->from, &w->ops, w->l.call[k]);
        const struct op_texts *t = op < 0 ? NULL : store_texts(w->from, op);
        hash = mixed(hash, op < 0 ? 0 : (uint64_t)w->from->name[op] + 1);
        hash = mixed(hash, t ? (uint64_t)(uint32_t)t->dims : 0);
        hash = mixed(hash, t ? (uint64_t)(uint32_t)t->types : 0);
    }
    return hash;
}

/* Whether a caller has launches of no other part below it, and does not begin the
 * capture; if not, neither does what called it. */
static bool is_within(const struct lending *w, event_id i, int32_t place, int32_t n)
{
    int32_t at = tree_rank(&w->frames, i), end = w->frames.after[at];
    return w->breaks[end] == w->breaks[at] && w->before[end] > w->before[at] &&
           w->nth[w->before[at]] >= place && w->nth[w->before[end] - 1] < place + n;
}

/* The operators, and frames if wanted, that are lent with a launch, outermost first:
 * of the DEPTH_MAX callers nearest to it. */
static int32_t chain_of(const struct lending *w, int32_t launch, int32_t place,
                        int32_t n, bool with_frames, event_id *chain)
{
    event_id inner[DEPTH_MAX], up = tree_parent(&w->frames, w->l.call[launch]);
    int32_t found = 0;
    for (int32_t k = 0; k < DEPTH_MAX && up >= 0 && is_within(w, up, place, n);
         k++, up = tree_parent(&w->frames, up))
        if (w->from->cat[up] == CAT_CPU_OP ||
            (with_frames && w->from->cat[up] == CAT_PYTHON))
            inner[found++] = up;
    for (int32_t k = 0; k < found; k++)
        chain[k] = inner[found - 1 - k];
    return found;
}

/* What is open while the events of a replay are written, a nanosecond for each that
 * begins or ends. */
struct writing {
    event_id open[DEPTH_MAX];
    int32_t at[DEPTH_MAX]; /* in plan->events */
    int32_t depth;
    int64_t now_ns;
};

static void add_lent(struct lending *w, const struct replay *r, event_id from,
                     event_id device, int64_t start_ns)
{
    struct lend_plan *p = w->plan;
    arena_grow(w->perm, p->events, p->n);
    p->events[p->n++] = (struct lent_event){from, r->call, start_ns, 1, device};
}

static void close_to(struct lending *w, struct writing *x, int32_t depth)
{
    while (x->depth > depth) {
        struct lent_event *e = &w->plan->events[x->at[--x->depth]];
        e->dur_ns = ++x->now_ns - e->start_ns;
    }
}

/* False: the call of the graph is too short to hold them. */
static bool write_replay(struct lending *w, const struct replay *r, int32_t place,
                         bool with_frames)
{
    struct writing x = {.now_ns = w->to->start_ns[r->call]};
    int32_t before = w->plan->n;
    for (int32_t k = 0; k < r->n; k++) {
        event_id chain[DEPTH_MAX];
        int32_t n = chain_of(w, place + k, place, r->n, with_frames, chain), same = 0;
        while (same < n && same < x.depth && x.open[same] == chain[same])
            same++;
        close_to(w, &x, same);
        for (int32_t i = same; i < n; i++) {
            x.open[x.depth] = chain[i];
            x.at[x.depth++] = w->plan->n;
            add_lent(w, r, chain[i], -1, ++x.now_ns);
        }
        add_lent(w, r, w->l.call[place + k], w->gpu[r->start + k], ++x.now_ns);
        x.now_ns++;
    }
    close_to(w, &x, 0);
    if (x.now_ns < store_end_ns(w->to, r->call))
        return true;
    w->plan->n = before;
    return false;
}

static bool all_lend_the_same(const struct lending *w, const int32_t *places, int32_t n,
                              int32_t n_kernels)
{
    uint64_t first = lends(w, places[0], n_kernels);
    for (int32_t k = 1; k < n; k++)
        if (lends(w, places[k], n_kernels) != first)
            return false;
    return true;
}

/* All replays of one sequence of kernels: group[0 .. n). */
static void lend_to(struct lending *w, const int32_t *group, int32_t n)
{
    struct arena scratch = *w->tmp;
    const struct replay *first = &w->replays[group[0]];
    int32_t *places = arena_new(&scratch, int32_t, w->l.n / first->n + 1);
    int32_t n_places = find_places(&scratch, w, first, places);
    if (!n_places)
        return;
    if (n_places != n && !all_lend_the_same(w, places, n_places, first->n)) {
        w->plan->counts.ambiguous += n;
        return;
    }
    for (int32_t k = 0; k < n; k++) {
        const struct replay *r = &w->replays[group[k]];
        if (write_replay(w, r, places[k % n_places], true) ||
            write_replay(w, r, places[k % n_places], false)) {
            w->plan->counts.graphs_lent++;
            w->plan->counts.events_lent += r->n;
        }
    }
}

static bool same_kernels(const struct lending *w, const struct replay *a,
                         const struct replay *b)
{
    return a->hash == b->hash && a->n == b->n &&
           memcmp(&w->kernel[a->start], &w->kernel[b->start],
                  (size_t)a->n * sizeof *w->kernel) == 0;
}

/* Replays by their kernels; of more than GRAPHS_MAX that differ, the rest is left. */
static void lend_all(struct lending *w)
{
    int32_t *group = arena_new(w->tmp, int32_t, w->n_replays), n_groups = 0;
    uint8_t *done = arena_new(w->tmp, uint8_t, w->n_replays);
    for (int32_t i = 0; i < w->n_replays && n_groups < GRAPHS_MAX; i++) {
        int32_t n = 0;
        for (int32_t k = i; k < w->n_replays && !done[i]; k++)
            if (!done[k] && same_kernels(w, &w->replays[i], &w->replays[k]))
                group[n++] = k;
        for (int32_t k = 0; k < n; k++)
            done[group[k]] = 1;
        n_groups += n > 0;
        if (n)
            lend_to(w, group, n);
    }
}

/* Above every identifier of the trace. */
static int64_t free_id(const struct event_store *s)
{
    int64_t most = 0;
    for (event_id i = 0; i < s->n; i++) {
        int64_t id = store_correlation(s, i);
        most = id != NO_ID && id > most ? id : most;
    }
    for (int32_t k = 0; k < s->n_flows; k++) {
        int64_t id = narrow_value(&s->wide, s->flows[k].id);
        most = id > most ? id : most;
    }
    return most < INT64_MAX - INT32_MAX ? most + 1 : -1;
}

struct lend_plan lend_plan_make(struct arena *perm, struct arena tmp,
                                const struct event_store *to,
                                const struct event_store *from)
{
    struct lend_plan plan = {.to = to, .from = from, .first_id = free_id(to)};
    struct lending w = {
        .perm = perm, .tmp = &tmp, .to = to, .from = from, .plan = &plan};
    pool_open(&w.names);
    w.ops = tree_build(&tmp, *perm, from, TREE_OPS);
    w.frames = tree_build(&tmp, *perm, from, TREE_FRAMES);
    find_launches(&w);
    count_before(&w);
    find_replays(&w);
    plan.counts.launches = w.l.n;
    if (plan.first_id > 0)
        lend_all(&w);
    plan.device_of = int_map_make(perm, plan.counts.events_lent);
    for (int32_t k = 0; k < plan.n; k++)
        if (plan.events[k].device >= 0)
            *int_map_at(&plan.device_of, perm, store_uid(to, plan.events[k].device)) =
                k;
    pool_close(&w.names);
    return plan;
}
