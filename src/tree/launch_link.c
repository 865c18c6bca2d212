#include "tree/launch_link.h"

#include "base/int_map.h"

#include <string.h>

bool launch_is_graph(struct str name)
{
    return str_eq(name, S("cudaGraphLaunch")) || str_eq(name, S("hipGraphLaunch")) ||
           str_eq(name, S("cuGraphLaunch"));
}

/* What a correlation id leads to. */
struct key_row {
    bool has_start;
    int32_t end_lane; /* of the last arrow end; -1: none */
    event_id first;   /* device events with this id, in the order of the file */
    event_id last;
};

struct linker {
    const struct event_store *s;
    bool by_correlation; /* else by External id, as before 2021 */
    struct int_map rows; /* id to row */
    struct key_row *row;
    int32_t n_rows;
    event_id *next; /* by event: the next device event with the same id */
};

/* The first launch call says which identifier joins calls and device work. */
static bool links_by_correlation(const struct event_store *s)
{
    for (event_id i = 0; i < s->n; i++)
        if (cat_is_runtime(s->cat[i]) && str_has_nocase(store_name(s, i), S("launch")))
            return store_correlation(s, i) != NO_ID;
    return true;
}

static int64_t key_of(const struct linker *k, event_id i)
{
    return k->by_correlation ? store_correlation(k->s, i) : store_external_id(k->s, i);
}

static struct key_row *row_of(struct linker *k, struct arena *tmp, int64_t id)
{
    int32_t *at = int_map_at(&k->rows, tmp, id);
    if (*at < 0) {
        *at = k->n_rows;
        k->row[k->n_rows++] = (struct key_row){false, -1, -1, -1};
    }
    return &k->row[*at];
}

static void index_keys(struct linker *k, struct launch_link *l, struct arena *tmp)
{
    const struct event_store *s = k->s;
    for (int32_t f = 0; f < s->n_flows; f++) {
        struct key_row *r = row_of(k, tmp, narrow_value(&s->wide, s->flows[f].id));
        if (s->flows[f].is_start)
            r->has_start = true;
        else
            r->end_lane = (int32_t)s->flows[f].lane;
    }
    for (event_id i = 0; i < s->n; i++) {
        if (!cat_is_gpu(s->cat[i]))
            continue;
        l->all[l->n_all++] = i;
        if (key_of(k, i) == NO_ID)
            continue;
        struct key_row *r = row_of(k, tmp, key_of(k, i));
        k->next[i] = -1;
        if (r->first < 0)
            r->first = i;
        else
            k->next[r->last] = i;
        r->last = i;
    }
}

static void link_to(struct launch_link *l, event_id gpu, event_id call)
{
    if (l->launch[gpu] < 0)
        l->n_linked++;
    l->launch[gpu] = call;
}

/* As the reference links: a graph launch gets all that carries its id; another call the
 * last such event on the stream where its arrow ends. A trace without any arrow is
 * linked by id alone. */
static void link_call(struct linker *k, struct launch_link *l, event_id call)
{
    int64_t key = key_of(k, call);
    int32_t at = key == NO_ID ? -1 : int_map_get(&k->rows, key);
    if (at < 0)
        return;
    const struct key_row *r = &k->row[at];
    bool all = launch_is_graph(store_name(k->s, call)) || k->s->n_flows == 0;
    if (all) {
        for (event_id g = r->first; g >= 0; g = k->next[g])
            link_to(l, g, call);
        return;
    }
    if (!r->has_start || r->end_lane < 0)
        return;
    event_id found = -1;
    for (event_id g = r->first; g >= 0; g = k->next[g])
        if (k->s->lane[g] == r->end_lane) {
            l->n_duplicates += found >= 0;
            found = g;
        }
    if (found >= 0)
        link_to(l, found, call);
}

/* Counting sort of the linked device events by the rank of their call. */
static void order_by_rank(struct launch_link *l, const struct call_tree *t)
{
    for (int32_t k = 0; k < l->n_all; k++) {
        event_id call = l->launch[l->all[k]];
        if (call >= 0 && t->rank[call] >= 0)
            l->first[t->rank[call] + 1]++;
    }
    for (int32_t r = 0; r < t->n_order; r++)
        l->first[r + 1] += l->first[r];
    l->n_gpu = l->first[t->n_order];
    for (int32_t k = l->n_all;
         k-- > 0;) { /* backwards, filling each range from its end */
        event_id g = l->all[k], call = l->launch[g];
        if (call >= 0 && t->rank[call] >= 0)
            l->gpu[--l->first[t->rank[call] + 1]] = g;
    }
    memmove(l->first, l->first + 1, (size_t)t->n_order * sizeof *l->first);
    l->first[t->n_order] = l->n_gpu;
}

struct launch_link launch_link_build(struct arena *perm, struct arena tmp,
                                     const struct event_store *s,
                                     const struct call_tree *t)
{
    struct launch_link l = {0};
    int32_t n_gpu = 0;
    for (event_id i = 0; i < s->n; i++)
        n_gpu += cat_is_gpu(s->cat[i]);
    l.launch = arena_take_raw(perm, sizeof *l.launch, 4, s->n);
    memset(l.launch, 0xff, (size_t)s->n * sizeof *l.launch);
    l.all = arena_take_raw(perm, sizeof *l.all, 4, n_gpu);
    l.gpu = arena_take_raw(perm, sizeof *l.gpu, 4, n_gpu);
    l.first = arena_new(perm, int32_t, t->n_order + 1);

    struct linker k = {.s = s, .by_correlation = links_by_correlation(s)};
    k.rows = int_map_make(&tmp, s->n_flows / 2 + n_gpu);
    k.row = arena_take_raw(&tmp, sizeof *k.row, 8, s->n_flows + n_gpu);
    k.next = arena_take_raw(&tmp, sizeof *k.next, 4, s->n);
    index_keys(&k, &l, &tmp);
    for (event_id i = 0; i < s->n; i++)
        if (cat_is_runtime(s->cat[i]))
            link_call(&k, &l, i);
    order_by_rank(&l, t);
    return l;
}
