#include "analysis/system/value_checks.h"

#include "analysis/model/name_match.h"
#include "base/duration.h"
#include "base/name_memo.h"
#include "ops/trace_view.h"

static uint64_t compares(struct str op)
{
    return name_has(op, "aten::isnan|aten::isfinite|aten::isinf");
}

static uint64_t is_node(struct str op)
{
    return str_starts(op, S("autograd::engine::evaluate_function"));
}

/* The comparison whose result a call waits for: among the last operators before it, and
 * behind the wait before; -1. */
static event_id compared(const struct tree_index *t, event_id call, int64_t since_ns)
{
    enum { FRAMES = 40 }; /* with Python around each operator */
    static struct name_memo memo;
    const struct event_store *s = t->v->s;
    int32_t last = tree_rank(&t->frames, call);
    for (int32_t k = last - 1; k >= 0 && k >= last - FRAMES; k--) {
        event_id i = t->frames.order[k];
        if (s->lane[i] != s->lane[call] || s->start_ns[i] < since_ns)
            return -1;
        if (s->cat[i] == CAT_CPU_OP && name_memo_ask(&memo, store_name(s, i), compares))
            return i;
    }
    return -1;
}

/* Operators from the comparison to the end of the wait for its result. */
static void add_work(struct arena *perm, const struct tree_index *t, event_id compare,
                     const struct idle_span *wait, struct loop_work *w)
{
    const struct event_store *s = t->v->s;
    int32_t last = tree_rank(&t->frames, wait->event);
    for (int32_t k = tree_rank(&t->frames, compare); k < last; k = t->frames.after[k]) {
        int32_t n = 0;
        const event_id *gpu = tree_gpu_below(t, t->frames.order[k], &n);
        for (int32_t j = 0; j < n; j++) {
            arena_grow(perm, w->gpu, w->n_gpu);
            w->gpu[w->n_gpu++] = gpu[j];
            w->device_ms += ms_of(store_dur_ns(s, gpu[j]));
        }
    }
    arena_grow(perm, w->gone, w->n_gone);
    w->gone[w->n_gone++] =
        (struct host_span){wait->lane, s->start_ns[compare], wait->end_ns};
    w->saved_least_ms = w->saved_most_ms = w->device_ms;
}

static bool is_in_node(const struct tree_index *t, event_id i)
{
    enum { NEAR = 4 }; /* a hook on a gradient has operators of its own */
    static struct name_memo memo;
    for (int k = 0; i >= 0 && k < NEAR; k++, i = tree_parent(&t->frames, i))
        if (name_memo_ask(&memo, store_name(t->v->s, i), is_node))
            return true;
    return false;
}

struct value_checks value_checks_of(struct arena *perm, const struct tree_index *t,
                                    const struct idle_span *waits, int32_t n)
{
    struct value_checks c = {0};
    event_id last = -1; /* the operator of the wait before; some wait in two calls */
    for (int32_t k = 0; k < n; k++) {
        event_id op = tree_parent(&t->frames, waits[k].event);
        bool follows = k && waits[k - 1].lane == waits[k].lane;
        if (op >= 0 && op == last)
            continue;
        event_id i =
            compared(t, waits[k].event, follows ? waits[k - 1].end_ns : INT64_MIN);
        last = op;
        c.reads++;
        c.n += i >= 0;
        c.backward += i >= 0 && is_in_node(t, i);
        if (i >= 0)
            add_work(perm, t, i, &waits[k], &c.work);
    }
    return c;
}
