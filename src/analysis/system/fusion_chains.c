#include "analysis/system/fusion_chains.h"

#include "analysis/facts/operand_cast.h"
#include "analysis/model/name_match.h"
#include "base/sort.h"
#include "kernels/kernel_name.h"
#include "perf/dtype.h"

#include <string.h>

enum { RANK_MAX = 8, OPERANDS_MAX = 6, TENSORS_MAX = 12 };

struct shape {
    int32_t rank;
    int64_t dims[RANK_MAX];
    double elements;
};

/* The tensors that an operator takes; those of one element say nothing. */
struct operands {
    struct shape at[OPERANDS_MAX];
    int n;
};

struct finder {
    const struct trace_view *v;
    struct arena *tmp;
    uint8_t *is;    /* by name: NAME_ bits */
    name_id copy;   /* `aten::copy_` */
    int32_t *known; /* by name of the recorded shapes: row of `operands`, plus one */
    struct operands *operands;
    int32_t n_operands;
    struct kernel_chains found;
    int32_t n_kernels;

    /* The chain so far: kernels of one thread, and the tensors that they use. */
    event_id kernel[CHAIN_KERNELS_MAX], op[CHAIN_KERNELS_MAX];
    int n;
    struct shape tensor[TENSORS_MAX];
    int n_tensors;
    int32_t thread;
    bool has_bytes; /* one of these tensors has elements of 8 bits */
};

static bool read_shape(const struct value *v, struct shape *to)
{
    to->rank = value_count(v);
    to->elements = 1;
    if (to->rank == 0 || to->rank > RANK_MAX)
        return false;
    for (int k = 0; k < to->rank; k++) {
        const struct value *d = value_at(v, k);
        if (!value_is_whole(d) || d->number < 1 || d->number > 1e12)
            return false;
        to->dims[k] = (int64_t)d->number;
        to->elements *= d->number;
    }
    return to->elements > 1;
}

static void add_operands(struct operands *to, const struct value *v, int depth)
{
    for (int k = 0; k < value_count(v) && to->n < OPERANDS_MAX; k++) {
        const struct value *one = value_at(v, k);
        if (read_shape(one, &to->at[to->n]))
            to->n++;
        else if (depth > 0)
            add_operands(to, one, depth - 1);
    }
}

static const struct operands *operands_of(struct finder *f, event_id op)
{
    static const struct operands none;
    const struct op_texts *t = store_texts(f->v->s, op);
    if (!t || t->dims < 0)
        return &none;
    int32_t *row = &f->known[t->dims];
    if (!*row) {
        arena_grow(f->tmp, f->operands, f->n_operands);
        f->operands[f->n_operands] = none;
        add_operands(&f->operands[f->n_operands], store_value(f->v->s, t->dims), 1);
        *row = ++f->n_operands;
    }
    return &f->operands[*row - 1];
}

/* One dimension is another, or is missing. */
static bool differ_in_one(const struct shape *a, const struct shape *b)
{
    const struct shape *large = a->elements > b->elements ? a : b,
                       *small = large == a ? b : a;
    int k = 0, from_end = 0;
    while (k < small->rank && small->dims[k] == large->dims[k])
        k++;
    while (from_end < small->rank - k && small->dims[small->rank - 1 - from_end] ==
                                             large->dims[large->rank - 1 - from_end])
        from_end++;
    int left = small->rank - k - from_end;
    bool same_rank =
        small->rank == large->rank && left == 1 && large->dims[k] % small->dims[k] == 0;
    return same_rank || (small->rank + 1 == large->rank && left == 0);
}

static void use_tensor(struct finder *f, const struct shape *t)
{
    for (int k = 0; k < f->n_tensors; k++)
        if (f->tensor[k].rank == t->rank &&
            !memcmp(f->tensor[k].dims, t->dims, (size_t)t->rank * sizeof *t->dims))
            return;
    if (f->n_tensors < TENSORS_MAX)
        f->tensor[f->n_tensors++] = *t;
}

/* A smaller operand beside a large one, a norm's weight, is like any matrix of so many
 * columns: it connects only what has its size. */
