#include "capture/trace_capture.h"

#include "analysis/facts/work_category.h"
#include "analysis/trace_analyse.h"
#include "base/int_map.h"
#include "base/name_pool.h"
#include "base/out.h"
#include "base/python_text.h"
#include "base/sort.h"
#include "base/version.h"
#include "capture/call_durations.h"
#include "capture/capture.h"
#include "capture/capture_names.h"
#include "capture/capture_parts.h"
#include "capture/measured.h"
#include "capture/waterfall.h"
#include "tree/call_tree.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Where calls are made from: modules and operators, layers folded.
 *
 * A path is a node of a tree whose root is the recording. Frames of plain functions are
 * not told, and "nn.Module: Attention_3" is Attention: layers are alike. */
struct capture_paths {
    struct arena *perm;
    const struct event_store *s;
    const struct call_tree *tree;
    struct capture *c;
    struct name_pool names;
    struct int_map children; /* by parent and name: the node */
    uint16_t *node_of;       /* by event, plus 1; 0: not yet known */
    event_id *chain;
    int32_t chain_cap;
};

/* The paths of a program are some hundreds; what recurses is cut here. */
enum { NODES_MAX = 4000, DEPTH_MAX = CAPTURE_DEPTH_MAX };
static_assert(NODES_MAX < UINT16_MAX, "a node fits");

/* "nn.Module: Attention" of "nn.Module: Attention_3". */
static struct str without_index(struct str name)
{
    ptrdiff_t n = name.n;
    while (n > 0 && name.p[n - 1] >= '0' && name.p[n - 1] <= '9')
        n--;
    return n > 0 && n < name.n && name.p[n - 1] == '_' ? str_head(name, n - 1) : name;
}

static bool is_told(const struct event_store *s, event_id i, bool *module)
{
    *module = s->cat[i] == CAT_PYTHON;
    return s->cat[i] == CAT_CPU_OP ||
           (*module && str_starts(store_name(s, i), CAPTURE_MODULE_MARK));
}

static void add_node(struct capture_paths *p, struct capture_node node)
{
    arena_grow(p->perm, p->c->nodes, p->c->n_nodes);
    p->c->nodes[p->c->n_nodes++] = node;
}

/* Adds the root to the capture, and nodes as they are asked for. `node_of` lives in
 * tmp. */
static struct capture_paths paths_open(struct arena *perm, struct arena *tmp,
                                       const struct event_store *s,
                                       const struct call_tree *tree, struct capture *c)
{
    struct capture_paths p = {.perm = perm, .s = s, .tree = tree, .c = c};
    pool_open(&p.names);
    p.children = int_map_make(perm, 256);
    p.node_of = arena_new(tmp, uint16_t, s->n);
    add_node(&p, (struct capture_node){.parent = -1});
    return p;
}

static void paths_close(struct capture_paths *p)
{
    pool_close(&p->names);
}

static int32_t child_of(struct capture_paths *p, int32_t parent, struct str name,
                        bool module)
{
    int64_t key = (int64_t)parent << 32 | pool_add_lasting(&p->names, name);
    int32_t *at = int_map_at(&p->children, p->perm, key);
    const struct capture_node *above = &p->c->nodes[parent];
    if (*at >= 0)
        return *at;
    if (p->c->n_nodes >= NODES_MAX || above->depth >= DEPTH_MAX)
        return *at = parent;
    *at = p->c->n_nodes;
    add_node(p, (struct capture_node){parent, above->depth + 1, name, module});
    return *at;
}

/* The node that an event lies in: its own, if it is an operator or a module; 0: none.
 */
static int32_t paths_node(struct capture_paths *p, event_id event)
{
    event_id i = event;
    int32_t n = 0;
    for (; i >= 0 && !p->node_of[i]; i = tree_parent(p->tree, i)) {
        if (n == p->chain_cap) {
            event_id *more =
                arena_take_raw(p->perm, sizeof *more, 4, 2 * (ptrdiff_t)n + 64);
            if (n)
                memcpy(more, p->chain, (size_t)n * sizeof *more);
            p->chain = more;
            p->chain_cap = 2 * n + 64;
        }
        p->chain[n++] = i;
    }
    int32_t node = i < 0 ? 0 : p->node_of[i] - 1;
    while (n-- > 0) {
        bool module;
        i = p->chain[n];
        if (is_told(p->s, i, &module))
            node = child_of(p, node, without_index(store_name(p->s, i)), module);
        p->node_of[i] = (uint16_t)(node + 1);
    }
    return node;
}

/* Added to a time of the trace it still fits. */
static const int64_t BASE_MAX_NS = INT64_C(1) << 62;

