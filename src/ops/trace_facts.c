#include "ops/trace_facts.h"

#include "ops/op_calls.h"
#include "ops/trace_view.h"
#include "ops/window_edges.h"

static struct wall_time wall_time_of(const struct gpu_timeline *g, int64_t artefact_ns,
                                     int64_t skew_ns)
{
    return (struct wall_time){.total_ns = g->total_ns - artefact_ns - skew_ns,
                              .computation_ns = g->computation_ns,
                              .exposed_comm_ns = g->exposed_comm_ns - skew_ns,
                              .exposed_memcpy_ns = g->exposed_memcpy_ns,
                              .idle_ns = g->idle_ns - artefact_ns,
                              .busy_ns = g->busy_ns - skew_ns,
                              .total_comm_ns = g->total_comm_ns - skew_ns,
                              .total_memcpy_ns = g->total_memcpy_ns,
                              .n_events = g->n_events};
}

/* A new iterator over a DataLoader draws the seed of its workers, by this operator. */
static bool starts_loader(const struct trace_view *v)
{
    const struct event_store *s = v->s;
    name_id seed = 0;
    while (seed < s->names.n && !str_eq(pool_text(&s->names, seed), S("aten::random_")))
        seed++;
    for (event_id i = 0; seed < s->names.n && i < s->n; i++)
        if (s->name[i] == seed && s->start_ns[i] < v->device.start_ns)
            return true;
    return false;
}

/* The earliest event, graph launches, and the lengths of the steps. */
static void look_at_events(struct arena tmp, const struct trace_view *v,
                           struct trace_facts *f)
{
    const struct event_store *s = v->s;
    double *ms = arena_take_raw(&tmp, sizeof *ms, 8, v->steps.n);
    const struct gpu_timeline *window = &v->timeline;
    int64_t last_ns = INT64_MIN;
    f->has_events = s->n > 0;
    f->first_ns = INT64_MAX;
    for (event_id i = 0; i < s->n; i++) {
        f->first_ns = s->start_ns[i] < f->first_ns ? s->start_ns[i] : f->first_ns;
        last_ns = store_end_ns(s, i) > last_ns ? store_end_ns(s, i) : last_ns;
        f->graph_launches += cat_is_runtime(s->cat[i]) && launch_is_graph(s, i);
    }
    if (f->has_events)
        f->before_ns = f->host_ns = last_ns - f->first_ns;
    if (v->n_counted) {
        f->before_ns = window->start_ns - f->first_ns;
        f->after_ns = last_ns - window->start_ns - window->total_ns;
    }
    for (int32_t k = 0; k < v->n_notes; k++)
        f->n_data_waits += s->cat[v->notes[k]] == CAT_ANNOTATION &&
                           window_is_data_wait(store_name(s, v->notes[k]));
    f->loader_starts =
        f->begin != WINDOW_FROM_DEVICE && !v->steps.marked && starts_loader(v);
    for (int32_t k = 0; k < v->steps.n; k++)
        ms[k] = (double)v->steps.rows[k].dur_ns / 1e6;
    f->steps = v->steps;
    f->step_ms = stats_of(ms, v->steps.n);
    f->shapes_hidden = s->shapes_hidden;
    for (int32_t i = 0; i < s->n_texts && !f->has_shapes; i++)
        f->has_shapes = s->texts[i].dims >= 0;
}

static bool is_replayed(const struct trace_view *v, event_id gpu)
{
    event_id call = launch_call(&v->launch, gpu);
    return call >= 0 && launch_is_graph(v->s, call);
}

