#include "analysis/stack/recomputed.h"

#include <string.h>

enum { OTHER, AGAIN, BACKWARD, NODE }; /* what a name begins */

/* Frames of torch/utils/checkpoint.py: recompute_fn of today's form, the backward of
 * the reentrant one, which goes on with a backward pass of its own. */
static uint8_t begins(struct str name)
{
    if (str_starts(name, S("autograd::engine::evaluate_function")))
        return NODE;
    if (str_eq(name, S("CheckpointFunctionBackward")) ||
        (str_has(name, S("torch/utils/checkpoint.py")) &&
         (str_has(name, S("recompute_fn")) || str_has(name, S(": backward")))))
        return AGAIN;
    bool is_frame = str_has(name, S(".py("));
    return str_has(name, S("_backward")) && !is_frame ? BACKWARD : OTHER;
}

struct search {
    const struct tree_index *t;
    uint8_t *kinds;    /* by name */
    uint8_t *in;       /* by event */
    bool found, twice; /* twice: backward operators are differentiated */
};

static uint8_t kind_at(const struct search *s, int32_t pos)
{
    return s->kinds[s->t->v->s->name[s->t->frames.order[pos]]];
}

/* Whether an operator of a forward pass lies in these positions, outside of other
 * nodes. */
static bool has_forward(struct search *s, int32_t from, int32_t to)
{
    const struct event_store *e = s->t->v->s;
    bool found = false;
    for (int32_t pos = from; pos < to;) {
        event_id i = s->t->frames.order[pos];
        uint8_t kind = kind_at(s, pos);
        bool numbered =
            kind != NODE && e->cat[i] == CAT_CPU_OP && store_sequence(e, i) != NO_ID;
        s->twice |= numbered && kind == BACKWARD;
        found |= numbered && kind == OTHER;
        pos = kind == NODE ? s->t->frames.after[pos] : pos + 1;
    }
    return found;
}

static void mark(struct search *s, int32_t from, int32_t to)
{
    for (int32_t pos = from; pos < to;) {
        uint8_t kind = kind_at(s, pos);
        bool stops = kind == NODE || kind == BACKWARD;
        if (!stops)
            s->in[s->t->frames.order[pos]] = 1;
        pos = stops ? s->t->frames.after[pos] : pos + 1;
    }
    s->found = true;
}

/* What a node's function calls, from the first forward operator to the last: those
 * between them may have no number, as the parts of `aten::linear`. */
static void mark_node(struct search *s, int32_t node)
{
    const int32_t *after = s->t->frames.after;
    int32_t first = -1, last = -1;
    if (node + 1 >= after[node])
        return;
    for (int32_t pos = node + 2; pos < after[node + 1]; pos = after[pos])
        if (kind_at(s, pos) != NODE && has_forward(s, pos, after[pos])) {
            first = first < 0 ? pos : first;
            last = after[pos];
        }
    if (first >= 0)
        mark(s, first, last);
}

/* By name; NULL: none begins a recomputation or a backward node. */
static uint8_t *kinds_of(struct arena *tmp, const struct event_store *e)
{
    uint8_t *kinds = arena_new(tmp, uint8_t, e->names.n + 1);
    bool any = false;
    for (name_id k = 0; k < e->names.n; k++) {
        kinds[k] = begins(pool_text(&e->names, k));
        any |= kinds[k] == AGAIN || kinds[k] == NODE;
    }
    return any ? kinds : NULL;
}

const uint8_t *recomputed_calls(struct arena *perm, struct arena tmp,
                                const struct tree_index *t)
{
    struct search s = {.t = t, .kinds = kinds_of(&tmp, t->v->s)};
    if (!s.kinds)
        return NULL;
    s.in = arena_new(&tmp, uint8_t, t->v->s->n + 1);
    for (int32_t pos = 0; pos < t->frames.n_order; pos++)
        if (kind_at(&s, pos) == NODE)
            mark_node(&s, pos);
    if (s.twice) {
        s.found = false;
        memset(s.in, 0, (size_t)t->v->s->n);
    }
    for (int32_t pos = 0; pos < t->frames.n_order; pos++)
        if (kind_at(&s, pos) == AGAIN && !s.in[t->frames.order[pos]])
            mark(&s, pos, t->frames.after[pos]);
    return s.found ? (const uint8_t *)arena_copy(perm, s.in, t->v->s->n + 1) : NULL;
}
