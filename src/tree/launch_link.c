#include "tree/launch_link.h"

#include "base/int_map.h"
#include "tree/place_link.h"

#include <string.h>

event_id launch_issue(const struct event_store *s, const struct call_tree *t,
                      const struct launch_link *l, event_id gpu)
{
    event_id call = launch_call(l, gpu), issue = call;
    event_id up = s->lender ? call : -1;
    for (int k = 0; up >= 0 && k < TREE_LEVELS_MAX; k++, up = tree_parent(t, up))
        if (cat_is_runtime(s->cat[up]) && launch_is_graph(s, up))
            issue = up;
    return issue;
}

/* What a correlation id leads to. Calls that share it are noted here and linked at the
 * end: there may be as many as device events, and each would walk past them all. */
struct key_row {
    bool has_start, searched, rest_linked;
    int32_t end_lane;    /* of the last arrow end; -1: none */
    int32_t first, last; /* of the device events with this id: places in `all` */
    int32_t found;       /* the last of them where the arrow ends; -1: none */
    int32_t n_twins;     /* others there */
    event_id all_call;   /* the last call that gets all of them, */
    event_id one_call;   /* and the last one after it that gets `found`; -1: none */
};

struct linker {
    const struct event_store *s;
    bool by_correlation; /* else by External id, as before 2021 */
    struct int_map rows; /* id of a device event to row */
    struct key_row *row;
    int32_t n_rows;
    int32_t *next; /* by place in `all`: the next device event with the same id */
};

/* The first launch call decides which identifier joins calls and device work. */
static bool links_by_correlation(const struct event_store *s)
{
    for (event_id i = 0; i < s->n; i++)
        if (cat_is_runtime(s->cat[i]) && store_role(s, i) & ROLE_LAUNCHES)
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
        k->row[k->n_rows++] = (struct key_row){.end_lane = -1,
                                               .first = -1,
                                               .last = -1,
                                               .found = -1,
                                               .all_call = -1,
                                               .one_call = -1};
    }
    return &k->row[*at];
}

/* Skips ids that no device event has, as most arrows are of such calls. */
static void index_keys(struct linker *k, struct launch_link *l, struct arena *tmp)
{
    const struct event_store *s = k->s;
    for (int32_t g = 0; g < l->n_all; g++) {
        int64_t key = key_of(k, l->all[g]);
        if (key == NO_ID)
            continue;
        struct key_row *r = row_of(k, tmp, key);
        k->next[g] = -1;
        if (r->first < 0)
            r->first = g;
        else
            k->next[r->last] = g;
        r->last = g;
    }
    for (int32_t f = 0; f < s->n_flows; f++) {
        int32_t at = int_map_get(&k->rows, narrow_value(&s->wide, s->flows[f].id));
        if (at < 0)
            continue;
        if (s->flows[f].is_start)
            k->row[at].has_start = true;
        else
            k->row[at].end_lane = (int32_t)s->flows[f].lane;
    }
}

static void link_to(struct launch_link *l, int32_t g, event_id call)
{
    if (l->call[g] < 0)
        l->n_linked++;
    l->call[g] = call;
}

/* Where the arrow of the id ends. */
static void search(const struct linker *k, const struct launch_link *l,
                   struct key_row *r)
{
    r->searched = true;
    for (int32_t g = r->first; g >= 0; g = k->next[g])
        if (k->s->lane[l->all[g]] == r->end_lane) {
            r->n_twins += r->found >= 0;
            r->found = g;
        }
}

static struct key_row *row_of_call(struct linker *k, event_id call)
{
    int64_t key = key_of(k, call);
    int32_t at = key == NO_ID ? -1 : int_map_get(&k->rows, key);
    return at < 0 ? NULL : &k->row[at];
}

/* Links as the reference does: a graph launch gets every event with its id, any other
 * call the last such event on the stream where its arrow ends. A trace without arrows
 * is linked by id alone. */
static void note_call(struct linker *k, struct launch_link *l, event_id call)
{
    struct key_row *r = row_of_call(k, call);
    if (!r)
        return;
    if (launch_is_graph(k->s, call) || k->s->n_flows == 0) {
        r->all_call = call;
        r->one_call = -1;
        return;
    }
    if (!r->has_start || r->end_lane < 0)
        return;
    if (!r->searched)
        search(k, l, r);
    l->n_duplicates += r->n_twins;
    r->one_call = r->found >= 0 ? call : r->one_call;
}

