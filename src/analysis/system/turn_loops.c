#include "analysis/system/turn_loops.h"

#include "analysis/model/name_match.h"
#include "analysis/model/number_text.h"
#include "analysis/system/system_parts.h"
#include "base/value.h"

enum { FEWEST_TURNS = 4, MANY_TURNS = 8, MOST_OPS = 512 };

/* Of the operators that no other one calls: the last ones of a thread. */
struct outer_ops {
    const struct event_store *s;
    event_id *at;
    int32_t n;
    uint8_t *kind; /* by name: 0 not asked */
};

enum { KIND_OTHER = 1, KIND_JOINS, KIND_APART };

static int kind_of(struct outer_ops *o, event_id i)
{
    uint8_t *kind = &o->kind[o->s->name[i]];
    struct str name = *kind ? S("") : store_name(o->s, i);
    if (*kind)
        return *kind;
    *kind = KIND_OTHER;
    if (name_is(name, "aten::stack|aten::cat"))
        *kind = KIND_JOINS;
    else if (name_has(name, "lstm|gru_cell|rnn_|index_add|index_put|autograd::"))
        *kind = KIND_APART;
    return *kind;
}

/* How many tensors an operator joins; 0: not recorded. */
static int32_t parts_of(const struct event_store *s, event_id i)
{
    const struct op_texts *t = store_texts(s, i);
    const struct value *parts =
        t && t->dims >= 0 ? value_at(store_value(s, t->dims), 0) : NULL;
    return value_is(value_at(parts, 0), VALUE_LIST) ? (int32_t)value_count(parts) : 0;
}

/* Whether the last `turns` times `ops` operators are the same ones again and again. */
static bool repeats(const struct outer_ops *o, int32_t turns, int32_t ops)
{
    const name_id *name = o->s->name;
    int64_t same = 0, all = (int64_t)ops * (turns - 1);
    int32_t last = o->n - 1;
    if ((int64_t)ops * turns > o->n)
        return false;
    while (same < all && name[o->at[last - same]] == name[o->at[last - same - ops]])
        same++;
    return same == all;
}

/* Operators of a turn, if `turns` turns are the last that ran; 0. The most: layers in a
 * turn may repeat themselves. */
static int32_t ops_of_turn(struct outer_ops *o, int32_t turns)
{
    int32_t most = o->n / turns < MOST_OPS ? o->n / turns : MOST_OPS, ops = most;
    while (ops > 0 && !repeats(o, turns, ops))
        ops--;
    for (int32_t k = 0; k < ops; k++)
        if (kind_of(o, o->at[o->n - 1 - k]) == KIND_APART)
            return 0;
    return ops;
}

static void add_loop(struct arena *perm, struct turn_loops *l,
                     const struct tree_index *t, const struct outer_ops *o,
                     int32_t turns, int32_t ops, event_id joins)
{
    event_id first = o->at[o->n - turns * ops];
    int32_t kernels = 0, n;
    for (int32_t k = o->n - turns * ops; k < o->n && !kernels; k++, kernels = n)
        tree_gpu_below(t, o->at[k], &n);
    if (!kernels)
        return;
    if (turns > l->turns) {
        l->turns = turns;
        l->ops = ops;
        for (int32_t k = 0; k < ops && k < TURN_LOOPS_TOLD; k++)
            l->of[k] = o->at[o->n - turns * ops + k];
        l->joins = joins;
    }
    arena_grow(perm, l->spans, l->n);
    l->spans[l->n++] =
        (struct loop_span){t->v->s->lane[first], turns, t->v->s->start_ns[first],
                           t->v->s->start_ns[joins]};
}

struct turn_loops turn_loops_find(struct arena *perm, struct arena tmp,
                                  const struct tree_index *t)
{
    struct turn_loops l = {.joins = -1};
    const struct event_store *s = t->v->s;
    const struct call_tree *tree = &t->v->tree;
    struct outer_ops o = {.s = s, .kind = arena_new(&tmp, uint8_t, s->names.n + 1)};
    int32_t lane = -1;
    o.at = arena_take_raw(&tmp, sizeof *o.at, 4, tree->n_order);
    for (int32_t k = 0; k < tree->n_order;) {
        event_id i = tree->order[k];
        bool is_op = s->cat[i] == CAT_CPU_OP && s->name[i] >= 0;
        o.n = s->lane[i] != lane ? 0 : o.n;
        lane = s->lane[i];
        k = is_op ? tree->after[k] : k + 1;
        if (!is_op)
            continue;
        int32_t turns = kind_of(&o, i) == KIND_JOINS ? parts_of(s, i) : 0;
        int32_t ops = turns >= FEWEST_TURNS ? ops_of_turn(&o, turns) : 0;
        if (!ops && turns > MANY_TURNS) /* and a part from elsewhere */
            ops = ops_of_turn(&o, --turns);
        if (ops)
            add_loop(perm, &l, t, &o, turns, ops, i);
        o.at[o.n++] = i;
    }
    return l;
}

struct str turn_ops_text(struct arena *perm, const struct tree_index *t,
                         const struct turn_loops *l)
{
    struct str text = S("");
    for (int32_t k = 0; k < l->ops && k < TURN_LOOPS_TOLD; k++) {
        struct str name = store_name(t->v->s, l->of[k]),
                   bare = str_starts(name, S("aten::")) ? str_skip(name, 6) : name;
        text = say(perm, "{}{}{}", said(text), said(text.n ? ", " : ""),
                   said(quoted_name(perm, bare, 30)));
    }
    return text;
}
