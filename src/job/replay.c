#include "job/replay.h"

#include <assert.h>
#include <string.h>

/* The order has little to do with the places of nodes in memory, so those that are soon
 * needed are asked for. */
enum { AHEAD = 16 };

/* Who waits for a node: lists of followers, one after the other. */
struct followers {
    int32_t *first, *of; /* first[n + 1] */
};

static struct followers followers_of(struct arena *a, const struct replay_graph *g)
{
    struct followers f = {arena_new(a, int32_t, (ptrdiff_t)g->n + 2), NULL};
    for (int32_t i = 0; i < g->n; i++)
        for (int k = 0; k < REPLAY_BEFORE; k++)
            if (g->nodes[i].before[k] >= 0)
                f.first[g->nodes[i].before[k] + 2]++;
    for (int32_t i = 0; i < g->n; i++)
        f.first[i + 2] += f.first[i + 1];
    f.of = arena_take_raw(a, sizeof *f.of, 4, f.first[g->n + 1]);
    for (int32_t i = 0; i < g->n; i++)
        for (int k = 0; k < REPLAY_BEFORE; k++)
            if (g->nodes[i].before[k] >= 0)
                f.of[f.first[g->nodes[i].before[k] + 1]++] = i;
    return f;
}

/* The members of each instance, for the order. */
struct members {
    int32_t *first, *of; /* first[n_instances + 1] */
};

static struct members members_of(struct arena *perm, struct arena *a,
                                 struct replay_graph *g)
{
    struct members m = {arena_new(a, int32_t, (ptrdiff_t)g->n_instances + 2), NULL};
    g->in_instance = arena_new(perm, int32_t, g->n_instances);
    for (int32_t i = 0; i < g->n; i++)
        if (g->nodes[i].instance >= 0)
            g->in_instance[g->nodes[i].instance]++;
    for (int32_t i = 0; i < g->n_instances; i++)
        m.first[i + 2] = m.first[i + 1] + g->in_instance[i];
    m.of = arena_take_raw(a, sizeof *m.of, 4, m.first[g->n_instances + 1]);
    for (int32_t i = 0; i < g->n; i++)
        if (g->nodes[i].instance >= 0)
            m.of[m.first[g->nodes[i].instance + 1]++] = i;
    return m;
}

/* A node is ready when those before it are done; it is done when it is ready, or, as a
 * member, when all members are. The order is that of getting ready. */
static int32_t order_of_any(struct arena tmp, const struct replay_graph *g,
                            const struct members *all, int32_t *order)
{
    const struct members m = *all;
    struct followers followers = followers_of(&tmp, g), *f = &followers;
    uint8_t *wants = arena_new(&tmp, uint8_t, g->n);
    int32_t *left = arena_take_raw(&tmp, sizeof *left, 4, g->n_instances);
    int32_t *done = arena_take_raw(&tmp, sizeof *done, 4, g->n);
    int32_t n_done = 0, taken = 0, ready = 0;
    for (int32_t i = 0; i < g->n_instances; i++)
        left[i] = g->in_instance[i];
    for (int32_t i = 0; i < g->n; i++)
        for (int k = 0; k < REPLAY_BEFORE; k++)
            wants[i] = (uint8_t)(wants[i] + (g->nodes[i].before[k] >= 0));
    for (int32_t i = 0; i < g->n; i++)
        if (!wants[i])
            order[ready++] = i;
    for (;;) {
        while (taken < ready) {
            int32_t i = order[taken++], instance = g->nodes[i].instance;
            if (instance < 0)
                done[n_done++] = i;
            else if (--left[instance] == 0)
                for (int32_t k = m.first[instance]; k < m.first[instance + 1]; k++)
                    done[n_done++] = m.of[k];
        }
        if (!n_done)
            break;
        int32_t i = done[--n_done], soon = done[n_done > AHEAD ? n_done - AHEAD : 0];
        __builtin_prefetch(&f->first[soon]);
        for (int32_t k = f->first[i]; k < f->first[i + 1]; k++)
            if (--wants[f->of[k]] == 0)
                order[ready++] = f->of[k];
    }
    return ready;
}

