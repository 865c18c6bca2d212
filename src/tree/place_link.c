#include "tree/place_link.h"

#include "base/int_map.h"
#include "base/sort.h"

enum { TWINS_MOST = 64 }; /* device events that begin at one time: one a stream */

struct places {
    const struct event_store *s;
    const struct call_tree *t;
    const event_id *all; /* device work */
    int32_t *first;      /* position of each lane in the order of the tree */
    int32_t *by_start;   /* places in `all` */
    struct int_map from; /* id of an arrow: row of `call` */
    event_id *call;      /* where it begins */
    int32_t n;
};

static bool are_of_operators(const struct event_store *s)
{
    for (int32_t k = 0; k < s->n_arrows; k++)
        if (!s->arrows[k].of_operator)
            return false;
    return true;
}

/* The order of a tree is lane after lane. */
static int32_t *first_of_lanes(struct arena *a, const struct event_store *s,
                               const struct call_tree *t)
{
    int32_t *first = arena_new(a, int32_t, s->n_lanes + 2);
    for (int32_t k = 0; k < t->n_order; k++)
        first[s->lane[t->order[k]] + 1]++;
    for (int32_t l = 0; l < s->n_lanes; l++)
        first[l + 1] += first[l];
    return first;
}

/* The innermost call at a time on a lane; -1: none. */
static event_id call_at(const struct places *p, int32_t lane, int64_t at_ns)
{
    const struct event_store *s = p->s;
    int32_t low = p->first[lane], high = p->first[lane + 1];
    while (low < high) {
        int32_t mid = low + (high - low) / 2;
        if (s->start_ns[p->t->order[mid]] <= at_ns)
            low = mid + 1;
        else
            high = mid;
    }
    event_id i = low > p->first[lane] ? p->t->order[low - 1] : -1;
    for (int k = 0; i >= 0 && store_end_ns(s, i) < at_ns; k++)
        i = k < TREE_LEVELS_MAX ? tree_parent(p->t, i) : -1;
    return i;
}

static void note_start(struct places *p, struct arena *tmp, const struct place_arrow *a)
{
    event_id call = call_at(p, a->lane, a->at_ns);
    for (int k = 0; call >= 0 && !a->of_operator && !cat_is_runtime(p->s->cat[call]);
         k++)
        call = k < TREE_LEVELS_MAX ? tree_parent(p->t, call) : -1;
    int32_t *row = int_map_at(&p->from, tmp, a->id);
    if (*row < 0)
        *row = p->n++;
    p->call[*row] = call;
}

static int64_t start_of(const struct places *p, int32_t k)
{
    return p->s->start_ns[p->all[p->by_start[k]]];
}

/* The place of the device event that begins at a time on a stream; -1: none. */
static int32_t task_at(const struct places *p, int32_t n, int32_t lane, int64_t at_ns)
{
    int32_t low = 0, high = n;
    while (low < high) {
        int32_t mid = low + (high - low) / 2;
        if (start_of(p, mid) < at_ns)
            low = mid + 1;
        else
            high = mid;
    }
    for (int k = 0; low < n && k < TWINS_MOST && start_of(p, low) == at_ns; k++, low++)
        if (p->s->lane[p->all[p->by_start[low]]] == lane)
            return p->by_start[low];
    return -1;
}

static void sort_places(struct places *p, struct arena *tmp, int32_t n)
{
    int64_t *start_ns = arena_take_raw(tmp, sizeof *start_ns, 8, n);
    p->by_start = arena_take_raw(tmp, sizeof *p->by_start, 4, n);
    for (int32_t g = 0; g < n; g++) {
        start_ns[g] = p->s->start_ns[p->all[g]];
        p->by_start[g] = g;
    }
    sort_ids(*tmp, p->by_start, n, start_ns);
}

int32_t place_link(struct arena tmp, const struct event_store *s,
                   const struct call_tree *t, const event_id *all, int32_t n_all,
                   event_id *call)
{
    int32_t n_linked = 0;
    if (!s->n_arrows)
        return 0;
    bool of_operators = are_of_operators(s);
    struct places p = {.s = s, .t = t, .all = all, .first = first_of_lanes(&tmp, s, t)};
    p.from = int_map_make(&tmp, s->n_arrows);
    p.call = arena_take_raw(&tmp, sizeof *p.call, 4, s->n_arrows);
    sort_places(&p, &tmp, n_all);
    for (int32_t k = 0; k < s->n_arrows; k++)
        if (s->arrows[k].is_start && s->arrows[k].of_operator == of_operators)
            note_start(&p, &tmp, &s->arrows[k]);
    for (int32_t k = 0; k < s->n_arrows; k++) {
        const struct place_arrow *a = &s->arrows[k];
        bool ends = !a->is_start && a->of_operator == of_operators;
        int32_t row = ends ? int_map_get(&p.from, a->id) : -1;
        int32_t g =
            row < 0 || p.call[row] < 0 ? -1 : task_at(&p, n_all, a->lane, a->at_ns);
        if (g < 0 || call[g] >= 0)
            continue;
        call[g] = p.call[row];
        n_linked++;
    }
    return n_linked;
}
