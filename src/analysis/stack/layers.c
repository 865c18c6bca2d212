#include "analysis/stack/layers.h"

#include "analysis/model/finding.h"
#include "analysis/stack/layers_period.h"
#include "analysis/stack/memory_peak.h"
#include "analysis/stack/module_classes.h"
#include "analysis/stack/tree_index.h"
#include "base/duration.h"
#include "base/sort.h"
#include "ops/op_tables.h"
#include "perf/call_cost.h"

#include <stdlib.h>

enum { CLASSES_MOST = 4, LEAST_INSTANCES = 3 };
static const double LEAST_SHARE = 0.02; /* of the device time below modules */

/* A call of a module, in the order of the tree. */
struct call {
    int32_t from, after; /* positions in the tree of frames */
    name_id name;
    int32_t class;
    int32_t layer;                /* of which it is a call; -1: none */
    bool holds, inside, backward; /* other modules; a layer; is recomputed */
    int64_t ns;
};

struct modules_in {
    const struct tree_index *t;
    struct name_pool classes;
    struct call *calls;
    int32_t n;
    int32_t near; /* the call that was found last: of layers alone, most are asked for
                     in the order of time */
    int64_t outermost_ns;
};

static bool is_container(struct str class)
{
    return module_is_wrapper(class) ||
           str_among(class, "Sequential ModuleList ModuleDict CheckpointWrapper "
                            "FSDPModule OptimizedModule GraphModule");
}

static int64_t sum_ns(const struct tree_index *t, event_id i, int32_t *n)
{
    const event_id *gpu = tree_gpu_below(t, i, n);
    int64_t ns = 0;
    for (int32_t k = 0; k < *n; k++)
        ns += store_dur_ns(t->v->s, gpu[k]);
    return ns;
}

/* By name of the store; -1: no module of a class that can be a layer's; -2: not asked.
 */
static int32_t class_of(struct modules_in *m, int32_t *known, name_id name)
{
    if (known[name] == -2) {
        struct str class = tree_module_name(pool_text(&m->t->v->s->names, name));
        known[name] =
            class.n && !is_container(class) ? pool_add(&m->classes, class) : -1;
    }
    return known[name];
}

static void find_calls(struct arena *tmp, struct modules_in *m)
{
    const struct tree_index *t = m->t;
    const struct event_store *s = t->v->s;
    int32_t *known = arena_take_raw(tmp, sizeof *known, 4, s->names.n), outer_end = 0;
    int32_t *open = arena_take_raw(tmp, sizeof *open, 4, t->frames.n_order), depth = 0;
    for (int32_t k = 0; k < s->names.n; k++)
        known[k] = -2;
    for (int32_t pos = 0; pos < t->frames.n_order; pos++) {
        event_id i = t->frames.order[pos];
        if (known[s->name[i]] == -1 ||
            s->cat[i] != CAT_PYTHON) /* most are no modules */
            continue;
        int32_t n, class = class_of(m, known, s->name[i]);
        if (class < 0)
            continue;
        while (depth && m->calls[open[depth - 1]].after <= pos)
            depth--;
        if (depth)
            m->calls[open[depth - 1]].holds = true;
        open[depth++] = m->n;
        arena_grow(tmp, m->calls, m->n);
        m->calls[m->n++] = (struct call){.from = pos,
                                         .after = t->frames.after[pos],
                                         .name = s->name[i],
                                         .class = class,
                                         .layer = -1,
                                         .ns = sum_ns(t, i, &n)};
        if (pos < outer_end)
            continue;
        outer_end = t->frames.after[pos];
        m->outermost_ns += m->calls[m->n - 1].ns;
    }
}

/* What runs in a backward pass runs a second time: activations are recomputed. */
static bool in_backward(const struct tree_index *t, event_id i)
{
    for (int k = 0; i >= 0 && k < TREE_LEVELS_MAX; k++, i = tree_above(t, i))
        if (str_starts(store_name(t->v->s, i),
                       S("autograd::engine::evaluate_function")))
            return true;
    return false;
}

