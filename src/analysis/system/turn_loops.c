#include "analysis/system/turn_loops.h"

#include "analysis/model/name_match.h"
#include "analysis/model/number_text.h"
#include "analysis/system/host_name.h"
#include "analysis/system/system_parts.h"
#include "base/value.h"
#include "kernels/kernel_name.h"

#include <string.h>

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

/* A turn that joins as many parts itself is one of a loop around. */
static bool joins_itself(struct outer_ops *o, int32_t ops, event_id joins,
                         int32_t parts)
{
    for (int32_t k = 0; k < ops; k++) {
        event_id i = o->at[o->n - 1 - k];
        if (o->s->name[i] == o->s->name[joins] && parts_of(o->s, i) == parts)
            return true;
    }
    return false;
}

/* Operators of a turn, if `turns` turns are the last that ran; 0. The most: layers in a
 * turn may repeat themselves. */
static int32_t ops_of_turn(struct outer_ops *o, int32_t turns, event_id joins,
                           int32_t parts)
{
    int32_t most = o->n / turns < MOST_OPS ? o->n / turns : MOST_OPS, ops = most;
    while (ops > 0 && !(repeats(o, turns, ops) && !joins_itself(o, ops, joins, parts)))
        ops--;
    for (int32_t k = 0; k < ops; k++)
        if (kind_of(o, o->at[o->n - 1 - k]) == KIND_APART)
            return 0;
    return ops;
}

struct loop {
    struct loop_span of;
    int32_t first, ops; /* position of its first operator, or -1; of a turn */
    int32_t inner;      /* turns of the loop in each turn; 0: none */
    event_id joins, ops_told[TURN_LOOPS_TOLD];
};

struct loops {
    struct loop *at; /* by thread and start, apart */
    int32_t n;
};

/* In place of those inside it. */
static void add_loop(struct arena *tmp, struct loops *l, const struct loop *x)
{
    while (l->n && l->at[l->n - 1].of.lane == x->of.lane &&
           l->at[l->n - 1].of.start_ns >= x->of.start_ns)
        l->n--;
    const struct loop_span *last = l->n ? &l->at[l->n - 1].of : NULL;
    if (last && last->lane == x->of.lane && last->end_ns > x->of.start_ns)
        return;
    arena_grow(tmp, l->at, l->n);
    l->at[l->n++] = *x;
}

static void add_turns(struct arena *tmp, struct loops *l, const struct tree_index *t,
                      const struct outer_ops *o, int32_t turns, int32_t ops,
                      event_id joins)
{
    const struct event_store *s = o->s;
    int32_t first = o->n - turns * ops, kernels = 0, n;
    for (int32_t k = first; k < o->n && !kernels; k++, kernels = n)
        tree_gpu_below(t, o->at[k], &n);
    if (!kernels)
        return;
    struct loop x = {
        .of = {s->lane[joins], turns, s->start_ns[o->at[first]], s->start_ns[joins]},
        .first = first,
        .ops = ops,
        .joins = joins};
    x.of.second_ns = s->start_ns[o->at[first + ops]];
    for (int32_t k = 0; k < ops && k < TURN_LOOPS_TOLD; k++)
        x.ops_told[k] = o->at[first + k];
    add_loop(tmp, l, &x);
}

static bool same_ops(const struct outer_ops *o, int32_t a, int32_t b, int32_t n)
{
    int32_t k = 0;
    while (k < n && b + k < o->n &&
           o->s->name[o->at[a + k]] == o->s->name[o->at[b + k]])
        k++;
    return k == n;
}

/* Layers, each with weights of its own and fed by the one before. */
static bool holds_layers(const struct tree_index *t, const struct outer_ops *o,
                         int32_t first, int32_t n)
{
    for (int32_t k = 0; k < n; k++) {
        int32_t n_gpu = 0;
        const event_id *gpu = tree_gpu_below(t, o->at[first + k], &n_gpu);
        for (int32_t g = 0; g < n_gpu; g++) {
            enum kernel_label of = kernel_label_of(store_name(o->s, gpu[g]));
            if (kernel_label_is_matrix(of) || of == KERNEL_CONVOLUTION ||
                of == KERNEL_ATTENTION)
                return true;
        }
    }
    return false;
}

/* Loops from `k` on that are turns of one around them: the same operators from each to
 * the next; 1: none. */
static int32_t turns_around(const struct loops *l, int32_t k, const struct outer_ops *o)
{
    const struct loop *x = &l->at[k];
    int32_t n = 1, apart = k + 1 < l->n ? x[1].first - x->first : 0;
    while (k + n < l->n && x->first >= 0 && x[n].first - x[n - 1].first == apart &&
           x[n].ops == x->ops && x[n].of.turns == x->of.turns &&
           same_ops(o, x->first, x[n - 1].first, apart))
        n++;
    return n;
}

/* A loop for each image of a batch, around one for each of its levels: of the loops
 * from `from` on, which are those of one thread. */