/* Kernels replayed by graphs have no shapes; a separate check covers them. */
static void look_at_graphs_and_shapes(const struct trace_view *v,
                                      const struct op_calls *calls,
                                      struct trace_facts *f)
{
    for (int32_t k = 0; k < v->n_counted; k++) {
        event_id gpu = v->counted[k];
        if (v->s->cat[gpu] != CAT_KERNEL)
            continue;
        f->kernel_ns += store_dur_ns(v->s, gpu);
        f->graph_ns += is_replayed(v, gpu) ? store_dur_ns(v->s, gpu) : 0;
        if (v->s->lender && view_issue(v, gpu) != launch_call(&v->launch, gpu))
            f->lent_ns += store_dur_ns(v->s, gpu);
    }
    for (int32_t k = 0; k < calls->n; k++) {
        const struct op_call_row *row = &calls->rows[k];
        const struct op_texts *t = store_texts(v->s, row->event);
        if (row->n_kernels && is_replayed(v, row->kernels[0]))
            continue;
        f->launched_ns += row->direct_ns;
        f->shaped_ns += t && t->dims >= 0 ? row->direct_ns : 0;
    }
}

/* Whether the clocks of host and device agree, and how long the device is busy only
 * with events without a launch call. */
static void look_at_links(struct arena tmp, const struct trace_view *v,
                          struct trace_facts *f)
{
    const struct launch_link *l = &v->launch;
    event_id *rest = arena_take_raw(&tmp, sizeof *rest, 4, l->n_all);
    int32_t n_rest = 0;
    for (int32_t k = 0; k < l->n_all; k++) {
        if (l->call[k] >= 0 || window_is_backlog(&v->window, v->s, l, k))
            rest[n_rest++] = l->all[k];
        if (l->call[k] < 0)
            continue;
        f->n_linked++;
        int64_t ahead = v->s->start_ns[l->call[k]] - v->s->start_ns[l->all[k]];
        f->early += ahead > 0;
        f->earliest_ns = ahead > f->earliest_ns ? ahead : f->earliest_ns;
    }
    f->n_device = l->n_all;
    f->busy_ns = v->everything.busy_ns;
    if (f->n_unlinked)
        f->unlinked_ns = f->busy_ns - busy_ns(tmp, v->s, rest, n_rest);
}

/* A host that waits for the device before any recorded work is launched waits for what
 * is not in the trace. */
static void look_at_early_waits(const struct trace_view *v, struct trace_facts *f)
{
    const struct event_store *s = v->s;
    int64_t first_ns = INT64_MAX;
    for (int32_t k = 0; k < v->launch.n_all; k++) {
        event_id gpu = v->launch.all[k], call = v->launch.call[k];
        int64_t ns = s->start_ns[gpu];
        ns = call >= 0 && s->start_ns[call] < ns ? s->start_ns[call] : ns;
        first_ns = ns < first_ns ? ns : first_ns;
    }
    for (int32_t k = 0; v->launch.n_all && k < v->waits.n; k++) {
        const struct wait_span *w = &v->waits.at[k];
        enum wait_kind kind = role_wait(store_role(s, w->call));
        int64_t ns = (w->end_ns < first_ns ? w->end_ns : first_ns) - w->start_ns;
        if ((kind != WAITS_SOME && kind != WAITS_ALL) || ns < EARLY_WAIT_NS ||
            ns <= f->early_wait_ns)
            continue;
        f->early_wait_ns = ns;
        f->early_wait = store_name(s, w->call);
    }
}

static int count_devices(const struct trace_view *v)
{
    enum { MAX_PIDS = 64 };
    name_id pids[MAX_PIDS];
    int n = 0;
    for (int32_t k = 0; k < v->launch.n_all && n < MAX_PIDS; k++) {
        name_id pid = v->s->lanes[v->s->lane[v->launch.all[k]]].pid;
        bool known = false;
        for (int i = 0; i < n && !known; i++)
            known = pids[i] == pid;
        if (!known)
            pids[n++] = pid;
    }
    return n;
}

static void look_at_categories(const struct event_store *s, struct trace_facts *f)
{
    _Static_assert((int)UNKNOWN_CATS == (int)UNKNOWN_CATS_NAMED, "as many as are kept");
    f->n_unknown = s->census.n_unknown;
    for (int k = 0; k < UNKNOWN_CATS && s->census.unknown[k].n; k++) {
        f->unknown[k] = pool_text(&s->names, s->census.unknown[k].name);
        f->unknown_n[k] = s->census.unknown[k].n;
    }
}

