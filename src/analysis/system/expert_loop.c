#include "analysis/system/expert_loop.h"

#include "analysis/model/name_match.h"

enum { LEAST_TURNS = 8, LEAST_MATMULS = 2, APART = 2 };

enum step { STEP_UNKNOWN, STEP_OTHER, STEP_ASKS, STEP_GATHERS, STEP_MATMUL, STEP_ADDS };

static enum step step_of(struct str op)
{
    if (name_is(op, "aten::nonzero|aten::nonzero_numpy"))
        return STEP_ASKS;
    if (name_is(op, "aten::index|aten::index_select|aten::gather"))
        return STEP_GATHERS;
    if (name_is(op, "aten::mm|aten::addmm|aten::bmm|aten::_scaled_mm|"
                    "aten::_addmm_activation"))
        return STEP_MATMUL;
    if (name_is(op, "aten::index_add_|aten::index_add|aten::index_put_|"
                    "aten::scatter_add_|aten::index_copy_"))
        return STEP_ADDS;
    return STEP_OTHER;
}

struct turn {
    int64_t start_ns; /* of its first question or gather; -1: none yet */
    bool asks, gathers;
    int matmuls;
};

/* Joins a turn to the loop before it, where no more than two turns' time lie between.
 */
static void add_turn(struct arena *perm, struct expert_loops *l,
                     const struct event_store *s, const struct turn *turn,
                     event_id adds)
{
    int64_t end_ns = store_end_ns(s, adds);
    struct expert_loop *last = l->n ? &l->rows[l->n - 1] : NULL;
    if (last && last->lane == s->lane[adds] &&
        turn->start_ns - last->end_ns <= APART * (end_ns - turn->start_ns)) {
        last->end_ns = end_ns;
        last->turns++;
        return;
    }
    if (last && last->turns < LEAST_TURNS)
        l->n--;
    arena_grow(perm, l->rows, l->n);
    l->rows[l->n++] =
        (struct expert_loop){s->lane[adds], turn->start_ns, end_ns, 1, adds};
}

struct expert_loops expert_loops_find(struct arena *perm, const struct tree_index *t)
{
    const struct event_store *s = t->v->s;
    const struct call_tree *tree = &t->v->tree;
    struct expert_loops l = {0};
    struct turn turn = {.start_ns = -1};
    uint8_t *step_by_name = arena_new(perm, uint8_t, s->names.n + 1);
    int32_t lane = -1;
    for (int32_t k = 0; k < tree->n_order;) {
        event_id i = tree->order[k++];
        uint8_t *step = &step_by_name[s->name[i]];
        if (s->cat[i] != CAT_CPU_OP)
            continue;
        if (!*step)
            *step = (uint8_t)step_of(store_name(s, i));
        if (s->lane[i] != lane || (*step == STEP_ASKS && turn.matmuls))
            turn = (struct turn){.start_ns = -1};
        lane = s->lane[i];
        bool opens = *step == STEP_ASKS || *step == STEP_GATHERS;
        if (opens && turn.start_ns < 0)
            turn.start_ns = s->start_ns[i];
        turn.asks |= *step == STEP_ASKS;
        turn.gathers |= *step == STEP_GATHERS;
        turn.matmuls += *step == STEP_MATMUL && turn.asks && turn.gathers;
        if (*step != STEP_ADDS)
            continue;
        if (turn.matmuls >= LEAST_MATMULS)
            add_turn(perm, &l, s, &turn, i);
        turn = (struct turn){.start_ns = -1};
        k = tree->after[k - 1]; /* it may ask itself, where its places are a mask */
    }
    if (l.n && l.rows[l.n - 1].turns < LEAST_TURNS)
        l.n--;
    for (int32_t k = 0; k < l.n; k++)
        l.turns += l.rows[k].turns;
    return l;
}

const struct expert_loop *expert_loop_at(const struct expert_loops *l, int32_t lane,
                                         int64_t at_ns)
{
    int32_t low = 0, high = l->n;
    while (low < high) {
        int32_t mid = low + (high - low) / 2;
        const struct expert_loop *x = &l->rows[mid];
        if (x->lane < lane || (x->lane == lane && x->end_ns <= at_ns))
            low = mid + 1;
        else
            high = mid;
    }
    const struct expert_loop *x = low < l->n ? &l->rows[low] : NULL;
    return x && x->lane == lane && x->start_ns <= at_ns ? x : NULL;
}
