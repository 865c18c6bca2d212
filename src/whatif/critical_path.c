#include "whatif/critical_path.h"

#include "base/sort.h"

#include <math.h>
#include <string.h>

enum { LANES = WHAT_IF_LANES };

struct str path_kind_word(enum path_kind k)
{
    static const struct str words[PATH_KINDS] = {[PATH_KERNEL] = S_INIT("kernel"),
                                                 [PATH_COPY] = S_INIT("copy"),
                                                 [PATH_HOST] = S_INIT("host"),
                                                 [PATH_LATENCY] = S_INIT("latency")};
    return words[k];
}

/* What a node is: a device event by its place, the start of a host call, or the end of
 * one that waits; nothing: a bound that joins others. */
enum node_kind { NODE_JOINS, NODE_DEVICE, NODE_CALL, NODE_WAIT };

struct path {
    const struct what_if *w;
    int lane;
    bool wants_steps;
    struct arena *perm;
    struct critical_path found;
    uint8_t *kind;                /* by node: enum node_kind */
    int32_t *of;                  /* by node: place or point */
    int32_t *part_of[PATH_KINDS]; /* by name of the store: place + 1 */
    int32_t latency;              /* place + 1 */
    int64_t looks;                /* at annotations */
};

static void map_nodes(struct path *p, struct arena *a)
{
    const struct schedule *o = p->w->o;
    p->kind = arena_new(a, uint8_t, o->n);
    p->of = arena_new(a, int32_t, o->n);
    const struct {
        const int32_t *node;
        int32_t n;
        enum node_kind kind;
    } from[] = {{o->of_device, o->view->launch.n_all, NODE_DEVICE},
                {o->of_point, o->points.n, NODE_CALL},
                {o->wait_of, o->points.n, NODE_WAIT}};
    for (int f = 0; f < 3; f++)
        for (int32_t k = 0; k < from[f].n; k++)
            if (from[f].node[k] >= SCHEDULE_FIRST) {
                p->kind[from[f].node[k]] = (uint8_t)from[f].kind;
                p->of[from[f].node[k]] = k;
            }
}

static double value_of(const struct path *p, int32_t node)
{
    return !p->w->value_ns ? 0 : p->w->value_ns[(ptrdiff_t)node * LANES + p->lane];
}

/* When it ended in the recording. */
static int64_t recorded_ns(const struct path *p, int32_t node)
{
    const struct schedule *o = p->w->o;
    const struct host_point *at = &o->points.at[p->of[node]];
    switch (p->kind[node]) {
    case NODE_DEVICE:
        return store_end_ns(o->view->s, o->view->launch.all[p->of[node]]);
    case NODE_CALL:
        return at->start_ns;
    default:
        return at->end_ns;
    }
}

/* The same after the change. */
static double then_ns(const struct path *p, int32_t node)
{
    return (double)recorded_ns(p, node) - value_of(p, node);
}

/* The node that bound this one, and how much earlier that lets it end; SCHEDULE_FIXED:
 * none. */
static int32_t bound_of(const struct path *p, int32_t node, double *allowed_ns)
{
    const struct schedule_node *x = &p->w->o->nodes[node];
    int32_t found = SCHEDULE_FIXED;
    *allowed_ns = (double)INFINITY;
    for (int k = 0; k < SCHEDULE_BEFORE; k++) {
        double allows = value_of(p, x->before[k]) + x->slack_ns[k];
        if (allows < *allowed_ns) {
            *allowed_ns = allows;
            found = x->before[k];
        }
    }
    return found;
}

/* `event` took `ns` until then; -1: latency. */
static void add(struct path *p, enum path_kind kind, event_id event, double until_ns,
                double ns)
{
    struct critical_path *f = &p->found;
    int32_t name = event < 0 ? -1 : p->w->o->view->s->name[event];
    int32_t *part = kind == PATH_LATENCY ? &p->latency : &p->part_of[kind][name];
    if (!(ns > 0))
        return;
    if (!*part) {
        arena_grow(p->perm, f->parts, f->n);
        f->parts[f->n] = (struct path_part){.kind = kind};
        if (kind != PATH_LATENCY)
            f->parts[f->n].name = pool_text(&p->w->o->view->s->names, name);
        *part = ++f->n;
    }
    int64_t whole = (int64_t)(ns + 0.5);
    f->parts[*part - 1].ns += whole;
    f->parts[*part - 1].count++;
    f->total_ns += whole;
    f->kind_ns[kind] += whole;
    if (!p->wants_steps)
        return;
    arena_grow(p->perm, f->steps, f->n_steps);
    f->steps[f->n_steps++] = (struct path_step){
        kind, event, (int64_t)(until_ns - ns + 0.5), (int64_t)(until_ns + 0.5)};
}

/* What the host's time before a call, or the rest of a wait, goes by. */
static event_id host_event(const struct path *p, int32_t node)
{
    const struct trace_view *v = p->w->o->view;
    event_id call = p->w->o->points.at[p->of[node]].call,
             op = call < 0 || p->kind[node] == NODE_WAIT
                      ? -1
                      : tree_operator(v->s, &v->tree, call);
    return op < 0 ? call : op;
}

/* The annotation that covers most of what passes before an operator begins; -1: none
 * covers half of it. Those around the operator say nothing of the time before, nor does
 * the step of a profiler. All are looked through, for so long that a path of many waits
 * among many annotations takes no longer than reading the trace. */
