#include "analysis/system/checkpoint_frames.h"

#include "analysis/model/name_match.h"
#include "analysis/model/system_results.h"
#include "analysis/system/loop_work.h"
#include "analysis/system/one_cause.h"
#include "base/duration.h"

#include <math.h>

static bool is_to_host(const struct event_store *s, event_id gpu)
{
    return role_way(store_role(s, gpu)) == COPY_D2H;
}

/* What a frame launches. */
struct launched_below {
    int32_t copies; /* to the host */
    double compute_ms;
};

static struct launched_below launched_of(const struct tree_index *t, event_id frame)
{
    struct launched_below x = {0};
    int32_t n = 0;
    const event_id *gpu = tree_gpu_below(t, frame, &n);
    for (int32_t k = 0; k < n; k++) {
        x.copies += is_to_host(t->v->s, gpu[k]);
        if (view_class(t->v, gpu[k]) == GPU_COMPUTE)
            x.compute_ms += ms_of(store_dur_ns(t->v->s, gpu[k]));
    }
    return x;
}

/* Gathering the parts of a sharded state computes a little. */
static bool may_save(const struct event_store *s, event_id frame,
                     const struct launched_below *x)
{
    const double MOST = 0.1;
    return x->compute_ms == 0 ||
           (name_has(store_name(s, frame), "save|checkpoint|ckpt|state_dict") &&
            x->compute_ms <= MOST * ms_of(store_dur_ns(s, frame)));
}

/* Of the frames around a gap that do not compute, the innermost with all of their
 * copies; -1. */
static event_id saving_frame(const struct tree_index *t, const struct idle_span *gap)
{
    int64_t middle_ns = gap->start_ns + (gap->end_ns - gap->start_ns) / 2;
    event_id i = gap->event;
    event_id frame = -1;
    int32_t most = 0;
    for (int k = 0; i >= 0 && k < TREE_LEVELS_MAX; k++, i = tree_above(t, i)) {
        if (t->v->s->cat[i] != CAT_PYTHON || store_end_ns(t->v->s, i) < middle_ns)
            continue;
        struct launched_below x = launched_of(t, i);
        if (!may_save(t->v->s, i, &x))
            break;
        if (x.copies > most)
            frame = i;
        most = x.copies > most ? x.copies : most;
    }
    return frame;
}

/* It stages what it copies: at the speed of pinned memory, or beside the next step. */
static void add_frame(struct arena *perm, const struct tree_index *t, event_id frame,
                      struct loop_work *w)
{
    const struct event_store *s = t->v->s;
    int32_t n = 0;
    const event_id *gpu = tree_gpu_below(t, frame, &n);
    arena_grow(perm, w->gone, w->n_gone);
    w->gone[w->n_gone++] =
        (struct host_span){s->lane[frame], s->start_ns[frame], store_end_ns(s, frame)};
    for (int32_t k = 0; k < n; k++) {
        if (!is_to_host(s, gpu[k]))
            continue;
        arena_grow(perm, w->gpu, w->n_gpu);
        w->gpu[w->n_gpu++] = gpu[k];
        w->device_ms += ms_of(store_dur_ns(s, gpu[k]));
    }
}

static struct loop_work saves_of(struct arena *perm, const struct tree_index *t,
                                 const struct idle_group *g)
{
    struct loop_work w = {0};
    for (int32_t k = 0; k < g->n_spans; k++) {
        const struct idle_span *x = &g->spans[k];
        const struct host_span *last = w.n_gone ? &w.gone[w.n_gone - 1] : NULL;
        bool known = last && last->lane == x->lane && x->start_ns < last->end_ns;
        event_id frame = known || x->event < 0 ? -1 : saving_frame(t, x);
        if (frame >= 0)
            add_frame(perm, t, frame, &w);
    }
    return w;
}

void checkpoint_finding(struct arena *perm, struct analysis *a,
                        const struct tree_index *t)
{
    const double MOST = 0.8;
    const struct copy_result *c = &a->system->multi_kernel.copies[COPY_D2H];
    struct finding *f = one_cause_of(a, S("checkpoint"));
    if (!f || !t->has_frames || !c->count)
        return;
    struct loop_work w = saves_of(perm, t, f->idle);
    if (!w.n_gpu)
        return;
    for (int k = 0; k < a->n_findings; k++)
        if (a->findings[k].copies == 1u << COPY_D2H && !a->findings[k].idle &&
            w.n_gpu >= MOST * (double)c->count) {
            one_cause_take(perm, a, f, k, c->exposed_us / 1e3);
            break;
        }
    if (!f->copies)
        return;
    w.saved_most_ms = w.device_ms;
    w.saved_least_ms = w.device_ms * (1 - fmin(1, c->slow_us / c->total_us));
    finding_ends_loops(
        f, a, &w,
        S("all that the host does there, and from copies at the speed of "
          "pinned memory to copies that the next step hides"));
}
