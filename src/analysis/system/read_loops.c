#include "analysis/system/read_loops.h"

#include "analysis/model/name_match.h"
#include "analysis/model/system_results.h"
#include "base/duration.h"
#include "base/int_map.h"

enum {
    FEWEST = 16,
    APART_NS = 100000,
    LONG_TURN_NS = 1000000,
    SIZES = 8,          /* of the parts of a batch */
    PARTS = 16,         /* of each size, at least */
    JOINED_BYTES_NS = 5 /* that a host thread joins and sends in a nanosecond */
};

enum { NOT_ASKED, ANOTHER, COPIES, SUPPRESSES };

/* Operators that no other one calls, in the order of the tree. */
struct outer {
    const struct tree_index *t;
    enum copy_direction way;
    uint8_t *kind; /* by name */
    int32_t at;    /* position of the next */
};

/* The loop that is read. */
struct open_loop {
    event_id call, from;  /* the function of the last copy, its caller; -1 */
    int32_t calls, near;  /* of such functions; copies close behind the one before */
    int64_t sizes[SIZES]; /* in bytes */
    int32_t n_sizes;      /* SIZES + 1: more */
};

/* Beside each span. */
struct loop_kind {
    bool by_calls; /* of a function, which go */
    int64_t bytes;
};

static event_id next_outer(struct outer *o)
{
    const struct event_store *s = o->t->v->s;
    const struct call_tree *tree = &o->t->v->tree;
    while (o->at < tree->n_order) {
        event_id i = tree->order[o->at];
        bool is_op = s->cat[i] == CAT_CPU_OP && s->name[i] >= 0;
        o->at = is_op ? tree->after[o->at] : o->at + 1;
        if (is_op)
            return i;
    }
    return -1;
}

static uint8_t kind_of(struct outer *o, event_id i)
{
    const struct event_store *s = o->t->v->s;
    uint8_t *kind = &o->kind[s->name[i]];
    struct str name = *kind ? S("") : store_name(s, i);
    const char *copies = o->way == COPY_D2H
                             ? "aten::item|aten::_local_scalar_dense|aten::is_nonzero"
                             : "aten::to|aten::_to_copy|aten::copy_";
    if (!*kind)
        *kind = name_is(name, copies)               ? COPIES
                : name_is(name, "torchvision::nms") ? SUPPRESSES
                                                    : ANOTHER;
    return *kind;
}

/* The copy that is all that an operator does on the device, or its last; -1. A tensor
 * of the host is read without one. */
static event_id copied(struct outer *o, event_id i)
{
    int32_t n = 0;
    const event_id *gpu = kind_of(o, i) == COPIES ? tree_gpu_below(o->t, i, &n) : NULL;
    bool is = n > 0 && (o->way == COPY_D2H || n == 1) &&
              role_way(store_role(o->t->v->s, gpu[n - 1])) == o->way;
    return is ? gpu[n - 1] : -1;
}

/* The user's function that an operator is in; -1. */
static event_id function_of(const struct tree_index *t, event_id i)
{
    for (int k = 0; t->has_frames && i >= 0 && k < TREE_LEVELS_MAX;
         k++, i = tree_parent(&t->frames, i))
        if (tree_is_code(t, i))
            return i;
    return -1;
}

static void add_size(struct open_loop *x, int64_t bytes)
{
    for (int k = 0; k < x->n_sizes && k < SIZES; k++)
        if (x->sizes[k] == bytes)
            return;
    if (x->n_sizes < SIZES)
        x->sizes[x->n_sizes] = bytes;
    x->n_sizes += x->n_sizes <= SIZES;
}

static bool is_loop(const struct outer *o, const struct loop_span *l,
                    const struct open_loop *x)
{
    bool few_sizes = x->n_sizes <= SIZES && x->n_sizes * PARTS <= l->turns;
    return l->turns >= FEWEST && 2 * x->near >= l->turns &&
           (o->way == COPY_D2H || few_sizes);
}

/* Behind the last copy, or in the next call of the function that held each so far. */
static bool goes_on(const struct outer *o, const struct loop_span *l,
                    const struct open_loop *x, event_id i, event_id call)
{
    const struct event_store *s = o->t->v->s;
    int64_t apart_ns = s->start_ns[i] - l->end_ns;
    if (l->lane != s->lane[i] || apart_ns > LONG_TURN_NS)
        return false;
    bool again = o->way == COPY_D2H && call >= 0 && x->call >= 0 && call != x->call &&
                 2 * x->calls >= l->turns && s->name[call] == s->name[x->call] &&
                 tree_parent(&o->t->frames, call) == x->from;
    return apart_ns <= APART_NS || again;
}

/* Beside the spans, what is to know of each. */
static struct loop_kind *find_loops(struct arena *perm, struct arena *tmp,
                                    struct outer o, struct read_loops *l)
{
    const struct event_store *s = o.t->v->s;
    struct open_loop x = {.call = -1};
    struct loop_kind *kinds = NULL;
    for (event_id i = next_outer(&o); i >= 0; i = next_outer(&o)) {
        event_id gpu = copied(&o, i);
        if (gpu < 0)
            continue;
        struct loop_span *last = l->n ? &l->spans[l->n - 1] : NULL;
        event_id call = function_of(o.t, i);
        if (!last || !goes_on(&o, last, &x, i, call)) {
            l->n -= last && !is_loop(&o, last, &x);
            arena_grow(perm, l->spans, l->n);
            arena_grow(tmp, kinds, l->n);
            kinds[l->n] = (struct loop_kind){0};
            last = &l->spans[l->n++];
            *last =
                (struct loop_span){s->lane[i], 0, s->start_ns[i], s->start_ns[i], 0};
            x = (struct open_loop){.call = -1};
        }
        x.near += s->start_ns[i] - last->end_ns <= APART_NS;
        x.calls += call >= 0 && call != x.call;
        x.call = call;
        x.from = call < 0 ? -1 : tree_parent(&o.t->frames, call);
        add_size(&x, store_bytes(s, gpu));
        kinds[l->n - 1].bytes += later(store_bytes(s, gpu), 0);
        last->end_ns = store_end_ns(s, i);
        last->turns++;
        kinds[l->n - 1].by_calls = o.way == COPY_D2H && 2 * x.calls >= last->turns;
    }
    l->n -= l->n && !is_loop(&o, &l->spans[l->n - 1], &x);
    return kinds;
}