/* Ranks that have got as far as what they wait for. */
struct walk {
    int32_t *at, *end; /* by rank: its next node, and behind its last */
    int32_t *ranks, n; /* that may go on: a stack */
    bool *goes_on;     /* by rank: it is on the stack */
    uint8_t *done;     /* by node */
};

static void go_on(struct walk *w, int32_t rank)
{
    if (!w->goes_on[rank])
        w->ranks[w->n++] = rank;
    w->goes_on[rank] = true;
}

/* False: nodes are not rank by rank. */
static bool walk_begin(struct arena *a, const struct replay_graph *g, struct walk *w)
{
    *w = (struct walk){.at = arena_new(a, int32_t, g->n_ranks),
                       .end = arena_new(a, int32_t, g->n_ranks),
                       .ranks = arena_new(a, int32_t, g->n_ranks),
                       .goes_on = arena_new(a, bool, g->n_ranks),
                       .done = arena_new(a, uint8_t, g->n)};
    for (int32_t i = 0; i < g->n; i++) {
        int32_t rank = g->nodes[i].rank;
        if (!w->end[rank])
            w->at[rank] = i;
        else if (w->end[rank] != i)
            return false;
        w->end[rank] = i + 1;
    }
    for (int32_t rank = g->n_ranks - 1; rank >= 0; rank--)
        go_on(w, rank);
    return true;
}

static bool is_done(const struct walk *w, int32_t node)
{
    return node < 0 || w->done[node];
}

/* The same where no rank does anything sooner than what started before it on that rank,
 * as most do: then what follows a node is known without a list. Less than all: some do.
 */
static int32_t order_by_rank(struct arena tmp, const struct replay_graph *g,
                             const struct members *m, int32_t *order)
{
    struct walk w;
    int32_t *left = arena_take_raw(&tmp, sizeof *left, 4, g->n_instances), n = 0;
    memcpy(left, g->in_instance, (size_t)g->n_instances * sizeof *left);
    if (!walk_begin(&tmp, g, &w))
        return 0;
    while (w.n) {
        int32_t rank = w.ranks[--w.n];
        int32_t soon = w.at[w.ranks[w.n > AHEAD ? w.n - AHEAD : 0]];
        if (soon < g->n) {
            __builtin_prefetch(&g->nodes[soon]);
            __builtin_prefetch(&w.done[soon]);
        }
        w.goes_on[rank] = false;
        for (int32_t i; (i = w.at[rank]) < w.end[rank]; w.at[rank]++) {
            const struct replay_node *x = &g->nodes[i];
            if (!is_done(&w, x->before[0]) || !is_done(&w, x->before[1]))
                break;
            order[n++] = i;
            w.done[i] = x->instance < 0;
            if (x->instance < 0 || --left[x->instance])
                continue;
            for (int32_t k = m->first[x->instance]; k < m->first[x->instance + 1];
                 k++) {
                w.done[m->of[k]] = 1;
                if (g->nodes[m->of[k]].rank != rank)
                    go_on(&w, g->nodes[m->of[k]].rank);
            }
        }
    }
    return n;
}

static int32_t *order_of(struct arena *perm, struct arena *a, struct replay_graph *g)
{
    int32_t *order = arena_take_raw(a, sizeof *order, 4, g->n);
    struct arena tmp = *a;
    struct members m = members_of(perm, &tmp, g);
    g->n_order = order_by_rank(tmp, g, &m, order);
    if (g->n_order < g->n)
        g->n_order = order_of_any(tmp, g, &m, order);
    return order;
}

/* How many nodes wait for each. */
static int32_t *count_followers(struct arena *a, const struct replay_graph *g)
{
    int32_t *n = arena_new(a, int32_t, g->n);
    for (int32_t i = 0; i < g->n; i++)
        for (int k = 0; k < REPLAY_BEFORE; k++)
            if (g->nodes[i].before[k] >= 0)
                n[g->nodes[i].before[k]]++;
    return n;
}