static bool reads_the_chain(const struct finder *f, const struct operands *o)
{
    double most = 0;
    for (int i = 0; i < o->n; i++)
        most = o->at[i].elements > most ? o->at[i].elements : most;
    for (int i = 0; i < o->n; i++)
        for (int k = 0; k < f->n_tensors; k++)
            if (o->at[i].elements == f->tensor[k].elements ||
                (o->at[i].elements == most && differ_in_one(&o->at[i], &f->tensor[k])))
                return true;
    return false;
}

static int32_t texts_of(const struct finder *f, event_id op)
{
    return store_texts_row(f->v->s, op);
}

static bool same_call(const struct finder *f, event_id a, event_id b)
{
    return f->v->s->name[a] == f->v->s->name[b] && texts_of(f, a) == texts_of(f, b);
}

/* In place, or on one tensor: the same again is work on another tensor. */
static bool separate_tensors(struct finder *f, event_id before, event_id op)
{
    struct str name = store_name(f->v->s, op);
    return same_call(f, before, op) &&
           (str_ends(name, S("_")) || operands_of(f, op)->n < 2 ||
            name_is(name_without_namespace(name), "clone|contiguous|_to_copy"));
}

static bool same_calls(const struct finder *f, int a, int b, int n)
{
    int k = 0;
    while (k < n && same_call(f, f->op[a + k], f->op[b + k]))
        k++;
    return k == n;
}

static bool in_place(const struct finder *f, event_id op)
{
    return str_ends(store_name(f->v->s, op), S("_"));
}

/* How many kernels from i on recur right behind; 0: none. Two may well be steps of one
 * chain, unless they write what they read. */
static int period_at(const struct finder *f, int i)
{
    for (int p = in_place(f, f->op[i]) ? 2 : 3; i + 2 * p <= f->n; p++)
        if (same_calls(f, i, i + p, p))
            return p;
    return 0;
}

static bool several_operators(const struct finder *f, int from, int to)
{
    for (int k = from + 1; k < to; k++)
        if (f->v->s->name[f->op[k]] != f->v->s->name[f->op[from]])
            return true;
    return false;
}

static void emit(struct finder *f, int from, int to)
{
    if (!several_operators(f, from, to))
        return;
    for (int k = from; k < to; k++) {
        arena_grow(f->tmp, f->found.kernels, f->n_kernels);
        f->found.kernels[f->n_kernels++] = f->kernel[k];
    }
    arena_grow(f->tmp, f->found.first, f->found.n + 1);
    f->found.first[++f->found.n] = f->n_kernels;
}

static void drop_chain(struct finder *f)
{
    f->n = f->n_tensors = 0;
    f->has_bytes = false;
}

/* What recurs at once is a chain each time; what is before and behind it, too. */
static void end_chain(struct finder *f)
{
    int from = 0, p = 0;
    for (int i = 0; i < f->n;) {
        bool again = p && i + p <= f->n && same_calls(f, i - p, i, p);
        p = again ? p : period_at(f, i);
        if (p) {
            emit(f, from, i);
            emit(f, i, i + p);
            from = i += p;
        } else {
            i++;
        }
    }
    emit(f, from, f->n);
    drop_chain(f);
}

enum {
    NAME_JUDGED = 1,
    NAME_STEP = 2, /* of a kernel or operator: may be part of a chain */
    NAME_FUSED = 4,
    NAME_DROPS = 8, /* its kernel is called fused and is not */
    NAME_LOSS = 16, /* whatever its kernel is called */
    NAME_LIST = 32, /* its operands are a list, which older recordings leave empty */
    NAME_LAST =
        64, /* a parameter, or its gradient, is done: next comes another tensor */
    NAME_BYTES = 128 /* of recorded types: one of 8 bits */
};

static unsigned judge_kernel(struct str name)
{
    enum kernel_label l = kernel_label_of(name);
    bool step = l == KERNEL_ELEMENTWISE || l == KERNEL_REDUCE ||
                l == KERNEL_NORMALIZATION || l == KERNEL_SOFTMAX;
    return (step ? NAME_STEP : 0) | (name_has(name, "fused") ? NAME_FUSED : 0);
}

