#include "ops/op_cost.h"

#include "perf/own/own_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void sort_annotations(struct cost_cache *c)
{
    const struct event_store *s = c->v->s;
    int32_t n = c->n_annotations = c->v->n_notes;
    c->annotations = arena_take_raw(c->perm, sizeof *c->annotations, 4, n);
    if (n)
        memcpy(c->annotations, c->v->notes, (size_t)n * sizeof *c->annotations);
    view_sort_by_start(*c->perm, s, c->annotations, n);
    c->ends = arena_take_raw(c->perm, sizeof *c->ends, 8, n);
    for (int32_t k = 0; k < n; k++) {
        int64_t end = store_end_ns(s, c->annotations[k]);
        c->ends[k] = k && c->ends[k - 1] > end ? c->ends[k - 1] : end;
    }
}

void cost_cache_open(struct cost_cache *c, struct arena *perm,
                     const struct trace_view *v)
{
    *c = (struct cost_cache){
        .perm = perm, .tmp = arena_reserve(arena_machine_bytes() / 8), .v = v};
    pool_open(&c->keys);
    pool_open(&c->model_keys);
    c->reads_note = arena_new(perm, uint8_t, v->s->names.n + 1);
    sort_annotations(c);
}

void cost_cache_close(struct cost_cache *c)
{
    arena_release(c->tmp.at, &c->tmp);
    free(c->cost);
    free(c->model);
    pool_close(&c->keys);
    pool_close(&c->model_keys);
    *c = (struct cost_cache){0};
}

/* vLLM describes each step in the name of an annotation, which its attention model
 * reads: the first annotation around the call. It is the first at which the latest end
 * so far passes the end of the call. */
static name_id annotation_of(const struct cost_cache *c, event_id i)
{
    enum { UNKNOWN, READS, READS_NONE };
    const struct event_store *s = c->v->s;
    struct str name = store_name(s, i);
    uint8_t *reads = &c->reads_note[s->name[i]];
    if (*reads == UNKNOWN)
        *reads = str_starts(name, S("vllm::unified_attention_with_output")) ||
                         str_has(name, S("_C::paged_attention"))
                     ? READS
                     : READS_NONE;
    if (*reads == READS_NONE)
        return -1;
    int64_t end = store_end_ns(s, i);
    int32_t low = 0, high = c->n_annotations;
    while (low < high) {
        int32_t mid = low + (high - low) / 2;
        if (c->ends[mid] > end)
            high = mid;
        else
            low = mid + 1;
    }
    if (low == c->n_annotations || s->start_ns[c->annotations[low]] > s->start_ns[i])
        return -2; /* looked for, none found */
    return s->name[c->annotations[low]];
}

static struct op_call call_of(const struct cost_cache *c, struct arena *a, event_id i)
{
    const struct event_store *s = c->v->s;
    return (struct op_call){.name = store_name(s, i),
                            .args = store_args_apart(s, store_texts(s, i), a)};
}

static const struct perf_model *find_model(struct cost_cache *c, event_id i,
                                           const int32_t key[2])
{
    name_id id =
        pool_add(&c->model_keys, (struct str){(const char *)key, 2 * sizeof *key});
    if (id < c->n_models)
        return c->model[id];
    if (id >= c->model_cap) {
        c->model_cap = 2 * id + 256;
        c->model = realloc(c->model, (size_t)c->model_cap * sizeof *c->model);
        if (!c->model)
            arena_full();
    }
    struct arena tmp = c->tmp;
    struct op_call call = call_of(c, &tmp, i);
    const struct cost_override *o = c->override;
    const struct perf_model *m = o ? o->find(o->context, &call) : NULL;
    c->model[id] = m ? m : perf_model_of_call(&call);
    c->n_models = id + 1; /* ids count up */
    return c->model[id];
}

const struct perf_model *cost_model(struct cost_cache *c, event_id i)
{
    int32_t key[2] = {c->v->s->name[i], store_texts_row(c->v->s, i)};
    struct recent_model *r =
        &c->recent[((uint32_t)key[0] * 31u + (uint32_t)key[1]) % RECENT_MODELS];
    if (!r->known || r->name != key[0] || r->texts != key[1])
        *r = (struct recent_model){key[0], key[1], true, find_model(c, i, key)};
    return r->model;
}

/* A call with all that its model may read; points into itself. */
struct full_call {
    struct op_call call, forward, caller;
};

static void full_call_of(struct cost_cache *c, struct arena *a, event_id i,
                         const event_id *kernels, int32_t n, struct full_call *f)
{
    const struct event_store *s = c->v->s;
    struct str *names = arena_new(a, struct str, n);
    for (int32_t k = 0; k < n; k++)
        names[k] = store_name(s, kernels[k]);
    f->call = call_of(c, a, i);
    f->call.kernels = names;
    f->call.n_kernels = n;
    name_id annotation = annotation_of(c, i);
    if (annotation != -1)
        f->call.annotation =
            annotation < 0 ? S("NA") : pool_text(&s->names, annotation);
    event_id forward = backward_forward(&c->v->backward, i);
    if (forward >= 0) {
        f->forward = call_of(c, a, forward);
        f->call.forward = &f->forward;
    }
}

static event_id caller_of(const struct cost_cache *c, event_id i)
{
    event_id up = tree_parent(&c->v->tree, i);
    return up >= 0 && c->v->s->cat[up] == CAT_CPU_OP ? up : -1;
}

/* Everything a model may read, as a key: calls with equal keys cost the same. The place
 * of its cost, which is NULL if it is new. */