/* An end is kept in a slot until the last that needs it has read it: the nodes behind,
 * and of a member its instance. Slot 0 is the beginning of all. */
struct slots {
    int32_t *uses, *free, *next; /* next: members of an instance that are there */
    int32_t n_free;
};

static int32_t take_slot(struct slots *s, struct replay_graph *g, int32_t uses)
{
    int32_t slot = s->n_free ? s->free[--s->n_free] : g->n_slots++;
    s->uses[slot] = uses;
    return slot;
}

static void use_slot(struct slots *s, int32_t slot)
{
    if (slot && --s->uses[slot] == 0)
        s->free[s->n_free++] = slot;
}

/* Follows the run: what starts there ends here. */
static void place_ends(struct arena tmp, struct replay_graph *g, const int32_t *order)
{
    const int32_t *n_followers = count_followers(&tmp, g);
    struct slots s = {arena_take_raw(&tmp, 4, 4, (ptrdiff_t)g->n + 1),
                      arena_take_raw(&tmp, 4, 4, (ptrdiff_t)g->n + 1),
                      arena_take_raw(&tmp, 4, 4, (ptrdiff_t)g->n + 1), 0};
    int32_t *left = arena_take_raw(&tmp, sizeof *left, 4, g->n_instances);
    int32_t *head = arena_new(&tmp, int32_t, g->n_instances);
    memcpy(left, g->in_instance, (size_t)g->n_instances * sizeof *left);
    g->n_slots = 1;
    for (int32_t at = 0; at < g->n; at++) {
        int32_t i = order[at], soon = order[at + AHEAD < g->n ? at + AHEAD : at];
        const struct replay_node *sooner =
            &g->nodes[order[at + AHEAD / 2 < g->n ? at + AHEAD / 2 : at]];
        if (sooner->before[0] >= 0)
            __builtin_prefetch(&g->nodes[sooner->before[0]].slot);
        if (sooner->before[1] >= 0)
            __builtin_prefetch(&g->nodes[sooner->before[1]].slot);
        __builtin_prefetch(&g->nodes[soon], 1);
        __builtin_prefetch(&n_followers[soon]);
        struct replay_node *x = &g->nodes[i];
        int32_t n = n_followers[i], in = x->instance;
        x->slot = take_slot(&s, g, n + (in >= 0 || !n));
        for (int k = 0; k < REPLAY_BEFORE; k++) {
            x->before[k] = x->before[k] < 0 ? 0 : g->nodes[x->before[k]].slot;
            use_slot(&s, x->before[k]);
        }
        if (in < 0 && !n)
            use_slot(&s, x->slot);
        if (in < 0)
            continue;
        s.next[x->slot] = head[in];
        head[in] = x->slot;
        if (--left[in])
            continue;
        for (int32_t slot = head[in], next; slot; slot = next) {
            next = s.next[slot];
            use_slot(&s, slot);
        }
    }
}

/* Where each of several walks through the circles is. Memory answers to all of them at
 * once; to one alone, which knows its next place only then, it takes most of the time.
 */
enum { WALKS = 16, STARTS_MAX = 1 << 12 };

/* Each walk moves nodes from a start, which is kept, up to the next start. */
static void put_starts_in_order(struct arena tmp, struct replay_graph *g,
                                int32_t *order)
{
    int shift = 0;
    while (g->n >> shift >= STARTS_MAX)
        shift++;
    int32_t n = ((g->n - 1) >> shift) + 1, next = 0, mask = (1 << shift) - 1;
    struct replay_node *kept = arena_take_raw(&tmp, sizeof *kept, 8, n);
    int32_t at[WALKS], n_walks = 0;
    for (int32_t i = 0; i < n; i++)
        kept[i] = g->nodes[i << shift];
    while (n_walks < WALKS && next < n)
        at[n_walks++] = next++ << shift;
    while (n_walks) {
        for (int k = 0; k < n_walks; k++) {
            int32_t to = at[k], from = order[to];
            bool ends = !(from & mask);
            g->nodes[to] = ends ? kept[from >> shift] : g->nodes[from];
            order[to] = -1;
            at[k] = from;
            if (!ends) {
                __builtin_prefetch(&order[from]);
                continue;
            }
            if (next < n)
                at[k] = next++ << shift;
            else
                at[k--] = at[--n_walks];
        }
        for (int k = 0; k < n_walks; k++)
            __builtin_prefetch(&g->nodes[order[at[k]]]);
    }
}