/* By the code that copies: how often. */
static void count_copy(struct arena *tmp, struct int_map *by_code, struct read_loops *l,
                       const struct tree_index *t, event_id i)
{
    name_id code = pool_find(&t->v->s->names, tree_user_path(t, i));
    int32_t *n = int_map_at(by_code, tmp, code + 1);
    *n = *n < 0 ? 1 : *n + 1;
    l->reads++;
    if (*n > l->here) {
        l->here = *n;
        l->most = i;
    }
}

static void add_gone(struct arena *perm, struct read_loops *l, const struct outer *o,
                     event_id i)
{
    const struct event_store *s = o->t->v->s;
    const struct host_span *last = l->n_gone ? &l->gone[l->n_gone - 1] : NULL;
    if (last && last->lane == s->lane[i] && store_end_ns(s, i) <= last->end_ns)
        return; /* inside; what begins before its end by rounding is not */
    arena_grow(perm, l->gone, l->n_gone);
    l->gone[l->n_gone++] =
        (struct host_span){s->lane[i], s->start_ns[i], store_end_ns(s, i)};
}

/* One operator of a loop. stays_ns: of what the loop costs the host, what is left. */
static void add_operator(struct arena *perm, struct read_loops *l, struct outer *o,
                         const struct loop_span *x, const struct loop_kind *kind,
                         event_id i, int64_t *stays_ns)
{
    const struct event_store *s = o->t->v->s;
    bool copies = kind_of(o, i) == COPIES && copied(o, i) >= 0;
    if (kind->by_calls) {
        event_id call = function_of(o->t, i);
        l->nms += kind_of(o, i) == SUPPRESSES;
        if (copies && call >= 0 && s->start_ns[call] > x->start_ns) {
            int32_t before = l->n_gone;
            add_gone(perm, l, o, call);
            l->calls_ms += l->n_gone > before ? ms_of(store_dur_ns(s, call)) : 0;
        }
        return;
    }
    if (o->way == COPY_D2H ? s->start_ns[i] > x->start_ns : copies && *stays_ns <= 0)
        add_gone(perm, l, o, i);
    *stays_ns -= copies ? store_dur_ns(s, i) : 0;
}

static void find_gone(struct arena *perm, struct arena *tmp, struct outer o,
                      const struct loop_kind *kinds, struct read_loops *l)
{
    const struct event_store *s = o.t->v->s;
    struct int_map by_code = int_map_make(tmp, 16);
    int32_t k = 0;
    int64_t stays_ns = kinds[0].bytes / JOINED_BYTES_NS + 1;
    for (event_id i = next_outer(&o); i >= 0 && k < l->n; i = next_outer(&o)) {
        const struct loop_span *x = &l->spans[k];
        if (s->lane[i] != x->lane || s->start_ns[i] < x->start_ns)
            continue;
        if (copied(&o, i) >= 0)
            count_copy(tmp, &by_code, l, o.t, i);
        add_operator(perm, l, &o, x, &kinds[k], i, &stays_ns);
        if (store_end_ns(s, i) < x->end_ns)
            continue;
        if (++k < l->n)
            stays_ns = kinds[k].bytes / JOINED_BYTES_NS + 1;
    }
}

struct read_loops read_loops_find(struct arena *perm, struct arena tmp,
                                  const struct tree_index *t, enum copy_direction way)
{
    struct read_loops l = {.most = -1};
    struct outer o = {
        .t = t, .way = way, .kind = arena_new(&tmp, uint8_t, t->v->s->names.n + 1)};
    struct loop_kind *kinds = find_loops(perm, &tmp, o, &l);
    if (l.n)
        find_gone(perm, &tmp, o, kinds, &l);
    return l;
}

/* Of a span, what is in the loops. */
static int64_t inside_ns(const struct read_loops *l, const struct idle_span *x)
{
    int32_t low = 0, high = l->n;
    while (low < high) {
        int32_t mid = low + (high - low) / 2;
        const struct loop_span *at = &l->spans[mid];
        if (at->lane < x->lane || (at->lane == x->lane && at->end_ns <= x->start_ns))
            low = mid + 1;
        else
            high = mid;
    }
    int64_t ns = 0;
    for (; low < l->n && l->spans[low].lane == x->lane &&
           l->spans[low].start_ns < x->end_ns;
         low++)
        ns += shared_ns(x->start_ns, x->end_ns, l->spans[low].start_ns,
                        l->spans[low].end_ns);
    return ns;
}

double read_loops_share(const struct read_loops *l, const struct idle_span *x,
                        int32_t n)
{
    double all = 0, inside = 0;
    for (int32_t k = 0; k < n; k++) {
        all += (double)(x[k].end_ns - x[k].start_ns);
        inside += (double)inside_ns(l, &x[k]);
    }
    return all > 0 ? inside / all : 0;
}