static int by_own_time(const void *x, const void *y)
{
    const struct module_row *a = x, *b = y;
    if (a->own_ns != b->own_ns)
        return a->own_ns > b->own_ns ? -1 : 1;
    return str_cmp(a->name, b->name);
}

/* What each open call is inside of, from the outside in; a class inside itself counts
 * once. */
static void add_calls(struct arena tmp, const struct modules_in *m,
                      struct module_row *rows)
{
    const struct event_store *s = m->t->v->s;
    int32_t *open = arena_take_raw(&tmp, sizeof *open, 4, m->n), depth = 0;
    int32_t *inside = arena_new(&tmp, int32_t, m->classes.n); /* open calls of it */
    uint8_t *seen = arena_new(&tmp, uint8_t, s->names.n);
    for (int32_t k = 0; k < m->n; k++) {
        const struct call *c = &m->calls[k];
        struct module_row *r = &rows[c->class];
        while (depth && m->calls[open[depth - 1]].after <= c->from)
            inside[m->calls[open[--depth]].class]--;
        if (depth)
            rows[m->calls[open[depth - 1]].class].own_ns -= c->ns;
        r->own_ns += c->ns;
        r->below_ns += inside[c->class] ? 0 : c->ns;
        r->calls += !in_backward(m->t, m->t->frames.order[c->from]);
        r->instances += !seen[c->name];
        seen[c->name] = 1;
        open[depth++] = k;
        inside[c->class]++;
    }
}

static struct modules modules_of(struct arena *perm, struct arena tmp,
                                 const struct modules_in *m,
                                 const struct memory_peak *p)
{
    struct modules all = {arena_new(perm, struct module_row, m->classes.n),
                          m->classes.n};
    for (int32_t i = 0; i < all.n; i++) {
        struct module_row *r = &all.rows[i];
        r->name = str_copy(perm, pool_text(&m->classes, i));
        r->bytes = p && p->n_owners ? 0 : (double)NAN;
        for (int32_t k = 0; p && k < p->n_owners; k++)
            r->bytes +=
                str_eq(p->owners[k].module, r->name) ? (double)p->owners[k].bytes : 0;
    }
    add_calls(tmp, m, all.rows);
    if (all.n)
        qsort(all.rows, (size_t)all.n, sizeof *all.rows, by_own_time);
    if (all.n && !all.rows[0].own_ns)
        all.n = 0; /* they launch nothing */
    return all;
}

struct tally {
    int64_t ns;
    int32_t instances, end; /* end: of the last that counts */
    bool holds, taken;
};

/* The class with most device time in calls that are in no layer yet; -1: none is left
 * that is one of layers. `last`: by name, the class's round that saw it. */
static int32_t next_class(struct arena tmp, const struct modules_in *m,
                          const bool *taken)
{
    struct tally *of = arena_new(&tmp, struct tally, m->classes.n);
    uint8_t *seen = arena_new(&tmp, uint8_t, m->t->v->s->names.n);
    int32_t best = -1;
    for (int32_t k = 0; k < m->n; k++) {
        const struct call *c = &m->calls[k];
        struct tally *y = &of[c->class];
        if (c->inside || taken[c->class] || c->from < y->end)
            continue;
        y->end = c->after;
        y->ns += c->ns;
        y->holds |= c->holds;
        y->instances += !seen[c->name];
        seen[c->name] = 1;
    }
    for (int32_t k = 0; k < m->classes.n; k++)
        if (of[k].holds && of[k].instances >= LEAST_INSTANCES &&
            (double)of[k].ns > LEAST_SHARE * (double)m->outermost_ns &&
            (best < 0 || of[k].ns > of[best].ns))
            best = k;
    return best;
}

static struct layer *add_layer(struct arena *perm, struct layers *l, struct str name,
                               struct str class)
{
    struct str end = str_skip(name, S("nn.Module: ").n);
    arena_grow(perm, l->rows, l->n);
    l->rows[l->n] = (struct layer){.name = end, .class = class};
    return &l->rows[l->n++];
}