/* In place, circle by circle; the order is used up. */
static void put_in_order(struct arena tmp, struct replay_graph *g, int32_t *order)
{
    if (g->n)
        put_starts_in_order(tmp, g, order);
    for (int32_t i = 0; i < g->n; i++) {
        struct replay_node moved = g->nodes[i];
        int32_t at = i;
        while (order[at] != i && order[at] >= 0) {
            int32_t from = order[at];
            g->nodes[at] = g->nodes[from];
            order[at] = -1;
            at = from;
        }
        if (order[at] == i)
            g->nodes[at] = moved;
        order[at] = -1;
    }
}

void replay_prepare(struct arena *perm, struct arena tmp, struct replay_graph *g)
{
    int32_t *order = order_of(perm, &tmp, g);
    if (g->n_order < g->n)
        return;
    place_ends(tmp, g, order);
    put_in_order(tmp, g, order);
}

/* Modes of the lanes, rank by rank. */
struct lanes {
    uint8_t (*mode)[REPLAY_LANES];
    uint8_t *differ; /* by rank: not all lanes are alike */
    bool other_tails[REPLAY_LANES], any_other;
    int n;
};

static struct lanes lanes_of(struct arena *a, const struct replay_graph *g,
                             const struct replay_change *changes, int n)
{
    struct lanes l = {.mode = arena_take(a, sizeof *l.mode, 1, g->n_ranks),
                      .differ = arena_new(a, uint8_t, g->n_ranks),
                      .n = n};
    for (int k = 0; k < n; k++) {
        for (int32_t r = 0; changes[k].mode && r < g->n_ranks; r++)
            l.mode[r][k] = changes[k].mode[r];
        l.other_tails[k] = changes[k].other_tails;
        l.any_other |= changes[k].other_tails;
    }
    for (int32_t r = 0; r < g->n_ranks; r++)
        for (int k = 1; k < n; k++)
            l.differ[r] |= l.mode[r][k] != l.mode[r][0];
    return l;
}

/* What does not depend on other nodes, in each mode and in each lane. */
struct own_times {
    double gap_ns[REPLAY_LANES], dur_ns[REPLAY_LANES];
};

/* Functions with a number of lanes are compiled for each that there is (replay_run). */
#define FOR_EACH_WIDTH static inline __attribute__((always_inline))

FOR_EACH_WIDTH void times_of(const struct replay_graph *g, const struct replay_node *x,
                             const struct lanes *l, struct own_times *t, int width)
{
    double middle = x->middle < 0 ? 1 : (double)x->middle;
    double extra_ns = x->middle < 0 ? -(double)x->middle : 0;
    double by[REPLAY_MODES] = {1, (double)x->fixed, middle};
    bool stretches = x->instance < 0 || g->scales_tails;
    const uint8_t *mode = l->mode[x->rank];
    if (!l->differ[x->rank]) {
        double gap = x->gap_ns * by[mode[0]];
        double dur = stretches ? x->dur_ns * by[mode[0]] : x->dur_ns;
        gap += mode[0] == REPLAY_MIDDLE ? extra_ns : 0;
        for (int k = 0; k < width; k++) {
            t->gap_ns[k] = gap;
            t->dur_ns[k] = dur;
        }
    } else {
        for (int k = 0; k < width; k++) {
            double extra = mode[k] == REPLAY_MIDDLE ? extra_ns : 0;
            t->gap_ns[k] = x->gap_ns * by[mode[k]] + extra;
            t->dur_ns[k] = stretches ? x->dur_ns * by[mode[k]] : x->dur_ns;
        }
    }
    for (int k = 0; l->any_other && k < l->n; k++)
        if (x->instance >= 0 && l->other_tails[k] && g->other_ns[x->instance] >= 0)
            t->dur_ns[k] = g->other_ns[x->instance];
}