struct maker {
    struct arena *perm, *tmp; /* tmp: of what finds rows and texts */
    const struct trace_result *t;
    const struct event_store *s;
    const struct launch_link *l;
    struct capture *c;
    int32_t room;    /* of c->rows */
    int32_t *row_of; /* by place in l->all; -1 */
    uint8_t *begins; /* the same: the first device event of a call */
    struct capture_paths paths;
    struct int_map rows;  /* by group, node and part */
    struct int_map texts; /* by address of a value: place in made */
    struct str *made;
    int32_t n_made;
};

/* A recorded argument as the tables show it. Equal values lie at one address. */
static struct str argument(struct maker *m, const struct value *v)
{
    if (!v)
        return S("");
    int32_t *at = int_map_at(&m->texts, m->tmp, (int64_t)(intptr_t)v);
    if (*at < 0) {
        struct out o;
        out_memory(&o);
        python_value(&o, v, true);
        *at = m->n_made;
        arena_grow(m->tmp, m->made, m->n_made);
        m->made[m->n_made++] = out_text(&o, m->perm);
    }
    return m->made[*at];
}

/* The nearest operator or module around a call. */
static int32_t node_of(struct maker *m, const struct op_call_row *call)
{
    return call->unlinked
               ? 0
               : paths_node(&m->paths, call->synthetic
                                           ? call->event
                                           : tree_parent(m->paths.tree, call->event));
}

static struct capture_row row_of_group(struct maker *m, const struct op_group *g,
                                       int32_t node)
{
    const struct perf_cost *cost = g->cost;
    return (struct capture_row){
        .name = g->first->name,
        .types = argument(m, g->args.types),
        .dims = argument(m, g->args.dims),
        .strides = argument(m, g->args.strides),
        .concrete = argument(m, g->args.concrete),
        .parent = m->c->nodes[node].name,
        .node = node,
        .base = g->first->category,
        .category = work_category_of_group(g),
        .flop = cost ? cost->flop : (double)NAN,
        .byte = cost ? cost->byte : (double)NAN,
        .compute_spec = cost ? cost->compute_spec : S(""),
        .unlinked = g->first->unlinked,
    };
}

static int32_t add_row(struct maker *m, struct capture_row row)
{
    struct capture *c = m->c;
    if (c->n_rows == m->room) { /* most groups have one row */
        m->room = m->room ? 2 * m->room : m->t->tables.judged.n + 16;
        struct capture_row *more = arena_take_raw(
            m->perm, sizeof *more, _Alignof(struct capture_row), m->room);
        if (c->n_rows > 0)
            memcpy(more, c->rows, (size_t)c->n_rows * sizeof *more);
        c->rows = more;
    }
    c->rows[c->n_rows] = row;
    return c->n_rows++;
}

static enum device_part part_of(const struct trace_view *v, event_id gpu)
{
    static const enum device_part parts[] = {[GPU_COMPUTE] = DEVICE_COMPUTE,
                                             [GPU_COMMUNICATION] = DEVICE_COMM,
                                             [GPU_MEMCPY] = DEVICE_COPY};
    return parts[view_class(v, gpu)];
}

/* The row of a group's calls from one place, made when it is first needed. */
static int32_t row_at(struct maker *m, int32_t group, int32_t node,
                      enum device_part part)
{
    const int64_t parts = DEVICE_PARTS, groups = m->t->tables.judged.n;
    int64_t key = (node * groups + group) * parts + (int64_t)part;
    int32_t *at = int_map_at(&m->rows, m->tmp, key);
    if (*at < 0) {
        struct capture_row row =
            row_of_group(m, &m->t->tables.judged.rows[group], node);
        row.part = part;
        *at = add_row(m, row);
    }
    return *at;
}

/* Device work that several calls list belongs to the first. */
static void claim(struct maker *m, const struct op_call_row *call, int32_t group)
{
    int32_t first[DEVICE_PARTS] = {-1, -1, -1}, node = node_of(m, call);
    for (int32_t k = 0; k < call->n_kernels; k++) {
        event_id gpu = call->kernels[k];
        int32_t place = launch_place(m->l, gpu);
        if (m->row_of[place] >= 0)
            continue;
        enum device_part part = part_of(&m->t->view, gpu);
        m->row_of[place] = row_at(m, group, node, part);
        if (first[part] < 0 ||
            m->s->start_ns[gpu] < m->s->start_ns[m->l->all[first[part]]])
            first[part] = place;
    }
    for (int part = 0; part < DEVICE_PARTS; part++)
        if (first[part] >= 0) {
            m->begins[first[part]] = 1;
            if (!call->unlinked && !call->synthetic)
                m->c->rows[m->row_of[first[part]]].host_ns +=
                    store_end_ns(m->s, call->event) - m->s->start_ns[call->event];
        }
}