/* Its calls that are in no other layer become calls of its layers. */
static void take_class(struct arena *perm, struct arena tmp, struct modules_in *m,
                       int32_t class, struct layers *l)
{
    const struct event_store *s = m->t->v->s;
    int32_t *row = arena_new(&tmp, int32_t, s->names.n), end = 0, first = l->n;
    for (int32_t k = 0; k < m->n; k++) {
        struct call *c = &m->calls[k];
        if (c->from >= end && c->class == class && !c->inside) {
            end = c->after;
            if (!row[c->name]) {
                add_layer(perm, l, pool_text(&s->names, c->name),
                          pool_text(&m->classes, class));
                row[c->name] = l->n;
            }
            c->layer = row[c->name] - 1;
            c->backward = in_backward(m->t, m->t->frames.order[c->from]);
        }
        c->inside |= c->from < end;
    }
    arena_grow(perm, l->classes, l->n_classes);
    l->classes[l->n_classes++] = (struct layer_class){
        .name = pool_text(&m->classes, class), .first = first, .n = l->n - first};
}

/* The calls of layers alone, which are disjoint. */
static void keep_layers(struct modules_in *m)
{
    int32_t n = 0;
    for (int32_t k = 0; k < m->n; k++)
        if (m->calls[k].layer >= 0)
            m->calls[n++] = m->calls[k];
    m->n = n;
}

/* The rows of each class by when they ran first, forward before recomputed: the tree
 * has the calls of a thread after those of another. */
static void order_rows(struct arena tmp, struct modules_in *m, struct layers *l)
{
    const struct event_store *s = m->t->v->s;
    struct sort_row *order = arena_take_raw(&tmp, sizeof *order, 8, l->n);
    struct layer *rows = arena_new(&tmp, struct layer, l->n);
    int32_t *now = arena_take_raw(&tmp, sizeof *now, 4, l->n);
    bool *forward = arena_new(&tmp, bool, l->n);
    for (int32_t i = 0; i < l->n; i++)
        order[i] = (struct sort_row){INT64_MAX, i};
    for (int32_t k = 0; k < m->n; k++) {
        const struct call *c = &m->calls[k];
        int64_t at_ns = s->start_ns[m->t->frames.order[c->from]];
        int64_t *first_ns = &order[c->layer].key;
        if (forward[c->layer] && c->backward)
            continue;
        if (at_ns < *first_ns || forward[c->layer] == c->backward)
            *first_ns = at_ns;
        forward[c->layer] |= !c->backward;
    }
    for (int32_t k = 0; k < l->n_classes; k++)
        sort_rows(tmp, order + l->classes[k].first, l->classes[k].n);
    for (int32_t i = 0; i < l->n; i++) {
        rows[i] = l->rows[order[i].row];
        now[order[i].row] = i;
    }
    for (int32_t i = 0; i < l->n; i++)
        l->rows[i] = rows[i];
    for (int32_t k = 0; k < m->n; k++)
        m->calls[k].layer = now[m->calls[k].layer];
}

static bool is_at(const struct modules_in *m, int32_t k, int32_t pos)
{
    return k < m->n && m->calls[k].from <= pos && pos < m->calls[k].after;
}

static const struct call *call_at(struct modules_in *m, int32_t pos)
{
    int32_t low = 0, high = m->n;
    m->near += !is_at(m, m->near, pos) && is_at(m, m->near + 1, pos);
    if (is_at(m, m->near, pos))
        return &m->calls[m->near];
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (m->calls[middle].from <= pos)
            low = middle + 1;
        else
            high = middle;
    }
    m->near = low ? low - 1 : 0;
    return is_at(m, m->near, pos) ? &m->calls[m->near] : NULL;
}

static const struct call *call_around(struct modules_in *m, event_id i)
{
    const struct tree_index *t = m->t;
    for (int k = 0; i >= 0 && k < TREE_LEVELS_MAX; k++, i = tree_above(t, i))
        if (tree_rank(&t->frames, i) >= 0)
            return call_at(m, tree_rank(&t->frames, i));
    return NULL;
}

