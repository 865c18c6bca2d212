#include "analysis/system/host_beside.h"

#include "analysis/model/name_match.h"
#include "base/duration.h"
#include "base/sort.h"

struct graph_launch {
    event_id call;
    int64_t end_ns; /* of its last kernel */
};

/* Those with kernels, by start. */
static struct graph_launch *find_launches(struct arena *tmp, const struct trace_view *v,
                                          int32_t *n)
{
    const struct event_store *s = v->s;
    struct graph_launch *all = NULL, *sorted;
    int32_t *at = arena_new(tmp, int32_t, s->n_details + 1); /* by row, from 1 */
    *n = 0;
    for (int32_t k = 0; k < v->n_counted; k++) {
        event_id gpu = v->counted[k], call = view_issue(v, gpu);
        if (call < 0 || !launch_is_graph(s, call))
            continue;
        int32_t *place = &at[store_row(s, call)];
        if (!*place) {
            arena_grow(tmp, all, *n);
            all[*n] = (struct graph_launch){call, INT64_MIN};
            *place = ++*n;
        }
        all[*place - 1].end_ns = later(all[*place - 1].end_ns, store_end_ns(s, gpu));
    }
    struct sort_row *rows = arena_take_raw(tmp, sizeof *rows, 8, *n);
    sorted = arena_take_raw(tmp, sizeof *sorted, 8, *n);
    for (int32_t k = 0; k < *n; k++)
        rows[k] = (struct sort_row){s->start_ns[all[k].call], k};
    sort_rows(*tmp, rows, *n);
    for (int32_t k = 0; k < *n; k++)
        sorted[k] = all[rows[k].row];
    return sorted;
}

/* A copy of pageable memory to the device returns at once if it is small; one whose
 * call is still there when the copy starts has waited for its turn. */
static bool waits_for_turn(const struct tree_index *t, event_id call)
{
    const struct event_store *s = t->v->s;
    int32_t n = 0;
    const event_id *gpu =
        cat_is_runtime(s->cat[call]) ? tree_gpu_below(t, call, &n) : NULL;
    return n == 1 && role_way(store_role(s, gpu[0])) == COPY_H2D &&
           (store_role(s, gpu[0]) & ROLE_PAGEABLE) &&
           store_end_ns(s, call) >= s->start_ns[gpu[0]];
}

/* Frames in which a thread sleeps are no work, as are calls that wait. */
static bool works(const struct tree_index *t, const struct host_piece *p)
{
    const struct event_store *s = t->v->s;
    if (p->event < 0 || p->class == IDLE_SYNC || p->class == IDLE_NOTHING ||
        host_waits_at(&t->v->waits, p->lane, p->start_ns) ||
        waits_for_turn(t, p->event))
        return false;
    return p->class != IDLE_PYTHON ||
           !name_has(store_name(s, p->event), "wait|sleep|select|poll|acquire|recv");
}

int64_t host_beside_graphs_ns(struct arena tmp, const struct host_time *h)
{
    const struct event_store *s = h->t->v->s;
    int32_t n;
    const struct graph_launch *launch = find_launches(&tmp, h->t->v, &n);
    struct host_time host = host_time_again(h, &tmp);
    int64_t sum_ns = 0;
    for (int32_t k = 0; k < n; k++) {
        int32_t lane = s->lane[launch[k].call];
        int64_t from_ns = store_end_ns(s, launch[k].call), to_ns = launch[k].end_ns;
        if (k + 1 < n) /* what comes behind it is beside the next one */
            to_ns = sooner(to_ns, s->start_ns[launch[k + 1].call]);
        if (to_ns <= from_ns)
            continue;
        host_time_split(&host, lane, -1, from_ns, to_ns);
        for (int32_t p = 0; p < host.n_pieces; p++)
            if (works(h->t, &host.pieces[p]))
                sum_ns += host.pieces[p].end_ns - host.pieces[p].start_ns;
    }
    return sum_ns;
}