static void link_noted(struct linker *k, struct launch_link *l)
{
    for (int32_t i = 0; i < k->n_rows; i++) {
        const struct key_row *r = &k->row[i];
        for (int32_t g = r->all_call < 0 ? -1 : r->first; g >= 0; g = k->next[g])
            link_to(l, g, r->all_call);
        if (r->one_call >= 0)
            link_to(l, r->found, r->one_call);
    }
}

/* Device events that have the call's id, and that no arrow linked. */
static void link_rest(struct linker *k, struct launch_link *l, event_id call)
{
    struct key_row *r = row_of_call(k, call);
    if (!r || r->rest_linked)
        return;
    for (int32_t g = r->first; g >= 0; g = k->next[g])
        if (l->call[g] < 0)
            link_to(l, g, call);
    r->rest_linked = true;
}

struct launch_order launch_order_build(struct arena *perm, const event_id *all,
                                       const int32_t *at, int32_t n, int32_t n_order)
{
    struct launch_order o = {.launches =
                                 arena_new(perm, struct bit_rows, BIT_WORDS(n_order))};
    for (int32_t k = 0; k < n; k++)
        if (at[k] >= 0)
            bit_set(o.launches, at[k]);
    bit_finish(o.launches, n_order);
    int32_t n_launches = bit_before(o.launches, n_order);
    o.start = arena_new(perm, int32_t, n_launches + 2);
    o.gpu = arena_take_raw(perm, sizeof *o.gpu, 4, n);
    int32_t *end = o.start + 1;
    for (int32_t k = 0; k < n; k++)
        if (at[k] >= 0)
            end[bit_row(o.launches, at[k]) + 1]++;
    for (int32_t r = 0; r < n_launches; r++)
        end[r + 1] += end[r];
    /* Now end[r] is where range r starts; filling moves it to where the range ends,
     * which is where the next one starts. */
    for (int32_t k = 0; k < n; k++)
        if (at[k] >= 0)
            o.gpu[end[bit_row(o.launches, at[k])]++] = all[k];
    return o;
}

static void find_device_work(struct launch_link *l, struct arena *perm,
                             const struct event_store *s)
{
    l->is_device = arena_take_raw(perm, sizeof *l->is_device, 4, BIT_WORDS(s->n));
    for (event_id i = 0; i < s->n; i++) {
        bit_append(l->is_device, i, cat_is_gpu(s->cat[i]));
        l->n_all += cat_is_gpu(s->cat[i]);
    }
    l->all = arena_take_raw(perm, sizeof *l->all, 4, l->n_all);
    l->call = arena_take_raw(perm, sizeof *l->call, 4, l->n_all);
    memset(l->call, 0xff, (size_t)l->n_all * sizeof *l->call);
    for (event_id i = 0, k = 0; k < l->n_all; i++)
        if (cat_is_gpu(s->cat[i]))
            l->all[k++] = i;
}

struct launch_link launch_link_build(struct arena *perm, struct arena tmp,
                                     const struct event_store *s,
                                     const struct call_tree *t, enum link_by by)
{
    struct launch_link l = {0};
    find_device_work(&l, perm, s);
    struct linker k = {.s = s, .by_correlation = links_by_correlation(s)};
    k.rows = int_map_make(&tmp, l.n_all);
    k.row = arena_take_raw(&tmp, sizeof *k.row, 4, l.n_all);
    k.next = arena_take_raw(&tmp, sizeof *k.next, 4, l.n_all);
    index_keys(&k, &l, &tmp);
    for (event_id i = 0; i < s->n; i++)
        if (cat_is_runtime(s->cat[i]))
            note_call(&k, &l, i);
    link_noted(&k, &l);
    for (event_id i = 0; i < s->n && by == LINK_BY_IDS_TOO && k.by_correlation; i++)
        if (cat_is_runtime(s->cat[i]))
            link_rest(&k, &l, i);
    l.n_linked += place_link(tmp, s, t, l.all, l.n_all, l.call);
    int32_t *at = arena_take_raw(&tmp, sizeof *at, 4, l.n_all);
    for (int32_t g = 0; g < l.n_all; g++)
        at[g] = l.call[g] < 0 ? -1 : tree_rank(t, l.call[g]);
    l.order = launch_order_build(perm, l.all, at, l.n_all, t->n_order);
    return l;
}