/* The layer that a host event works for; -1: none. */
static int32_t layer_of(struct modules_in *m, event_id i, bool *backward)
{
    const struct tree_index *t = m->t;
    const struct call *c = call_around(m, i);
    *backward = c && c->backward;
    if (!t->v->backward.n_links)
        return c ? c->layer : -1;
    for (int k = 0; !c && i >= 0 && k < TREE_LEVELS_MAX; k++, i = tree_above(t, i)) {
        event_id forward = backward_forward(&t->v->backward, i);
        if (forward < 0)
            continue;
        c = call_around(m, forward);
        *backward = true;
    }
    return c ? c->layer : -1;
}

static void count_device(struct modules_in *m, struct layers *l)
{
    const struct trace_view *v = m->t->v;
    for (int32_t k = 0; k < v->n_counted; k++) {
        bool backward;
        event_id gpu = v->counted[k];
        int32_t at = layer_of(m, launch_call(&v->launch, gpu), &backward);
        if (at < 0)
            continue;
        struct layer *to = &l->rows[at];
        to->kernels++;
        *(backward ? &to->backward_ns : &to->forward_ns) += store_dur_ns(v->s, gpu);
    }
}

static void count_calls(struct arena tmp, const struct modules_in *m, struct layers *l)
{
    const struct event_store *s = m->t->v->s;
    for (int32_t k = 0; k < m->n; k++) {
        const struct call *c = &m->calls[k];
        int32_t n;
        const event_id *gpu = tree_gpu_below(m->t, m->t->frames.order[c->from], &n);
        int64_t from = INT64_MAX, to = INT64_MIN;
        for (int32_t i = 0; i < n; i++) {
            int64_t end = store_end_ns(s, gpu[i]);
            from = s->start_ns[gpu[i]] < from ? s->start_ns[gpu[i]] : from;
            to = end > to ? end : to;
        }
        l->rows[c->layer].calls += !c->backward;
        if (n)
            l->rows[c->layer].idle_ns += to - from - busy_ns(tmp, s, gpu, n);
    }
}

/* What models say of the calls in it, as sums that are divided later. */
static void add_models(struct modules_in *m, const struct analysis *a, struct layers *l)
{
    for (int k = 0; k < a->n_by_time; k++) {
        const struct category_result *of = &a->categories[a->by_time[k]];
        for (int32_t i = 0; i < of->n_rows; i++) {
            const struct work_row *r = &of->rows[i];
            const struct work_efficiency *e = &r->efficiency;
            for (int32_t j = 0; j < r->group->n && !isnan(e->percent); j++) {
                const struct op_call_row *call =
                    &a->tables->judged.calls.rows[r->group->members[j]];
                bool backward;
                int32_t at = call->unlinked ? -1 : layer_of(m, call->event, &backward);
                if (at < 0 || e->anomaly)
                    continue;
                double ns = (double)call->direct_ns;
                l->rows[at].covered_pct += ns;
                l->rows[at].efficiency_pct += ns * e->percent;
                if (call->cost && call->cost->byte > 0)
                    l->rows[at].bytes += call->cost->byte;
            }
        }
    }
}

static double part_pct(double part, double whole)
{
    return whole > 0 ? 100 * part / whole : (double)NAN;
}

static int64_t layer_ns(const struct layer *r)
{
    return r->forward_ns + r->backward_ns;
}

static void finish_row(struct layer *r, double all_ns)
{
    double known = r->covered_pct, none = (double)NAN;
    r->efficiency_pct = known > 0 ? r->efficiency_pct / known : none;
    r->bytes = r->bytes > 0 ? r->bytes : none;
    r->covered_pct = part_pct(known, (double)layer_ns(r));
    r->share_pct = part_pct((double)layer_ns(r), all_ns);
}

static int by_ns(const void *x, const void *y)
{
    int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;
    return (a > b) - (a < b);
}