static void claim_by_operators(struct maker *m)
{
    const struct op_groups *gs = &m->t->tables.judged;
    for (int32_t g = 0; g < gs->n; g++)
        for (int32_t k = 0; k < gs->rows[g].n; k++)
            claim(m, &gs->calls.rows[gs->rows[g].members[k]], g);
}

/* Device work that no row of the operators has, a row for each name: collectives, and
 * all of a trace without operators. */
static void claim_by_name(struct maker *m)
{
    const struct trace_view *v = &m->t->view;
    struct name_pool names;
    int32_t *row_of_name = NULL;
    pool_open(&names);
    for (int32_t k = 0; k < v->n_counted; k++) {
        event_id gpu = v->counted[k];
        int32_t place = launch_place(m->l, gpu);
        if (m->row_of[place] >= 0)
            continue;
        struct str name = store_name(m->s, gpu);
        int32_t known = names.n;
        name_id id = pool_add_lasting(&names, name);
        if (id == known) {
            enum device_part part = part_of(&m->t->view, gpu);
            bool comm = part == DEVICE_COMM;
            arena_grow(m->perm, row_of_name, id);
            row_of_name[id] = add_row(
                m, (struct capture_row){
                       .name = name,
                       .base = comm ? S("communication") : S("other"),
                       .category = comm ? WORK_COMMUNICATION
                                        : work_category_of(S("other"), name, &name, 1),
                       .part = part,
                       .flop = (double)NAN,
                       .byte = (double)NAN,
                       .unlinked = launch_call(m->l, gpu) < 0});
        }
        m->row_of[place] = row_of_name[id];
        m->begins[place] = 1;
    }
    pool_close(&names);
}

static struct capture_event event_of(const struct maker *m, event_id gpu)
{
    struct str name = store_name(m->s, gpu);
    int32_t place = launch_place(m->l, gpu);
    return (struct capture_event){
        .start_ns = m->s->start_ns[gpu],
        .end_ns = store_end_ns(m->s, gpu),
        .kernel = name,
        .row = m->row_of[place],
        .stream = (int32_t)view_stream(m->s, gpu),
        .begins = m->begins[place],
    };
}

static void add_events(struct maker *m, struct arena tmp)
{
    const struct trace_view *v = &m->t->view;
    struct sort_row *order = arena_take_raw(&tmp, sizeof *order, 8, v->n_counted);
    for (int32_t k = 0; k < v->n_counted; k++)
        order[k] = (struct sort_row){m->s->start_ns[v->counted[k]], v->counted[k]};
    sort_rows(tmp, order, v->n_counted);
    m->c->events = arena_take_raw(m->perm, sizeof *m->c->events, 8, v->n_counted);
    m->c->n_events = v->n_counted;
    for (int32_t k = 0; k < v->n_counted; k++)
        m->c->events[k] = event_of(m, order[k].row);
}

/* Sums of rows, and the kernel with most time of each, the first of equals. */
static void sum_rows(struct maker *m, struct arena tmp)
{
    struct name_pool names;
    struct int_map parts = int_map_make(&tmp, m->c->n_events);
    int64_t *part_ns = NULL, *best_ns = arena_new(&tmp, int64_t, m->c->n_rows);
    int32_t n_parts = 0;
    pool_open(&names);
    for (int32_t k = 0; k < m->c->n_events; k++) {
        const struct capture_event *e = &m->c->events[k];
        struct capture_row *row = &m->c->rows[e->row];
        row->n_calls += e->begins;
        row->n_events++;
        row->kernel_ns += e->end_ns - e->start_ns;
        int64_t key = (int64_t)e->row << 32 | pool_add_lasting(&names, e->kernel);
        int32_t *at = int_map_at(&parts, &tmp, key);
        if (*at < 0) {
            *at = n_parts;
            arena_grow(&tmp, part_ns, n_parts);
            part_ns[n_parts++] = 0;
        }
        part_ns[*at] += e->end_ns - e->start_ns;
        if (part_ns[*at] > best_ns[e->row] || !row->kernel.n) {
            best_ns[e->row] = part_ns[*at];
            row->kernel = e->kernel;
        }
        if (row->unlinked)
            m->c->unlinked_ns += e->end_ns - e->start_ns;
    }
    pool_close(&names);
}

static void mark_replayed(struct maker *m)
{
    const struct trace_view *v = &m->t->view;
    for (int32_t k = 0; k < v->n_counted; k++) {
        event_id gpu = v->counted[k], call = launch_call(m->l, gpu);
        if (call >= 0 && launch_is_graph(m->s, call))
            m->c->rows[m->row_of[launch_place(m->l, gpu)]].replayed = true;
    }
}