FOR_EACH_WIDTH void raise_all(double *to, const double *by, int width)
{
    for (int k = 0; k < width; k++)
        to[k] = by[k] > to[k] ? by[k] : to[k];
}

/* Instances that wait for members. Those that are there are a list of slots; the last
 * start so far is with the first of them. */
struct waiting {
    double *last;                      /* by slot, of each lane */
    int32_t *next;                     /* by slot */
    int32_t *left, *latest, *earliest; /* by instance */
};

static struct waiting waiting_of(struct arena *a, const struct replay_graph *g,
                                 int width)
{
    struct waiting w = {
        .last = arena_take_raw(a, sizeof *w.last * (size_t)width, 8, g->n_slots),
        .next = arena_take_raw(a, 4, 4, g->n_slots),
        .left = arena_take_raw(a, 4, 4, g->n_instances),
        .latest = arena_new(a, int32_t, g->n_instances),
        .earliest = arena_take_raw(a, 4, 4, g->n_instances)};
    memcpy(w.left, g->in_instance, (size_t)g->n_instances * sizeof *w.left);
    return w;
}

/* True: all are there. */
FOR_EACH_WIDTH bool arrive(struct waiting *w, int32_t in, int32_t slot,
                           const double *start, int width)
{
    if (!w->latest[in]) {
        w->earliest[in] = slot;
        memcpy(w->last + (ptrdiff_t)slot * width, start, sizeof *start * (size_t)width);
    } else {
        raise_all(w->last + (ptrdiff_t)w->earliest[in] * width, start, width);
    }
    w->next[slot] = w->latest[in];
    w->latest[in] = slot;
    return --w->left[in] == 0;
}

FOR_EACH_WIDTH void run(const struct replay_graph *g, struct arena tmp,
                        const struct replay_change *changes, int n, double *latest,
                        int width)
{
    double *end =
        arena_take(&tmp, sizeof *end * (size_t)width, 8, (ptrdiff_t)g->n_slots + 1);
    struct waiting w = waiting_of(&tmp, g, width);
    struct lanes l = lanes_of(&tmp, g, changes, n);
    double start[REPLAY_LANES];
    for (int32_t i = 0; i < g->n; i++) {
        const struct replay_node *x = &g->nodes[i];
        const double *p = end + (ptrdiff_t)x->before[0] * width,
                     *q = end + (ptrdiff_t)x->before[1] * width;
        int32_t in = x->instance;
        double *own = end + (ptrdiff_t)x->slot * width;
        struct own_times t;
        times_of(g, x, &l, &t, width);
        for (int k = 0; k < width; k++)
            start[k] = (p[k] > q[k] ? p[k] : q[k]) + t.gap_ns[k];
        if (in < 0) {
            for (int k = 0; k < width; k++)
                own[k] = start[k] + t.dur_ns[k];
            raise_all(latest, own, width);
            continue;
        }
        /* Its own time until all are there. */
        memcpy(own, t.dur_ns, sizeof *own * (size_t)width);
        if (!arrive(&w, in, x->slot, start, width))
            continue;
        const double *last = w.last + (ptrdiff_t)w.earliest[in] * width;
        for (int32_t m = w.latest[in]; m; m = w.next[m]) {
            double *member = end + (ptrdiff_t)m * width;
            for (int k = 0; k < width; k++)
                member[k] += last[k];
            raise_all(latest, member, width);
        }
    }
}

void replay_run(const struct replay_graph *g, struct arena tmp,
                const struct replay_change *changes, int n, double *end_ns)
{
    enum { FEW = 2 };
    double latest[REPLAY_LANES] = {0};
    assert(n <= REPLAY_LANES && g->n_order == g->n);
    if (n <= FEW)
        run(g, tmp, changes, n, latest, FEW);
    else
        run(g, tmp, changes, n, latest, REPLAY_LANES);
    memcpy(end_ns, latest, (size_t)n * sizeof *end_ns);
}