static void join_around(struct loops *l, int32_t from, const struct tree_index *t,
                        const struct outer_ops *o)
{
    int32_t to = from;
    for (int32_t k = from, n; k < l->n; k += n) {
        struct loop x = l->at[k];
        n = turns_around(l, k, o);
        int32_t apart = n > 1 ? l->at[k + 1].first - x.first : 0,
                last = l->at[k + n - 1].first;
        if (n < FEWEST_TURNS || holds_layers(t, o, x.first, apart)) {
            for (int32_t i = 0; i < n; i++)
                l->at[to++] = l->at[k + i];
            continue;
        }
        bool whole = same_ops(o, x.first, last, apart);
        x.inner = x.of.turns;
        x.of.turns = n;
        x.of.second_ns = l->at[k + 1].of.start_ns;
        x.of.end_ns = whole ? store_end_ns(o->s, o->at[last + apart - 1])
                            : l->at[k + n - 1].of.end_ns;
        l->at[to++] = x;
    }
    l->n = to;
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

/* The first operator of a frame cuts a part out. */
static bool takes_first(const struct tree_index *t, event_id frame)
{
    enum { LOOKED_AT = 16 }; /* frames around it */
    const struct event_store *s = t->v->s;
    int32_t k = tree_rank(&t->frames, frame), end = t->frames.after[k];
    end = end - k > LOOKED_AT ? k + LOOKED_AT : end;
    while (k < end && s->cat[t->frames.order[k]] != CAT_CPU_OP)
        k++;
    event_id op = k < end ? t->frames.order[k] : -1;
    return op >= 0 && s->name[op] >= 0 && takes_apart(store_name(s, op));
}

/* Calls of one frame, each for a part that an operator cuts out before it or first, and
 * nothing between them that the device works on. */
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
    bool takes = call && (c->part >= 0 || takes_first(t, i));
    if (c->n && takes && s->name[i] == s->name[c->first])
        c->n++;
    else
        *c = (struct calls){takes ? i : -1, -1, takes};
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

static void add_calls(struct arena *tmp, struct loops *l, const struct event_store *s,
                      struct calls c, event_id joins)
{
    struct loop x = {
        .of = {s->lane[joins], c.n, s->start_ns[c.first], s->start_ns[joins], 0},
        .first = -1,
        .ops = 1,
        .ops_told = {c.first},
        .joins = joins};
    add_loop(tmp, l, &x);
}

static void add_joined(struct arena *tmp, struct loops *l, struct outer_ops *o,
                       const struct tree_index *t, event_id i)
{
    int32_t parts = parts_of(o->s, i), turns = parts;
    int32_t ops = turns >= FEWEST_TURNS ? ops_of_turn(o, turns, i, parts) : 0;
    if (!ops && turns > MANY_TURNS) /* and a part from elsewhere */
        ops = ops_of_turn(o, --turns, i, parts);
    struct calls calls = {.n = 0};
    if (!ops && (!parts || parts >= MANY_TURNS))
        calls = calls_before(o, t, i);
    if (ops)
        add_turns(tmp, l, t, o, turns, ops, i);
    else if (calls.n && (!parts || calls.n == parts))
        add_calls(tmp, l, o->s, calls, i);
}

/* Their spans, and what the longest is. */
static struct turn_loops told_of(struct arena *perm, const struct loops *found)
{
    struct turn_loops l = {.joins = -1,
                           .spans = arena_new(perm, struct loop_span, found->n)};
    for (; l.n < found->n; l.n++) {
        const struct loop *x = &found->at[l.n];
        l.spans[l.n] = x->of;
        if (x->of.turns <= l.turns)
            continue;
        l.turns = x->of.turns;
        l.ops = x->ops;
        l.inner = x->inner;
        memcpy(l.of, x->ops_told, sizeof l.of);
        l.joins = x->joins;
    }
    return l;
}

struct turn_loops turn_loops_find(struct arena *perm, struct arena tmp,
                                  const struct tree_index *t)
{
    struct loops l = {0};
    const struct event_store *s = t->v->s;
    const struct call_tree *tree = &t->v->tree;
    struct outer_ops o = {.s = s, .kind = arena_new(&tmp, uint8_t, s->names.n + 1)};
    int32_t lane = -1, of_lane = 0;
    o.at = arena_take_raw(&tmp, sizeof *o.at, 4, tree->n_order);
    for (int32_t k = 0; k < tree->n_order;) {
        event_id i = tree->order[k];
        bool is_op = s->cat[i] == CAT_CPU_OP && s->name[i] >= 0;
        if (s->lane[i] != lane) {
            join_around(&l, of_lane, t, &o);
            of_lane = l.n;
            o.n = 0;
        }
        lane = s->lane[i];
        k = is_op ? tree->after[k] : k + 1;
        if (!is_op)
            continue;
        if (kind_of(&o, i) == KIND_JOINS)
            add_joined(&tmp, &l, &o, t, i);
        o.at[o.n++] = i;
    }
    join_around(&l, of_lane, t, &o);
    return told_of(perm, &l);
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