static const struct perf_cost **slot_of(struct cost_cache *c, event_id i, int how,
                                        const event_id *kernels, int32_t n)
{
    enum { HEAD = 7 };
    struct arena tmp = c->tmp;
    int32_t *key = arena_take_raw(&tmp, sizeof *key, 4, HEAD + n);
    const struct event_store *s = c->v->s;
    event_id forward = backward_forward(&c->v->backward, i), caller = caller_of(c, i);
    bool own = how > (int)PERF_BACKWARD;
    key[0] = s->name[i];
    key[1] = store_texts_row(s, i);
    key[2] = annotation_of(c, i);
    key[3] = how;
    key[4] = forward < 0 ? -1 : store_texts_row(s, forward);
    key[5] = own && caller >= 0 ? s->name[caller] : -1;
    key[6] = own && caller >= 0 ? store_texts_row(s, caller) : -1;
    for (int32_t k = 0; k < n; k++)
        key[HEAD + k] = s->name[kernels[k]];
    name_id id = pool_add(
        &c->keys, (struct str){(const char *)key, (HEAD + n) * (ptrdiff_t)sizeof *key});
    if (id >= c->cost_cap) {
        int32_t cap = id ? 2 * id : 256;
        c->cost = realloc(c->cost, (size_t)cap * sizeof *c->cost);
        if (!c->cost)
            arena_full();
        memset(c->cost + c->cost_cap, 0, (size_t)(cap - c->cost_cap) * sizeof *c->cost);
        c->cost_cap = cap;
    }
    return &c->cost[id];
}

static bool is_scratch(const struct cost_cache *c, const char *p)
{
    return p >= c->tmp.at && p < c->tmp.end;
}

static struct str keep_text(struct cost_cache *c, struct str s)
{
    return is_scratch(c, s.p) ? str_copy(c->perm, s) : s;
}

/* Those of our own models are literals. */
static const char *keep_key(struct cost_cache *c, const char *key)
{
    return is_scratch(c, key) ? str_c(c->perm, str_of(key)) : key;
}

/* A cost without what its model needed on the way. */
static const struct perf_cost *keep(struct cost_cache *c, const struct perf_cost *made)
{
    struct perf_cost *cost = arena_new(c->perm, struct perf_cost, 1);
    *cost = *made;
    if (!str_eq(c->spec, made->compute_spec))
        c->spec = keep_text(c, made->compute_spec);
    cost->compute_spec = c->spec;
    cost->params = arena_take_raw(c->perm, sizeof *cost->params, 8, made->n_params);
    for (int k = 0; k < made->n_params; k++) {
        cost->params[k] = made->params[k];
        cost->params[k].key = keep_key(c, made->params[k].key);
        cost->params[k].text = keep_text(c, perf_param_str(&made->params[k])).p;
    }
    return cost;
}

const struct perf_cost *cost_of(struct cost_cache *c, event_id i, enum perf_direction d,
                                const event_id *kernels, int32_t n)
{
    const struct perf_cost **slot = slot_of(c, i, (int)d, kernels, n);
    if (!*slot) {
        struct arena tmp = c->tmp;
        struct perf_cost cost;
        struct full_call f;
        const struct perf_model *m = cost_model(c, i);
        full_call_of(c, &tmp, i, kernels, n, &f);
        perf_cost_of(&tmp, m, &f.call, d, &cost);
        if (m != perf_model_of_call(&f.call))
            cost.origin = PERF_OF_EXTENSION;
        *slot = keep(c, &cost);
    }
    return *slot;
}

static bool is_usable(const struct perf_cost *cost)
{
    return cost && cost->status == PERF_OK && isfinite(cost->byte);
}

/* First the reference's model, if strides were all that it lacked; then one of ours. */
static bool evaluate_own(struct arena *a, const struct perf_model *m,
                         enum perf_direction d, struct op_call *call,
                         struct perf_cost *out)
{
    const struct perf_model *own = own_model_of(call->name);
    if (m && !call->args.strides && call->args.dims) {
        call->assume_dense = true;
        perf_cost_of(a, m, call, d, out);
        out->assumed_dense = true;
        if (is_usable(out) && out->byte >= 0)
            return true;
    }
    if (!own || d != PERF_FORWARD)
        return false;
    perf_cost_of(a, own, call, d, out);
    return is_usable(out) && out->byte >= 0; /* sizes of a trace may be negative */
}

const struct perf_cost *cost_of_own(struct cost_cache *c, event_id i,
                                    enum perf_direction d, const event_id *kernels,
                                    int32_t n, const struct perf_cost *reference)
{
    enum { OWN_HOW = 2 };
    if (is_usable(reference) || (reference && reference->status == PERF_DROP))
        return reference;
    struct arena tmp = c->tmp;
    const struct perf_model *m = cost_model(c, i);
    struct op_call plain = call_of(c, &tmp, i);
    if ((!m && !own_model_of(plain.name)) || (m && m != perf_model_of_call(&plain)))
        return reference; /* unknown, or described by an extension */
    const struct perf_cost **slot = slot_of(c, i, OWN_HOW + (int)d, kernels, n);
    if (*slot)
        return (*slot)->status == PERF_OK ? *slot : reference;
    struct perf_cost cost;
    struct full_call f;
    full_call_of(c, &tmp, i, kernels, n, &f);
    event_id caller = caller_of(c, i);
    if (caller >= 0) {
        f.caller = call_of(c, &tmp, caller);
        f.call.caller = &f.caller;
    }
    if (!evaluate_own(&tmp, m, d, &f.call, &cost)) {
        cost = (struct perf_cost){.status = PERF_FAIL};
    } else if (reference && reference->status == PERF_OK) {
        double byte = cost.byte; /* its FLOP and parameters stand */
        cost = *reference;
        cost.byte = byte;
        cost.origin = PERF_OWN_BYTES;
    } else {
        cost.origin = PERF_OWN;
    }
    *slot = keep(c, &cost);
    return cost.status == PERF_OK ? *slot : reference;
}
