#include "ops/trace_view.h"

#include "base/sort.h"
#include "ops/op_row.h"
#include "ops/window_edges.h"

#include <string.h>

/* torch.utils.checkpoint runs the forward again inside a frame of this name. */
static bool is_recompute_frame(struct str name)
{
    return str_has(name, S("torch/utils/checkpoint.py")) &&
           str_has(name, S("recompute_fn"));
}

static uint8_t *mark_recompute(struct arena *perm, const struct trace_view *v)
{
    const struct event_store *s = v->s;
    uint8_t *mark = arena_new(perm, uint8_t, s->n + 1);
    for (int32_t pos = 0; pos < v->tree.n_order;) {
        event_id i = v->tree.order[pos];
        if (s->cat[i] != CAT_PYTHON || !is_recompute_frame(store_name(s, i))) {
            pos++;
            continue;
        }
        for (; pos < v->tree.after[tree_rank(&v->tree, i)]; pos++)
            mark[v->tree.order[pos]] = 1;
        int32_t n;
        const event_id *gpu = launch_range(&v->launch, &v->tree, i, &n);
        for (int32_t k = 0; k < n; k++)
            mark[gpu[k]] = 1;
    }
    return mark;
}

static void build_timelines(struct arena *perm, struct arena tmp, struct trace_view *v)
{
    const struct launch_link *l = &v->launch;
    v->window = trace_window_build(tmp, v->s, l, v->options.unlinked);
    v->counted = arena_take_raw(perm, sizeof *v->counted, 4, l->n_all);
    for (int32_t k = 0; k < l->n_all; k++)
        if (window_counts(&v->window, v->s, l, k))
            v->counted[v->n_counted++] = l->all[k];
    v->gpu_names = gpu_names_of(perm, v->s, l->all, l->n_all);
    v->device =
        gpu_timeline_build(perm, tmp, v->s, v->gpu_names, v->counted, v->n_counted);
    trace_window_find_artefact(&v->window, tmp, v->s, l, &v->waits, v->counted,
                               v->n_counted, &v->device.busy);
    if (v->window.rule == UNLINKED_IN_WINDOW)
        v->skew = start_skew_find(tmp, v->s, v->gpu_names, v->counted, v->n_counted);
    struct device_uses *devices = arena_new(perm, struct device_uses, 1);
    *devices = device_uses_of(tmp, v->s, l, v->counted, v->n_counted);
    v->devices = devices;
    v->steps = trace_steps_find(perm, tmp, v->s, l, v->counted, v->n_counted);
    v->timeline = v->device;
    window_edges_find(&v->window,
                      &(struct window_events){v->s, &v->tree, l, &v->waits, v->counted,
                                              v->n_counted, &v->steps},
                      tmp, &v->timeline);
    v->everything =
        l->n_all == v->n_counted
            ? v->device
            : gpu_timeline_build(perm, tmp, v->s, v->gpu_names, l->all, l->n_all);
    if (!v->recompute)
        return;
    event_id *part = arena_take_raw(&tmp, sizeof *part, 4, v->n_counted);
    for (int marked = 0; marked < 2; marked++) {
        int32_t n = 0;
        for (int32_t k = 0; k < v->n_counted; k++)
            if (v->recompute[v->counted[k]] == marked)
                part[n++] = v->counted[k];
        v->split[marked] = gpu_timeline_build(perm, tmp, v->s, v->gpu_names, part, n);
    }
}

static struct str lane_text(const struct event_store *s, name_id id)
{
    return id < 0 ? S("Unknown") : pool_text(&s->names, id);
}

static struct lane_names *name_lanes(struct arena *perm, const struct event_store *s)
{
    struct lane_names *names = arena_take_raw(perm, sizeof *names, 8, s->n_lanes);
    for (int32_t k = 0; k < s->n_lanes; k++)
        names[k] = (struct lane_names){lane_text(s, s->lanes[k].process_name),
                                       lane_text(s, s->lanes[k].process_label),
                                       lane_text(s, s->lanes[k].thread_name)};
    return names;
}

static void find_notes(struct arena *perm, struct trace_view *v)
{
    const struct event_store *s = v->s;
    if (!s->census.by_cat[CAT_ANNOTATION] && !s->census.by_cat[CAT_GPU_ANNOTATION])
        return;
    for (event_id i = 0; i < s->n; i++) {
        if (s->cat[i] != CAT_ANNOTATION && s->cat[i] != CAT_GPU_ANNOTATION)
            continue;
        arena_grow(perm, v->notes, v->n_notes);
        v->notes[v->n_notes++] = i;
        v->profiler_steps += s->cat[i] == CAT_ANNOTATION &&
                             str_starts(store_name(s, i), S("ProfilerStep#"));
    }
}

