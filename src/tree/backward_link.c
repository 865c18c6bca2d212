#include "tree/backward_link.h"

#include "base/int_map.h"

struct number { /* the events of one sequence number, in the order of the file */
    event_id first, last;
};

struct pair {
    event_id backward, forward;
};

/* The two ends of a number; false: it has no such two. */
static bool pair_of(const struct event_store *s, const struct number *q,
                    const event_id *next, struct pair *p)
{
    event_id backward = -1, forward = -1;
    for (event_id i = q->first; i >= 0 && backward < 0; i = next[store_row(s, i)])
        if (str_starts(store_name(s, i), S("autograd::engine::evaluate_function:")))
            backward = i;
    if (backward < 0)
        return false;
    for (event_id i = q->first; i >= 0; i = next[store_row(s, i)])
        if (s->lane[i] != s->lane[backward] &&
            (forward < 0 || s->start_ns[i] > s->start_ns[forward]))
            forward = i;
    *p = (struct pair){backward, forward};
    return forward >= 0;
}

static void link_pairs(struct backward_link *b, struct arena *perm,
                       const struct pair *p, int32_t n_events)
{
    b->has = arena_new(perm, struct bit_rows, BIT_WORDS(n_events));
    for (int32_t k = 0; k < b->n_links; k++) {
        bit_set(b->has, p[k].backward);
        bit_set(b->has, p[k].forward);
    }
    bit_finish(b->has, n_events);
    b->end = arena_take_raw(perm, sizeof *b->end, 4, 2 * (ptrdiff_t)b->n_links);
    for (int32_t k = 0; k < b->n_links; k++) {
        struct pair x = p[k];
        b->end[bit_row(b->has, x.backward)] = (struct backward_end){x.forward, true};
        b->end[bit_row(b->has, x.forward)] = (struct backward_end){x.backward, false};
    }
}

struct backward_link backward_link_build(struct arena *perm, struct arena tmp,
                                         const struct event_store *s)
{
    struct backward_link b = {0};
    if (!s->n_more)
        return b;
    struct int_map numbers = int_map_make(&tmp, 1024);
    struct number *q = arena_take_raw(&tmp, sizeof *q, 4, s->n_more);
    event_id *next = arena_take_raw(&tmp, sizeof *next, 4, s->n_details); /* by row */
    int32_t n = 0;
    for (event_id i = 0; i < s->n; i++) {
        int64_t sequence = s->cat[i] == CAT_PYTHON ? NO_ID : store_sequence(s, i);
        if (sequence == NO_ID)
            continue;
        int32_t *at = int_map_at(&numbers, &tmp, sequence);
        next[store_row(s, i)] = -1;
        if (*at < 0) {
            *at = n;
            q[n++] = (struct number){i, i};
        } else {
            next[store_row(s, q[*at].last)] = i;
            q[*at].last = i;
        }
    }
    struct pair *pairs = arena_take_raw(&tmp, sizeof *pairs, 4, n);
    for (int32_t k = 0; k < n; k++)
        b.n_links += pair_of(s, &q[k], next, &pairs[b.n_links]);
    if (b.n_links)
        link_pairs(&b, perm, pairs, s->n);
    return b;
}