static unsigned judge_operator(struct str name)
{
    bool step = name_begins(name, "aten::") &&
                !name_has(name, "batch_norm|fill|zero|index|gather|scatter|embedding|"
                                "masked_select|unique|sort|cumsum");
    return (step ? NAME_STEP : 0) | (name_has(name, "dropout") ? NAME_DROPS : 0) |
           (name_has(name, "nll_loss") ? NAME_LOSS : 0) |
           (name_is(name, "aten::cat|aten::stack|aten::_cat") ? NAME_LIST : 0) |
           (name_is(name, "aten::addcdiv_|torch::autograd::AccumulateGrad") ? NAME_LAST
                                                                            : 0);
}

static unsigned judged(const struct finder *f, event_id i,
                       unsigned (*judge)(struct str name))
{
    uint8_t *is = &f->is[f->v->s->name[i]];
    if (!*is)
        *is = (uint8_t)(NAME_JUDGED | judge(store_name(f->v->s, i)));
    return *is;
}

/* Numbers of 8 bits, which no step but a cast makes: a tensor of their own, unless the
 * chain has made them. */
static bool takes_bytes(const struct finder *f, event_id op)
{
    const struct op_texts *t = store_texts(f->v->s, op);
    if (!t || t->types < 0)
        return false;
    uint8_t *is = &f->is[t->types];
    const struct value *types = *is ? NULL : store_value(f->v->s, t->types);
    for (int k = 0; k < value_count(types); k++)
        *is |= dtype_bytes(value_text(value_at(types, k))) == 1 ? NAME_BYTES : 0;
    *is |= NAME_JUDGED;
    return *is & NAME_BYTES;
}

/* A matmul reads as its weight what the chain has made of such numbers: a matmul that
 * reads those needs no chain, and no kernel of its own could do as much. */
static bool makes_weight(struct finder *f, event_id gpu, event_id op)
{
    if (!f->n || op < 0 || !takes_bytes(f, f->op[0]) ||
        !kernel_label_is_matrix(kernel_label_of(store_name(f->v->s, gpu))))
        return false;
    const struct operands *product = operands_of(f, op);
    double elements = operands_of(f, f->op[0])->at[0].elements;
    return product->n > 1 && product->at[product->n - 1].elements == elements;
}

/* A cache of keys that grows by one token in each call: what it copies was there before
 * and is of no use to a kernel that makes the new part. */
static bool appends_a_little(struct finder *f, event_id op)
{
    const struct operands *o = operands_of(f, op);
    double most = 0, all = 0;
    for (int k = 0; k < o->n; k++) {
        most = o->at[k].elements > most ? o->at[k].elements : most;
        all += o->at[k].elements;
    }
    return o->n > 1 && most >= 0.9 * all;
}

static bool is_step(struct finder *f, event_id gpu, event_id op)
{
    if (op < 0)
        return false;
    unsigned call = judged(f, op, judge_operator);
    if (f->v->s->cat[gpu] != CAT_KERNEL)
        return f->v->s->cat[gpu] == CAT_MEMSET && (call & NAME_LOSS);
    unsigned kernel = judged(f, gpu, judge_kernel);
    if ((call & NAME_LIST) && appends_a_little(f, op))
        return false;
    return (call & NAME_STEP) && ((kernel & NAME_STEP) || (call & NAME_LOSS)) &&
           (!(kernel & NAME_FUSED) || (call & NAME_DROPS));
}

/* The loss whose backward pass sets its gradient to zero first, or the operator. */
static event_id loss_around(const struct finder *f, event_id op)
{
    event_id up = op;
    for (int k = 0; k < 3 && up >= 0; k++) {
        if (judged(f, up, judge_operator) & NAME_LOSS)
            return up;
        up = tree_parent(&f->v->tree, up);
    }
    return op;
}

static bool casts_parameter(const struct finder *f, event_id op)
{
    return f->v->s->name[op] == f->copy && operand_cast(f->v, op) > 0;
}

