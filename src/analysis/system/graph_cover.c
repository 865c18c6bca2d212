#include "analysis/system/graph_cover.h"

/* From a node of a graph to the next: 14 us at most in all but one of 1,652 such gaps
 * of recorded graphs. */
enum { NODE_GAP_NS = 20000 };

struct launch {
    int64_t kernels_ns, gap_ns;
};

struct finder {
    const struct trace_view *v;
    const struct idle_gaps *g;
    int32_t *of; /* by row of a call: its launch, from 1 */
    struct launch *rows;
    int32_t n;
};

static struct launch *launch_of(const struct finder *f, event_id gpu)
{
    event_id call = gpu < 0 ? -1 : view_issue(f->v, gpu);
    int32_t at = call < 0 ? 0 : f->of[store_row(f->v->s, call)];
    return at ? &f->rows[at - 1] : NULL;
}

static void find_launches(struct arena *tmp, struct finder *f)
{
    const struct event_store *s = f->v->s;
    f->of = arena_new(tmp, int32_t, s->n_details + 1);
    for (event_id i = 0; i < s->n; i++)
        if (cat_is_runtime(s->cat[i]) && launch_is_graph(s, i))
            f->of[store_row(s, i)] = ++f->n;
    f->rows = arena_new(tmp, struct launch, f->n);
    for (int32_t k = 0; k < f->v->n_counted; k++) {
        struct launch *l = launch_of(f, f->v->counted[k]);
        if (l)
            l->kernels_ns += store_dur_ns(s, f->v->counted[k]);
    }
}

static bool is_hidden_else(const struct finder *f, const struct gap_row *gap)
{
    int64_t from_ns;
    event_id by;
    return hidden_from(&f->g->hidden, f->v, gap->before, gap->after, gap->start_ns,
                       gap->start_ns + gap->dur_ns, &from_ns, &by) != HIDDEN_NOT;
}

/* What of a gap behind a kernel of a graph the graph takes. */
static int64_t part_ns(const struct finder *f, const struct gap_row *gap,
                       const struct launch *l)
{
    if (gap->dur_ns < NODE_GAP_NS || is_hidden_else(f, gap))
        return 0;
    if (gap->queued || launch_of(f, gap->after) == l)
        return gap->dur_ns;
    int64_t end_ns = gap->start_ns + gap->dur_ns,
            waits_to_ns = gap->sync < 0 ? 0 : f->g->syncs[gap->sync].end_ns;
    int64_t ns = (waits_to_ns < end_ns ? waits_to_ns : end_ns) - gap->start_ns;
    return ns >= HIDDEN_WAIT_NS ? ns : 0;
}

static bool is_partial(const struct launch *l)
{
    return l->gap_ns > l->kernels_ns;
}

static void sum_up(struct arena *perm, const struct finder *f, struct graph_cover *c)
{
    for (int32_t k = 0; k < f->n; k++) {
        const struct launch *l = &f->rows[k];
        if (!is_partial(l))
            continue;
        c->n++;
        c->kernels_ns += l->kernels_ns;
        c->gap_ns += l->gap_ns;
    }
    if (!c->n)
        return;
    c->of_gap = arena_new(perm, uint8_t, f->g->n);
    for (int32_t k = 0; k < f->g->n; k++) {
        const struct gap_row *gap = &f->g->rows[k];
        const struct launch *l = launch_of(f, gap->before);
        c->of_gap[k] = l && is_partial(l) && gap->dur_ns >= NODE_GAP_NS &&
                       (gap->queued || launch_of(f, gap->after) == l);
    }
}

struct graph_cover graph_cover_find(struct arena *perm, struct arena tmp,
                                    const struct trace_view *v,
                                    const struct idle_gaps *g)
{
    struct graph_cover c = {0};
    struct finder f = {.v = v, .g = g};
    if (!g->hidden.n_graph_launches)
        return c;
    find_launches(&tmp, &f);
    for (int32_t k = 0; k < g->n; k++) {
        struct launch *l = launch_of(&f, g->rows[k].before);
        if (l)
            l->gap_ns += part_ns(&f, &g->rows[k], l);
    }
    sum_up(perm, &f, &c);
    return c;
}
