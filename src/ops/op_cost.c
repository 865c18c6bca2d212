#include "ops/op_cost.h"

#include <stdlib.h>
#include <string.h>

static void sort_annotations(struct cost_cache *c)
{
    const struct event_store *s = c->v->s;
    int32_t n = 0;
    for (event_id i = 0; i < s->n; i++)
        n += s->cat[i] == CAT_ANNOTATION || s->cat[i] == CAT_GPU_ANNOTATION;
    c->annotations = arena_take_raw(c->perm, sizeof *c->annotations, 4, n);
    for (event_id i = 0; i < s->n; i++)
        if (s->cat[i] == CAT_ANNOTATION || s->cat[i] == CAT_GPU_ANNOTATION)
            c->annotations[c->n_annotations++] = i;
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
    *c = (struct cost_cache){.perm = perm, .v = v};
    pool_open(&c->keys);
    pool_open(&c->model_keys);
    sort_annotations(c);
}

void cost_cache_close(struct cost_cache *c)
{
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
    const struct event_store *s = c->v->s;
    if (!str_starts(store_name(s, i), S("vllm::unified_attention_with_output")))
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

static struct op_call call_of(const struct cost_cache *c, event_id i)
{
    const struct event_store *s = c->v->s;
    return (struct op_call){.name = store_name(s, i),
                            .args = store_args(s, store_texts(s, i))};
}

const struct perf_model *cost_model(struct cost_cache *c, event_id i)
{
    int32_t key[2] = {c->v->s->name[i], store_texts_row(c->v->s, i)};
    name_id id = pool_add(&c->model_keys, (struct str){(const char *)key, sizeof key});
    if (id < c->n_models)
        return c->model[id];
    if (id >= c->model_cap) {
        c->model_cap = 2 * id + 256;
        c->model = realloc(c->model, (size_t)c->model_cap * sizeof *c->model);
        if (!c->model)
            arena_full();
    }
    struct op_call call = call_of(c, i);
    const struct cost_override *o = c->override;
    const struct perf_model *m = o ? o->find(o->context, &call) : NULL;
    c->model[id] = m ? m : perf_model_of_call(&call);
    c->n_models = id + 1; /* ids count up */
    return c->model[id];
}

static const struct perf_cost *evaluate(struct cost_cache *c, event_id i,
                                        enum perf_direction d, name_id annotation,
                                        const event_id *kernels, int32_t n)
{
    const struct event_store *s = c->v->s;
    struct perf_cost *cost = arena_new(c->perm, struct perf_cost, 1);
    struct op_call call = call_of(c, i);
    struct str *names = arena_new(c->perm, struct str, n);
    for (int32_t k = 0; k < n; k++)
        names[k] = store_name(s, kernels[k]);
    call.kernels = names;
    call.n_kernels = n;
    if (annotation != -1)
        call.annotation = annotation < 0 ? S("NA") : pool_text(&s->names, annotation);
    struct op_call forward;
    event_id forward_event = backward_forward(&c->v->backward, i);
    if (forward_event >= 0) {
        forward = call_of(c, forward_event);
        call.forward = &forward;
    }
    perf_cost_of(c->perm, cost_model(c, i), &call, d, cost);
    return cost;
}

const struct perf_cost *cost_of(struct cost_cache *c, event_id i, enum perf_direction d,
                                const event_id *kernels, int32_t n)
{
    /* Everything a model may read, as a key: calls with equal keys cost the same. */
    struct arena tmp = *c->perm;
    int32_t *key = arena_take_raw(&tmp, sizeof *key, 4, 5 + n);
    event_id forward = backward_forward(&c->v->backward, i);
    name_id annotation = annotation_of(c, i);
    key[0] = c->v->s->name[i];
    key[1] = store_texts_row(c->v->s, i);
    key[2] = annotation;
    key[3] = (int32_t)d;
    key[4] = forward < 0 ? -1 : store_texts_row(c->v->s, forward);
    for (int32_t k = 0; k < n; k++)
        key[5 + k] = c->v->s->name[kernels[k]];
    name_id id = pool_add(
        &c->keys, (struct str){(const char *)key, (5 + n) * (ptrdiff_t)sizeof *key});
    if (id >= c->cost_cap) {
        int32_t cap = id ? 2 * id : 256;
        c->cost = realloc(c->cost, (size_t)cap * sizeof *c->cost);
        if (!c->cost)
            arena_full();
        memset(c->cost + c->cost_cap, 0, (size_t)(cap - c->cost_cap) * sizeof *c->cost);
        c->cost_cap = cap;
    }
    if (!c->cost[id])
        c->cost[id] = evaluate(c, i, d, annotation, kernels, n);
    return c->cost[id];
}