struct trace_view view_build(struct arena *perm, struct arena tmp,
                             const struct event_store *s, struct view_options o)
{
    struct trace_view v = {.s = s, .options = o};
    v.tree = tree_build(perm, tmp, s, o.detect_recompute ? TREE_FRAMES : TREE_OPS);
    v.launch = launch_link_build(perm, tmp, s, &v.tree,
                                 o.unlinked == UNLINKED_IN_WINDOW ? LINK_BY_IDS_TOO
                                                                  : LINK_BY_ARROWS);
    v.backward = backward_link_build(perm, tmp, s);
    v.waits = host_waits_find(perm, tmp, s, &v.tree, &v.launch);
    if (o.detect_recompute)
        v.recompute = mark_recompute(perm, &v);
    v.has_cpu_op = s->census.by_cat[CAT_CPU_OP] > 0;
    v.lanes = name_lanes(perm, s);
    find_notes(perm, &v);
    build_timelines(perm, tmp, &v);
    return v;
}

static bool is_by_start(const struct event_store *s, const event_id *events, int32_t n)
{
    int32_t sorted = 1;
    while (sorted < n && s->start_ns[events[sorted - 1]] <= s->start_ns[events[sorted]])
        sorted++;
    return sorted >= n;
}

void view_sort_by_start(struct arena tmp, const struct event_store *s, event_id *events,
                        int32_t n)
{
    if (!is_by_start(s, events, n))
        sort_ids(tmp, events, n, s->start_ns);
}

const event_id *view_kernels_by_start(struct arena *a, const struct trace_view *v,
                                      event_id i, int32_t *n)
{
    const event_id *range = launch_range(&v->launch, &v->tree, i, n);
    if (is_by_start(v->s, range, *n))
        return range;
    event_id *copy = arena_take_raw(a, sizeof *copy, 4, *n);
    memcpy(copy, range, (size_t)*n * sizeof *copy);
    sort_ids(*a, copy, *n, v->s->start_ns);
    return copy;
}

event_id *view_backward_kernels(struct arena *a, const struct trace_view *v, event_id i,
                                int32_t *n)
{
    int32_t rank = tree_rank(&v->tree, i), total = 0;
    event_id *to = NULL;
    /* Two passes over the subtree: count, then copy. */
    for (int pass = 0; pass < 2; pass++) {
        if (pass)
            to = arena_take_raw(a, sizeof *to, 4, total);
        total = 0;
        for (int32_t pos = rank; pos >= 0 && pos < v->tree.after[rank]; pos++) {
            event_id b = backward_node(&v->backward, v->tree.order[pos]);
            int32_t k = 0;
            const event_id *range =
                b < 0 ? NULL : launch_range(&v->launch, &v->tree, b, &k);
            if (pass && k)
                memcpy(to + total, range, (size_t)k * sizeof *to);
            total += k;
        }
    }
    *n = total;
    view_sort_by_start(*a, v->s, to, total);
    return to;
}

int64_t view_total_ns(const struct trace_view *v)
{
    return v->timeline.total_ns - v->window.artefact_ns - v->skew.ns;
}

int64_t view_idle_ns(const struct trace_view *v)
{
    return v->timeline.idle_ns - v->window.artefact_ns;
}

int64_t view_own_ns(const struct trace_view *v, event_id gpu)
{
    return store_dur_ns(v->s, gpu) - (gpu == v->skew.first ? v->skew.ns : 0);
}

int64_t view_exposed_comm_ns(const struct trace_view *v)
{
    return v->timeline.exposed_comm_ns - v->skew.ns;
}

int64_t view_device_ns(const struct trace_view *v)
{
    return v->device.total_ns - v->window.artefact_ns;
}

int64_t view_stream(const struct event_store *s, event_id gpu)
{
    int64_t stream = store_stream(s, gpu);
    return stream != NO_ID ? stream : -1;
}

event_id view_operator(const struct trace_view *v, event_id gpu)
{
    event_id call = launch_call(&v->launch, gpu);
    return call < 0 ? -1 : tree_operator(v->s, &v->tree, call);
}
