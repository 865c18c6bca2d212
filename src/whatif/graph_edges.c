#include "whatif/graph_edges.h"

#include "base/int_map.h"
#include "base/sort.h"

enum { TWINS_MOST = 64 }; /* device events of one time: one a stream */

/* An edge: its ends, and the device events there; -1: none. */
struct edge {
    const struct place_arrow *from, *to;
    int32_t before, after;
};

struct finder {
    const struct trace_view *v;
    struct sort_row *by_start, *by_end; /* of places */
    struct edge *edges;
    int32_t n;
};

/* The place with a time and a lane; -1: none. Times in microseconds may be rounded. */
static int32_t place_at(const struct finder *f, const struct sort_row *by,
                        const struct place_arrow *a)
{
    const struct launch_link *l = &f->v->launch;
    int32_t low = 0, high = l->n_all;
    while (low < high) {
        int32_t mid = low + (high - low) / 2;
        if (by[mid].key < a->at_ns - ROUNDING_NS)
            low = mid + 1;
        else
            high = mid;
    }
    for (int k = 0; k < TWINS_MOST && low < l->n_all; k++, low++) {
        if (by[low].key > a->at_ns + ROUNDING_NS)
            break;
        if (f->v->s->lane[l->all[by[low].row]] == a->lane)
            return by[low].row;
    }
    return -1;
}

static void sort_places(struct finder *f, struct arena *tmp)
{
    const struct launch_link *l = &f->v->launch;
    f->by_start = arena_take_raw(tmp, sizeof *f->by_start, 8, l->n_all);
    f->by_end = arena_take_raw(tmp, sizeof *f->by_end, 8, l->n_all);
    for (int32_t k = 0; k < l->n_all; k++) {
        f->by_start[k] = (struct sort_row){f->v->s->start_ns[l->all[k]], k};
        f->by_end[k] = (struct sort_row){store_end_ns(f->v->s, l->all[k]), k};
    }
    sort_rows(*tmp, f->by_start, l->n_all);
    sort_rows(*tmp, f->by_end, l->n_all);
}

/* Begins and ends with one id, in the order in which edges begin. */
static void join_ends(struct finder *f, struct arena *tmp)
{
    const struct event_store *s = f->v->s;
    struct int_map from = int_map_make(tmp, s->n_edges);
    struct sort_row *rows = arena_take_raw(tmp, sizeof *rows, 8, s->n_edges);
    struct edge *all = arena_take_raw(tmp, sizeof *all, 8, s->n_edges);
    int32_t n = 0;
    for (int32_t k = 0; k < s->n_edges; k++) {
        int32_t *row = int_map_at(&from, tmp, s->edges[k].id);
        if (s->edges[k].is_start) {
            *row = k;
        } else if (*row >= 0) {
            const struct place_arrow *a = &s->edges[*row], *b = &s->edges[k];
            rows[n] = (struct sort_row){a->at_ns, n};
            all[n++] = (struct edge){a, b, place_at(f, f->by_end, a),
                                     place_at(f, f->by_start, b)};
        }
    }
    sort_rows(*tmp, rows, n);
    f->edges = arena_take_raw(tmp, sizeof *f->edges, 8, n);
    for (int32_t k = 0; k < n; k++)
        f->edges[k] = all[rows[k].row];
    f->n = n;
}

static int64_t end_of(const struct finder *f, int32_t place)
{
    return store_end_ns(f->v->s, f->v->launch.all[place]);
}

/* An edge that ends at no device work and one that begins there are one, from what
 * ended last before that node: edges come in the order of their begins. */
static void join_nodes(struct finder *f, struct arena tmp)
{
    struct int_map through = int_map_make(&tmp, f->n); /* by time: the edge into it */
    for (int32_t k = 0; k < f->n; k++) {
        struct edge *e = &f->edges[k];
        if (e->before < 0) {
            int32_t into = int_map_get(&through, e->from->at_ns);
            if (into >= 0 && f->edges[into].to->lane == e->from->lane)
                e->before = f->edges[into].before;
        }
        if (e->after >= 0 || e->before < 0)
            continue;
        int32_t *into = int_map_at(&through, &tmp, e->to->at_ns);
        if (*into < 0 || end_of(f, f->edges[*into].before) < end_of(f, e->before))
            *into = k;
    }
}

struct graph_edges graph_edges_build(struct arena *perm, struct arena tmp,
                                     const struct trace_view *v)
{
    struct graph_edges g = {0};
    struct finder f = {.v = v};
    int32_t n_all = v->launch.n_all;
    if (!v->s->n_edges || !n_all)
        return g;
    sort_places(&f, &tmp);
    join_ends(&f, &tmp);
    join_nodes(&f, tmp);
    g.start = arena_new(perm, int32_t, n_all + 2);
    g.before = arena_take_raw(perm, sizeof *g.before, 4, f.n);
    for (int32_t k = 0; k < f.n; k++)
        if (f.edges[k].before >= 0 && f.edges[k].after >= 0) {
            g.start[f.edges[k].after + 2]++;
            g.n++;
        }
    for (int32_t p = 0; p < n_all; p++)
        g.start[p + 2] += g.start[p + 1];
    for (int32_t k = 0; k < f.n; k++)
        if (f.edges[k].before >= 0 && f.edges[k].after >= 0)
            g.before[g.start[f.edges[k].after + 1]++] = f.edges[k].before;
    return g;
}
