#include "analysis/system/turn_loops.h"

#include "analysis/model/name_match.h"
#include "analysis/model/number_text.h"
#include "analysis/system/host_name.h"
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

/* The call that Python makes for an operator. */
static event_id call_of(const struct tree_index *t, event_id i)
{
    event_id up = tree_parent(&t->frames, i);
    bool is_call = up >= 0 && t->v->s->cat[up] == CAT_PYTHON &&
                   str_starts(store_name(t->v->s, up), S("<built-in"));
    return is_call ? up : i;
}

static bool takes_apart(struct str op)
{
    return name_is(op, "aten::select|aten::slice|aten::narrow|aten::unbind|"
                       "aten::split|aten::chunk");
}

/* Calls of one frame, each for a part that an operator cuts out before it, and nothing
 * between them that the device works on. */
struct calls {
    event_id first, part; /* part: what was cut out last, for no call yet; -1 */
    int32_t n;
};

static void add_child(struct calls *c, const struct tree_index *t, event_id i)
{
    const struct event_store *s = t->v->s;
    int32_t kernels = 0;
    bool frame = s->cat[i] == CAT_PYTHON;
    bool call = frame && !str_starts(store_name(s, i), S("<built-in"));
    tree_gpu_below(t, i, &kernels);
    if (!kernels) {
        event_id op = frame ? tree_first_child(t, i) : i;
        bool parts = op >= 0 && s->cat[op] == CAT_CPU_OP && s->name[op] >= 0 &&
                     takes_apart(store_name(s, op));
        c->part = parts ? op : c->part;
        return;
    }
    if (c->n && call && s->name[i] == s->name[c->first] && c->part >= 0)
        c->n++;
    else
        *c = (struct calls){call && c->part >= 0 ? i : -1, -1, call && c->part >= 0};
    c->part = -1;
}

/* Cells of recurrent networks have a finding of their own. */
static bool holds_cells(struct outer_ops *o, const struct tree_index *t, event_id frame)
{
    int32_t k = tree_rank(&t->frames, frame), end = t->frames.after[k];
    for (; k < end; k++) {
        event_id i = t->frames.order[k];
        if (o->s->cat[i] == CAT_CPU_OP && o->s->name[i] >= 0 &&
            kind_of(o, i) == KIND_APART)
            return true;
    }
    return false;
}

/* Where turns differ (each sample is changed in another way), or nobody knows how many
 * tensors are joined: the frame that is called for each of them. */
static struct calls calls_before(struct outer_ops *o, const struct tree_index *t,
                                 event_id joins)
{
    enum { MOST_CHILDREN = 1024 };
    struct calls c = {-1, -1, 0};
    event_id last = t->has_frames ? call_of(t, joins) : -1,
             parent = last < 0 ? -1 : tree_parent(&t->frames, last);
    if (parent < 0 || o->s->cat[parent] != CAT_PYTHON)
        return c;
    int32_t k = tree_rank(&t->frames, parent) + 1;
    for (int32_t n = 0; n < MOST_CHILDREN && t->frames.order[k] != last; n++) {
        add_child(&c, t, t->frames.order[k]);
        k = t->frames.after[k];
    }
    if (t->frames.order[k] != last || c.n < MANY_TURNS || holds_cells(o, t, c.first))
        c.n = 0;
    return c;
}

static void add_calls(struct arena *perm, struct turn_loops *l,
                      const struct tree_index *t, struct calls c, event_id joins)
{
    const struct event_store *s = t->v->s;
    if (c.n > l->turns) {
        l->turns = c.n;
        l->ops = 1;
        l->of[0] = c.first;
        l->joins = joins;
    }
    arena_grow(perm, l->spans, l->n);
    l->spans[l->n++] = (struct loop_span){s->lane[joins], c.n, s->start_ns[c.first],
                                          s->start_ns[joins]};
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
        int32_t parts = kind_of(&o, i) == KIND_JOINS ? parts_of(s, i) : 0,
                turns = parts;
        int32_t ops = turns >= FEWEST_TURNS ? ops_of_turn(&o, turns) : 0;
        if (!ops && turns > MANY_TURNS) /* and a part from elsewhere */
            ops = ops_of_turn(&o, --turns);
        struct calls calls = {.n = 0};
        if (!ops && kind_of(&o, i) == KIND_JOINS && (!parts || parts >= MANY_TURNS))
            calls = calls_before(&o, t, i);
        if (ops)
            add_loop(perm, &l, t, &o, turns, ops, i);
        else if (calls.n && (!parts || calls.n == parts))
            add_calls(perm, &l, t, calls, i);
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
                   module = tree_module_name(name),
                   bare = str_starts(name, S("aten::")) ? str_skip(name, 6) : name;
        if (t->v->s->cat[l->of[k]] == CAT_PYTHON)
            bare = module.n ? module : host_name_of(perm, name).name;
        text = say(perm, "{}{}{}", said(text), said(text.n ? ", " : ""),
                   said(quoted_name(perm, bare, 30)));
    }
    return text;
}
