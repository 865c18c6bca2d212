#include "tree/backward_link.h"

#include "base/int_map.h"

#include <string.h>

struct number { /* the events of one sequence number, in the order of the file */
    event_id first, last;
};

static event_id *filled(struct arena *perm, int32_t n)
{
    event_id *a = arena_take_raw(perm, sizeof *a, 4, n);
    return memset(a, 0xff, (size_t)n * sizeof *a);
}

static void link_number(struct backward_link *b, const struct event_store *s,
                        const struct number *q, const event_id *next)
{
    event_id backward = -1, forward = -1;
    for (event_id i = q->first; i >= 0 && backward < 0; i = next[i])
        if (str_starts(store_name(s, i), S("autograd::engine::evaluate_function:")))
            backward = i;
    if (backward < 0)
        return;
    for (event_id i = q->first; i >= 0; i = next[i])
        if (s->lane[i] != s->lane[backward] &&
            (forward < 0 || s->start_ns[i] > s->start_ns[forward]))
            forward = i;
    if (forward < 0)
        return;
    b->forward_of[backward] = forward;
    b->next_backward[backward] = b->first_backward[forward];
    b->first_backward[forward] = backward;
    b->n_links++;
}

struct backward_link backward_link_build(struct arena *perm, struct arena tmp,
                                         const struct event_store *s)
{
    struct backward_link b = {filled(perm, s->n), filled(perm, s->n),
                              filled(perm, s->n), 0};
    struct int_map numbers = int_map_make(&tmp, 1024);
    struct number *q = arena_take_raw(&tmp, sizeof *q, 4, s->n);
    event_id *next = arena_take_raw(&tmp, sizeof *next, 4, s->n);
    int32_t n = 0;
    for (event_id i = 0; i < s->n; i++) {
        int64_t sequence = store_sequence(s, i);
        if (sequence == NO_ID)
            continue;
        int32_t *at = int_map_at(&numbers, &tmp, sequence);
        next[i] = -1;
        if (*at < 0) {
            *at = n;
            q[n++] = (struct number){i, i};
        } else {
            next[q[*at].last] = i;
            q[*at].last = i;
        }
    }
    for (int32_t k = 0; k < n; k++)
        link_number(&b, s, &q[k], next);
    return b;
}