/* Rows of calls whose device work is all outside the window, or another's. */
static void drop_empty_rows(struct maker *m, struct arena tmp)
{
    struct capture *c = m->c;
    int32_t *moved = arena_new(&tmp, int32_t, c->n_rows), n = 0;
    for (int32_t i = 0; i < c->n_rows; i++) {
        moved[i] = n;
        if (c->rows[i].n_events)
            c->rows[n++] = c->rows[i];
    }
    c->n_rows = n;
    for (int32_t k = 0; k < c->n_events; k++)
        c->events[k].row = moved[c->events[k].row];
}

/* A profiler's clock counts from a base that it records, or in old traces from 1970. */
static struct capture_origin origin_of(const struct trace_result *t)
{
    struct capture_origin from = {.tool = S("tracefolio " TRACEFOLIO_VERSION),
                                  .file = str_of(t->store.file),
                                  .sha256 = str_of(t->store.sha256),
                                  .bytes = t->store.trace_bytes,
                                  .device = trace_device(&t->store.machine),
                                  .vendor = t->tables.facts.kind.vendor,
                                  .base_ns = t->store.machine.base_exact_ns};
    for (ptrdiff_t i = from.file.n - 1; i >= 0; i--)
        if (from.file.p[i] == '/') {
            from.file = str_skip(from.file, i + 1);
            break;
        }
    if (from.base_ns < 0 || from.base_ns > BASE_MAX_NS)
        from.base_ns = 0;
    from.trace_base_ns = from.base_ns;
    if (t->tables.device)
        from.platform = t->tables.device->name;
    return from;
}

struct capture capture_of_work(struct arena *perm, struct arena tmp,
                               const struct trace_result *t,
                               const struct system_results *system, struct str label)
{
    const struct gpu_timeline *g = &t->view.timeline;
    struct capture c = {.label = label,
                        .origin = origin_of(t),
                        .device = t->tables.device,
                        .start_ns = g->start_ns,
                        .end_ns = g->start_ns + g->total_ns,
                        .computation_ns = g->computation_ns,
                        .exposed_comm_ns = g->exposed_comm_ns,
                        .exposed_copy_ns = g->exposed_memcpy_ns,
                        .idle_ns = g->idle_ns,
                        .n_backlog = t->view.window.n_backlog,
                        .backlog_ns = t->view.window.backlog_ns,
                        .has_shapes = t->tables.facts.has_shapes,
                        .has_stacks = t->tables.facts.has_frames,
                        .has_operators = t->tables.facts.has_cpu_op};
    struct maker m = {.perm = perm,
                      .tmp = &tmp,
                      .t = t,
                      .s = &t->store,
                      .l = &t->view.launch,
                      .c = &c};
    m.row_of = arena_new(&tmp, int32_t, m.l->n_all);
    m.begins = arena_new(&tmp, uint8_t, m.l->n_all);
    m.texts = int_map_make(&tmp, t->tables.judged.n);
    m.rows = int_map_make(&tmp, t->tables.judged.n);
    m.paths = paths_open(perm, &tmp, m.s, &t->tree.frames, &c);
    memset(m.row_of, -1, (size_t)m.l->n_all * sizeof *m.row_of);
    claim_by_operators(&m);
    claim_by_name(&m);
    paths_close(&m.paths);
    mark_replayed(&m);
    add_events(&m, tmp);
    sum_rows(&m, tmp);
    drop_empty_rows(&m, tmp);
    struct step_span window = {c.start_ns, c.end_ns};
    struct call_durations calls = call_durations_of(perm, tmp, &c, &window, 1);
    c.bins = calls.bins;
    c.n_bins = calls.first[c.n_rows];
    capture_find_steps(perm, tmp, &t->view, &c);
    capture_find_idle(perm, tmp, system, &c);
    capture_find_setup(perm, t, &c);
    capture_find_sums(tmp, &c);
    capture_find_collectives(perm, tmp, t, &c);
    capture_find_segments(perm, tmp, t, system, &c);
    return c;
}

void capture_add_findings(struct arena *perm, struct capture *c,
                          const struct trace_result *t)
{
    capture_measure(perm, &t->analysis, c);
    c->findings = t->analysis.findings;
    c->n_findings = t->analysis.n_findings;
}

struct capture capture_of_trace(struct arena *perm, struct arena tmp,
                                const struct trace_result *t, struct str label)
{
    struct capture c = capture_of_work(perm, tmp, t, t->analysis.system, label);
    capture_add_findings(perm, &c, t);
    return c;
}