static void take(struct finder *f, event_id gpu)
{
    event_id op = view_operator(f->v, gpu);
    if (op >= 0 && casts_parameter(f, op))
        return; /* of a tensor that nothing before it made */
    if (op >= 0 && !(judged(f, op, judge_operator) & NAME_STEP))
        op = loss_around(f, op);
    if (f->v->s->cat[gpu] == CAT_MEMSET && !is_step(f, gpu, op))
        return; /* of a reduction's counters; the gradient of a loss is set to zero */
    if (!is_step(f, gpu, op)) {
        if (makes_weight(f, gpu, op))
            drop_chain(f);
        end_chain(f);
        return;
    }
    const struct operands *o = operands_of(f, op);
    unsigned call = judged(f, op, judge_operator);
    int32_t thread = f->v->s->lane[op];
    event_id before = f->n ? f->op[f->n - 1] : -1;
    if (f->n == CHAIN_KERNELS_MAX || thread != f->thread ||
        (before >= 0 && before != op &&
         ((takes_bytes(f, op) && !f->has_bytes) || separate_tensors(f, before, op) ||
          !((call & NAME_LIST) || reads_the_chain(f, o)))))
        end_chain(f);
    if (o->n == 0 && (f->n == 0 || !(call & NAME_LIST)))
        return;
    f->thread = thread;
    f->kernel[f->n] = gpu;
    f->op[f->n++] = op;
    f->has_bytes |= takes_bytes(f, op);
    for (int k = 0; k < o->n; k++)
        use_tensor(f, &o->at[k]);
    event_id up = tree_parent(&f->v->tree, op);
    if ((call | (up < 0 ? 0 : judged(f, up, judge_operator))) & NAME_LAST)
        end_chain(f);
}

/* Counted device events, a stream after the other, each by start. */
static event_id *by_stream(struct arena *tmp, const struct trace_view *v)
{
    struct sort_row *rows = arena_take_raw(tmp, sizeof *rows, 8, v->n_counted);
    event_id *events = arena_take_raw(tmp, sizeof *events, 4, v->n_counted);
    memcpy(events, v->counted, (size_t)v->n_counted * sizeof *events);
    view_sort_by_start(*tmp, v->s, events, v->n_counted);
    for (int32_t k = 0; k < v->n_counted; k++)
        rows[k] = (struct sort_row){v->s->lane[events[k]], events[k]};
    sort_rows(*tmp, rows, v->n_counted);
    for (int32_t k = 0; k < v->n_counted; k++)
        events[k] = rows[k].row;
    return events;
}

struct kernel_chains kernel_chains_find(struct arena *perm, struct arena tmp,
                                        const struct trace_view *v)
{
    const struct event_store *s = v->s;
    struct finder *f = arena_new(&tmp, struct finder, 1);
    struct kernel_chains found = {NULL, NULL, 0};
    const event_id *events = by_stream(&tmp, v);
    f->v = v;
    f->tmp = &tmp;
    f->is = arena_new(&tmp, uint8_t, s->names.n + 1);
    f->known = arena_new(&tmp, int32_t, s->names.n + 1);
    f->copy = pool_find(&s->names, S("aten::copy_"));
    arena_grow(&tmp, f->found.first, 0);
    f->found.first[0] = 0;
    for (int32_t k = 0; k < v->n_counted; k++) {
        if (k && s->lane[events[k]] != s->lane[events[k - 1]])
            end_chain(f);
        take(f, events[k]);
    }
    end_chain(f);
    found.n = f->found.n;
    found.first = arena_take_raw(perm, sizeof *found.first, 4, found.n + 1);
    memcpy(found.first, f->found.first, (size_t)(found.n + 1) * sizeof *found.first);
    found.kernels = arena_take_raw(perm, sizeof *found.kernels, 4, f->n_kernels);
    if (f->n_kernels)
        memcpy(found.kernels, f->found.kernels,
               (size_t)f->n_kernels * sizeof *found.kernels);
    return found;
}