static event_id noted_before(struct path *p, event_id op, double from_ns)
{
    enum { MOST_LOOKS = 10000000 };
    const struct event_store *s = p->w->o->view->s;
    const struct trace_view *v = p->w->o->view;
    double until_ns = (double)s->start_ns[op], most_ns = 0;
    event_id found = -1;
    p->looks += v->n_notes;
    for (int32_t k = 0; k < v->n_notes && p->looks < MOST_LOOKS; k++) {
        event_id i = v->notes[k];
        double end_ns = (double)store_end_ns(s, i);
        double ns = fmin(end_ns, until_ns) - fmax((double)s->start_ns[i], from_ns);
        if (s->cat[i] != CAT_ANNOTATION || s->lane[i] != s->lane[op] ||
            end_ns > until_ns || !(ns > most_ns) ||
            str_starts(store_name(s, i), S("ProfilerStep")))
            continue;
        most_ns = ns;
        found = i;
    }
    return 2 * most_ns >= until_ns - from_ns ? found : -1;
}

/* Of the time before a call, an operator has what passes in it; a thread that waits for
 * another, as in a backward pass, does so before its next operator. */
static void add_host(struct path *p, int32_t node, double until_ns, double ns)
{
    enum { LONG_NS = 100000 };
    const struct event_store *s = p->w->o->view->s;
    event_id host = host_event(p, node);
    double before_ns = host < 0 || p->kind[node] == NODE_WAIT
                           ? 0
                           : (double)s->start_ns[host] - (until_ns - ns);
    event_id noted = before_ns >= LONG_NS ? noted_before(p, host, until_ns - ns) : -1;
    before_ns = noted < 0 ? 0 : fmin(before_ns, ns);
    add(p, host < 0 ? PATH_LATENCY : PATH_HOST, host, until_ns, ns - before_ns);
    if (noted >= 0)
        add(p, PATH_HOST, noted, until_ns - ns + before_ns, before_ns);
}

/* What the time before the end of a node is; of a device event what is left of its own
 * comes last. */
static void add_between(struct path *p, int32_t node, double allowed_ns,
                        double until_ns, double ns)
{
    const struct trace_view *v = p->w->o->view;
    if (p->kind[node] != NODE_DEVICE) {
        add_host(p, node, until_ns, ns);
        return;
    }
    event_id gpu = v->launch.all[p->of[node]];
    double gain_ns = value_of(p, node) - allowed_ns,
           own_ns = fmin(ns, fmax(0, (double)store_dur_ns(v->s, gpu) - gain_ns));
    bool kernel = v->s->cat[gpu] == CAT_KERNEL;
    add(p, kernel ? PATH_KERNEL : PATH_COPY, gpu, until_ns, own_ns);
    add(p, PATH_LATENCY, -1, until_ns - own_ns, ns - own_ns);
}

/* The node that the window ends with, and when. */
static int32_t last_node(const struct path *p, double *end_ns)
{
    const struct schedule *o = p->w->o;
    int32_t found = SCHEDULE_FIXED;
    *end_ns = -(double)INFINITY;
    for (int32_t k = 0; k < o->n_last; k++) {
        double ns = then_ns(p, o->last[k].node);
        if (ns > *end_ns) {
            *end_ns = ns;
            found = o->last[k].node;
        }
    }
    return found;
}

/* Back to the beginning of the window; nodes that join others take no time. */
static void walk(struct path *p, int64_t saved_ns)
{
    double until_ns, allowed_ns, bound_allowed_ns;
    int32_t node = last_node(p, &until_ns);
    double begin_ns = until_ns - (double)(p->w->o->facts.recorded_ns - saved_ns);
    while (node >= SCHEDULE_FIRST && until_ns > begin_ns) {
        int32_t before = bound_of(p, node, &allowed_ns);
        while (before >= SCHEDULE_FIRST && p->kind[before] == NODE_JOINS)
            before = bound_of(p, before, &bound_allowed_ns);
        double from_ns =
            before < SCHEDULE_FIRST ? begin_ns : fmax(begin_ns, then_ns(p, before));
        add_between(p, node, allowed_ns, until_ns, until_ns - from_ns);
        until_ns = fmin(until_ns, from_ns);
        node = before;
    }
}

static void order_parts(struct path *p, struct arena tmp)
{
    struct critical_path *f = &p->found;
    struct sort_row *by_ns = arena_take_raw(&tmp, sizeof *by_ns, 8, f->n);
    struct path_part *parts = arena_new(&tmp, struct path_part, f->n);
    for (int32_t k = 0; k < f->n; k++)
        by_ns[k] = (struct sort_row){-f->parts[k].ns, k};
    sort_rows(tmp, by_ns, f->n);
    for (int32_t k = 0; k < f->n; k++)
        parts[k] = f->parts[by_ns[k].row];
    memcpy(f->parts, parts, (size_t)f->n * sizeof *parts);
}

static struct critical_path find_path(struct path *p, struct arena tmp,
                                      int64_t saved_ns)
{
    map_nodes(p, &tmp);
    for (int k = 0; k < PATH_LATENCY; k++)
        p->part_of[k] = arena_new(&tmp, int32_t, p->w->o->view->s->names.n + 1);
    walk(p, saved_ns);
    if (p->found.n)
        order_parts(p, tmp);
    return p->found;
}

struct critical_path critical_path_find(struct arena *perm, struct arena tmp,
                                        const struct what_if *w, int lane,
                                        int64_t saved_ns)
{
    struct path p = {.w = w, .lane = lane, .perm = perm};
    return find_path(&p, tmp, saved_ns);
}

struct critical_path critical_path_recorded(struct arena *perm, struct arena tmp,
                                            const struct schedule *o, bool steps)
{
    const struct what_if same = {.o = o};
    struct path p = {.w = &same, .perm = perm, .wants_steps = steps};
    return find_path(&p, tmp, 0);
}