/* Before there were frames, each operator had the text of its stack. */
static bool names_callers(const struct event_store *s)
{
    bool found = false;
    for (int32_t k = 0; k < s->n_more && !found && !s->census.by_cat[CAT_PYTHON]; k++)
        found = s->more[k].call_stack >= 0;
    return found;
}

/* Operators, or kernels of its library. */
static bool is_pytorch(const struct event_store *s)
{
    bool found = s->census.by_cat[CAT_CPU_OP] > 0;
    for (name_id i = 0; i < s->names.n && !found; i++) {
        struct str name = pool_text(&s->names, i);
        found = str_has(name, S("at::native")) || str_has(name, S("c10::"));
    }
    return found;
}

struct trace_facts trace_facts_of(struct arena tmp, const struct trace_view *v,
                                  const struct op_calls *launchers)
{
    const struct event_store *s = v->s;
    const struct store_census *c = &s->census;
    struct trace_facts f = {
        .machine = &s->machine,
        .trace_bytes = s->trace_bytes,
        .n_events = c->n_events,
        .has_cpu_op = v->has_cpu_op,
        .has_frames = c->by_cat[CAT_PYTHON] > 0,
        .n_frames = c->by_cat[CAT_PYTHON],
        .names_callers = names_callers(s),
        .has_recompute = v->recompute != NULL,
        .unlinked = v->window.rule,
        .n_backlog = v->window.n_backlog,
        .n_unlinked = v->window.n_unlinked,
        .backlog_ns = v->window.backlog_ns,
        .recording_ns = v->everything.total_ns,
        .artefact_ns = v->window.artefact_ns,
        .artefact_from_ns = v->window.artefact_ns
                                ? v->window.artefact_from_ns - v->timeline.start_ns
                                : 0,
        .queued_ns = v->window.queued_ns,
        .skew_ns = v->skew.ns,
        .first_collective_ns = v->skew.first_ns,
        .expected_collective_ns = v->skew.expected_ns,
        .skew_has_size = v->skew.has_size,
        .n_collectives = v->skew.n,
        .time = wall_time_of(&v->timeline, v->window.artefact_ns, v->skew.ns),
        .device_time = wall_time_of(&v->device, v->window.artefact_ns, 0),
        .begin = v->window.begin,
        .lead_ns = v->window.lead_ns,
        .tail_ns = v->window.tail_ns,
        .split = {wall_time_of(&v->split[0], 0, 0), wall_time_of(&v->split[1], 0, 0)},
        .unclosed = c->unclosed_array,
        .saw_nan = c->saw_nan,
        .without_times = c->without_start + c->without_duration + c->negative_duration +
                         c->without_phase + c->out_of_bounds,
        .out_of_bounds = c->out_of_bounds,
        .crossing = v->tree.n_dropped,
        .duplicate_links = v->launch.n_duplicates,
        .cut_names = c->cut_names,
        .repaired_names = c->repaired_names,
        .n_devices = count_devices(v),
        .devices = v->devices,
        .kind = trace_kind_of(s),
    };
    f.abilities = abilities_on(s->abilities, f.kind.vendor);
    if (abilities_of(f.abilities)->native && !is_pytorch(s))
        f.abilities = f.abilities->native;
    f.kernels_alone =
        !abilities_of(f.abilities)->is_torch && c->by_cat[CAT_KERNEL] > 0 &&
        c->by_cat[CAT_MEMCPY] + c->by_cat[CAT_MEMSET] + c->by_cat[CAT_RUNTIME] +
                c->by_cat[CAT_DRIVER] + c->by_cat[CAT_CPU_OP] ==
            0;
    look_at_categories(s, &f);
    look_at_events(tmp, v, &f);
    look_at_graphs_and_shapes(v, launchers, &f);
    look_at_links(tmp, v, &f);
    look_at_early_waits(v, &f);
    return f;
}

struct traced_device trace_device(const struct machine *m)
{
    struct machine_device first = machine_first(m);
    return (struct traced_device){.name = first.name,
                                  .bytes = first.memory_bytes,
                                  .compute_units = first.compute_units,
                                  .generation = first.generation};
}

struct str trace_device_name(const struct trace_facts *f)
{
    return trace_device(f->machine).name;
}
