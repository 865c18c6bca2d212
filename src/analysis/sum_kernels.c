#include "analysis/sum_kernels.h"

#include "analysis/finding_events.h"
#include "analysis/model/name_match.h"
#include "analysis/model/number_text.h"
#include "analysis/model/work_facts.h"
#include "analysis/system/launched_within.h"
#include "base/duration.h"
#include "ops/op_tables.h"
#include "ops/trace_view.h"

#include <math.h>

struct kernels {
    const struct trace_view *v;
    uint8_t *is; /* by event */
    event_id *at;
    int32_t n;
    int64_t ns;
};

static void add(struct kernels *k, const event_id *gpu, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        if (k->is[gpu[i]])
            continue;
        k->is[gpu[i]] = 1;
        k->at[k->n++] = gpu[i];
        k->ns += store_dur_ns(k->v->s, gpu[i]);
    }
}

static void add_below(struct kernels *k, event_id i)
{
    int32_t n = 0;
    const event_id *gpu = launch_range(&k->v->launch, &k->v->tree, i, &n);
    add(k, gpu, n);
}

/* The outermost operator or backward node above a call that is about the sum. */
static event_id whole_sum(const struct trace_view *v, event_id call)
{
    event_id top = call;
    for (event_id i = call; i >= 0; i = tree_parent(&v->tree, i))
        if (name_has(store_name(v->s, i),
                     "aten::index_add|aten::scatter_add|unsafeindexbackward"))
            top = i;
    return top;
}

/* Of nested frames the outermost. */
static struct named_spans decompositions(struct arena *tmp, const struct event_store *s)
{
    struct named_spans x =
        named_spans_of(tmp, s, CAT_PYTHON, "_decomp/decompositions.py");
    int32_t n = 0;
    for (int32_t k = 0; k < x.n; k++) {
        event_id last = n ? x.at[n - 1] : -1;
        if (last < 0 || s->lane[last] != s->lane[x.at[k]] ||
            store_end_ns(s, last) <= s->start_ns[x.at[k]])
            x.at[n++] = x.at[k];
    }
    x.n = n;
    return x;
}

/* What an interpolation or padding runs as: gathers by `_unsafe_index`; where Python
 * frames are recorded, also what is computed around them. */
static void add_decomposed(struct kernels *k, struct arena tmp)
{
    const struct event_store *s = k->v->s;
    struct named_spans frames = decompositions(&tmp, s);
    for (event_id i = 0; i < s->n; i++) {
        struct arena scratch = tmp;
        int32_t n = 0;
        if (s->cat[i] != CAT_CPU_OP ||
            !(str_eq(store_name(s, i), S("aten::_unsafe_index")) ||
              (frames.n && named_spans_hold(&frames, s, i))))
            continue;
        add_below(k, i);
        const event_id *gpu = view_backward_kernels(&scratch, k->v, i, &n);
        add(k, gpu, n);
    }
}

static struct kernels kernels_of(struct arena *perm, struct arena *tmp,
                                 const struct analysis *a, const struct finding *f)
{
    const struct trace_view *v = a->tables->view;
    struct kernels k = {.v = v, .is = arena_new(tmp, uint8_t, v->s->n)};
    bool decomposed = false;
    k.at = arena_take_raw(perm, sizeof *k.at, 4, v->n_counted);
    for (event_id i = 0; i < v->s->n; i++)
        k.is[i] = 1;
    for (int32_t i = 0; i < v->n_counted; i++)
        k.is[v->counted[i]] = 0;
    for (int r = 0; r < f->n_rows; r++) {
        const struct op_group *g = f->rows[r]->group;
        decomposed |= str_starts(work_text(f->rows[r], "sum_by_index"), S("interp"));
        for (int32_t m = 0; g->members && m < g->n; m++) {
            event_id call = a->tables->judged.calls.rows[g->members[m]].event;
            if (call >= 0)
                add_below(&k, whole_sum(v, call));
        }
    }
    if (decomposed)
        add_decomposed(&k, *tmp);
    for (event_id i = 0; i < v->s->n; i++)
        k.is[i] = 0;
    for (int32_t i = 0; i < k.n; i++)
        k.is[k.at[i]] = 1;
    return k;
}

static bool is_about(const struct kernels *k, struct arena tmp,
                     const struct analysis *a, const struct finding *f)
{
    const double MOST = 0.8;
    struct device_events gpu = finding_events(&tmp, a, f);
    int64_t ns = 0, all_ns = 0;
    for (int32_t i = 0; i < gpu.n; i++) {
        int64_t own_ns = store_dur_ns(k->v->s, gpu.at[i]);
        all_ns += own_ns;
        ns += k->is[gpu.at[i]] ? own_ns : 0;
    }
    return ns > 0 && (double)ns >= MOST * (double)all_ns;
}

static void hand_over(struct analysis *a, int from, int to)
{
    for (int c = 0; c < WORK_CATEGORIES; c++)
        for (int32_t i = 0; i < a->categories[c].n_rows; i++)
            if (a->categories[c].rows[i].claimed_by == from)
                a->categories[c].rows[i].claimed_by = to;
    finding_remove(a, from);
}

static void take_all(struct arena *perm, const struct analysis *a, struct finding *f,
                     const struct kernels *k)
{
    double ms = ms_of(k->ns), more_ms = ms - f->time_ms;
    f->about = ABOUT_EVENTS;
    f->gpu = k->at;
    f->n_gpu = k->n;
    f->compute_pct *= ms / f->time_ms;
    f->total_pct *= ms / f->time_ms;
    f->time_ms = ms;
    f->issue =
        say(perm, "{} With all that belongs to it, this is {} ms ({}% of compute).",
            said(f->issue), said_ms(ms), said_pct(f->compute_pct));
    f->impact = impact_of_ms(a, f->impact.low_ms + more_ms, f->impact.high_ms + more_ms,
                             f->impact.basis);
    f->impact_kernel = f->impact;
}

void sum_kernels_join(struct arena *perm, struct arena tmp, struct analysis *a)
{
    int at = 0;
    while (at < a->n_findings &&
           !str_eq(a->findings[at].pattern, S("deterministic_sums")))
        at++;
    if (at == a->n_findings)
        return;
    struct kernels k = kernels_of(perm, &tmp, a, &a->findings[at]);
    if (!(ms_of(k.ns) > a->findings[at].time_ms))
        return;
    for (int i = a->n_findings - 1; i >= 0; i--)
        if (i != at && !a->findings[i].informational && !a->findings[i].idle &&
            is_about(&k, tmp, a, &a->findings[i])) {
            hand_over(a, i, at);
            at -= i < at;
        }
    take_all(perm, a, &a->findings[at], &k);
}
