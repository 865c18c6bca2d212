#include "analysis/system/sync_norm.h"

#include "analysis/model/name_match.h"
#include "base/name_memo.h"
#include "base/value.h"
#include "ops/trace_view.h"

static uint64_t is_layer(struct str name)
{
    return name_has(name, "SyncBatchNorm");
}

/* The outermost operator of such a layer around a call; -1. */
static event_id layer_around(const struct trace_view *v, event_id call)
{
    static struct name_memo memo;
    event_id layer = -1;
    for (int k = 0; call >= 0 && k < TREE_LEVELS_MAX; k++) {
        if (name_memo_ask(&memo, store_name(v->s, call), is_layer))
            layer = call;
        call = tree_parent(&v->tree, call);
    }
    return layer;
}

/* Of its input, N of [N, C, ...]; 0: not recorded. */
static int64_t samples_of(const struct trace_view *v, event_id layer)
{
    const struct op_texts *t = store_texts(v->s, layer);
    if (!t || t->dims < 0)
        return 0;
    const struct value *input = value_at(store_value(v->s, t->dims), 0),
                       *n = value_at(input, 0);
    bool known = value_count(input) > 1 && value_is_whole(n) && n->number > 0 &&
                 n->number < (double)(1 << 30);
    return known ? (int64_t)n->number : 0;
}

struct sync_norm sync_norm_find(struct arena tmp, const struct trace_view *v,
                                const uint8_t *kind, struct interval_set compute)
{
    struct sync_norm n = {0};
    struct span *spans = arena_take_raw(&tmp, sizeof *spans, 8, v->n_counted);
    for (int32_t k = 0; k < v->n_counted; k++) {
        event_id g = v->counted[k], call = launch_call(&v->launch, g), layer;
        if (kind[k] >= COMM_KINDS || call < 0 || (layer = layer_around(v, call)) < 0)
            continue;
        spans[n.count++] = (struct span){v->s->start_ns[g], store_end_ns(v->s, g)};
        n.samples = n.samples ? n.samples : samples_of(v, layer);
    }
    struct interval_set busy = interval_union(tmp, spans, n.count);
    n.exposed_us =
        (double)interval_length_ns(interval_minus(&tmp, busy, compute)) / 1e3;
    return n;
}