static void finish_class(struct arena tmp, struct layers *l, struct layer_class *c,
                         double all_ns)
{
    int64_t *ns = arena_take_raw(&tmp, sizeof *ns, 8, c->n), total = 0;
    for (int32_t k = 0; k < c->n; k++) {
        ns[k] = layer_ns(&l->rows[c->first + k]);
        total += ns[k];
        c->backward_ns += l->rows[c->first + k].backward_ns;
    }
    qsort(ns, (size_t)c->n, sizeof *ns, by_ns);
    c->least_ns = ns[0];
    c->most_ns = ns[c->n - 1];
    c->median_ns = (ns[(c->n - 1) / 2] + ns[c->n / 2]) / 2;
    c->total_ms = ms_of(total);
    c->mean_ms = c->total_ms / c->n;
    c->share_pct = part_pct((double)total, all_ns);
    for (int32_t k = 0; k < c->n; k++) {
        struct layer *r = &l->rows[c->first + k];
        finish_row(r, all_ns);
        r->off_pct =
            part_pct((double)(layer_ns(r) - c->median_ns), (double)c->median_ns);
        r->off = fabs(r->off_pct) > LAYERS_DIFFER_PCT;
        c->n_off += r->off;
    }
    if (2 * c->n_off <= c->n)
        return;
    c->n_off = 0; /* they are not alike: none of them is the odd one */
    for (int32_t k = 0; k < c->n; k++)
        l->rows[c->first + k].off = false;
}

static double all_ns_of(const struct trace_view *v)
{
    double ns = 0;
    for (int32_t k = 0; k < v->n_counted; k++)
        ns += (double)store_dur_ns(v->s, v->counted[k]);
    return ns;
}

static struct layers layers_of_modules(struct arena *perm, struct arena tmp,
                                       const struct tree_index *t,
                                       const struct analysis *a)
{
    struct layers l = {0};
    struct modules_in m = {.t = t};
    pool_open(&m.classes);
    find_calls(&tmp, &m);
    l.modules = modules_of(perm, tmp, &m, a->memory);
    bool *taken = arena_new(&tmp, bool, m.classes.n);
    while (l.n_classes < CLASSES_MOST) {
        int32_t class = next_class(tmp, &m, taken);
        if (class < 0)
            break;
        taken[class] = true;
        take_class(perm, tmp, &m, class, &l);
    }
    for (int32_t k = 0; k < l.n_classes; k++)
        l.classes[k].name = str_copy(perm, l.classes[k].name);
    for (int32_t k = 0; k < l.n_classes; k++)
        for (int32_t i = 0; i < l.classes[k].n; i++)
            l.rows[l.classes[k].first + i].class = l.classes[k].name;
    pool_close(&m.classes);
    keep_layers(&m);
    if (l.n) {
        order_rows(tmp, &m, &l);
        count_device(&m, &l);
        count_calls(tmp, &m, &l);
        add_models(&m, a, &l);
    }
    return l;
}

struct layers layers_of(struct arena *perm, struct arena tmp,
                        const struct tree_index *t, const struct analysis *a)
{
    struct layers l = {0};
    if (t && t->has_frames)
        l = layers_of_modules(perm, tmp, t, a);
    if (!l.n && t) {
        struct modules known = l.modules;
        l = layers_by_period(perm, tmp, t->v);
        l.modules = known;
    }
    for (int32_t i = 0; i < l.modules.n; i++)
        l.modules.rows[i].share_pct =
            part_pct((double)l.modules.rows[i].below_ns, all_ns_of(t->v));
    for (int32_t k = 0; k < l.n_classes; k++)
        finish_class(tmp, &l, &l.classes[k], all_ns_of(t->v));
    return l;
}

double layers_call_ms(const struct layers *l)
{
    const struct layer_class *c = l->classes;
    int64_t calls = 0;
    for (int32_t k = 0; l->n_classes && k < c->n; k++)
        calls += l->rows[c->first + k].calls;
    return calls ? c->total_ms / (double)calls : (double)NAN;
}
