#include "formats/perfetto_stage.h"

#include <stdio.h>

enum { WAITS_MOST = 1 << 28 };

/* "[0007] stream 7": the number of a lane in brackets, and its name. */
static void name_queue(struct perfetto_reader *r, struct queue *q, struct str spec)
{
    char buf[32];
    int64_t lane;
    ptrdiff_t close = str_find(spec, S("] "));
    if (str_starts(spec, S("[")) && close > 0 &&
        str_int((struct str){spec.p + 1, close - 1}, &lane)) {
        q->stream = lane;
        spec = str_skip(spec, close + 2);
    } else {
        q->stream = (int64_t)q->key.iid;
    }
    q->label = pool_add(&r->texts, spec);
    int n = sprintf(buf, "%lld", (long long)q->stream);
    q->tid_text = pool_add(&r->texts, (struct str){buf, n});
    n = sprintf(buf, "%d", (int)q->key.gpu);
    q->pid_text = pool_add(&r->texts, (struct str){buf, n});
}

static const struct queue *queue_of(struct perfetto_reader *r, struct queue_key key)
{
    const struct queue *last =
        r->last_queue < 0 ? NULL : ROW(r->queues, struct queue, r->last_queue);
    if (last && last->key.iid == key.iid && last->key.gpu == key.gpu &&
        last->key.sequence == key.sequence)
        return last;
    struct str bytes = {(const char *)&key, sizeof key};
    r->last_queue = pool_add(&r->queue_keys, bytes);
    if (r->last_queue == r->queues.n) {
        struct queue *q = NEW_ROW(&r->queues, struct queue);
        *q = (struct queue){.key = key};
        name_id spec = perfetto_interned(r, key.sequence, INTERN_GPU_SPEC, key.iid);
        name_queue(r, q, pool_text(&r->texts, spec));
    }
    return ROW(r->queues, struct queue, r->last_queue);
}

/* What a stage is called says what runs in it. */
static enum event_cat stage_cat(struct str stage)
{
    static const struct {
        struct str name;
        enum event_cat cat;
    } stages[] = {{S_INIT("Kernel"), CAT_KERNEL},
                  {S_INIT("Memcpy"), CAT_MEMCPY},
                  {S_INIT("Memset"), CAT_MEMSET},
                  {S_INIT("Annotation"), CAT_GPU_ANNOTATION}};
    for (size_t k = 0; k < sizeof stages / sizeof *stages; k++)
        if (str_eq(stage, stages[k].name))
            return stages[k].cat;
    return CAT_OTHER;
}

static void put_dim3(struct out *o, struct str message)
{
    uint64_t size[3] = {0};
    struct wire w = wire_of(message);
    struct wire_field f;
    while (wire_next(&w, &f))
        if (f.number <= 3)
            size[f.number - 1] = f.value;
    for (int k = 0; k < 3; k++) {
        out_char(o, k ? ',' : '[');
        out_i64(o, (int64_t)(uint32_t)size[k]);
    }
    out_char(o, ']');
}

/* An argument of a launch, by the name that PyTorch's JSON has for it. */
static void read_launch_arg(struct perfetto_reader *r, uint32_t sequence,
                            struct str message)
{
    struct wire_field f;
    uint64_t value = 0;
    struct str name = S("");
    struct wire w = wire_of(message);
    while (wire_next(&w, &f)) {
        if (f.number == 1)
            name = pool_text(
                &r->texts, perfetto_interned(r, sequence, INTERN_COMPUTE_ARG, f.value));
        else if (f.number == 2)
            name = f.bytes;
        else if (f.number == 3 || f.number == 4)
            value = f.value;
    }
    if (str_eq(name, S("thread_count"))) /* the block says it */
        return;
    if (str_eq(name, S("registers_per_thread")))
        name = S("registers per thread");
    out_i64(perfetto_args_put(&r->args, name), (int64_t)value);
}

static void read_launch(struct perfetto_reader *r, uint32_t sequence,
                        struct str message)
{
    struct wire w = wire_of(message);
    struct wire_field f;
    while (wire_next(&w, &f)) {
        if (f.number == 1)
            put_dim3(perfetto_args_put(&r->args, S("grid")), f.bytes);
        else if (f.number == 2)
            put_dim3(perfetto_args_put(&r->args, S("block")), f.bytes);
        else if (f.number == 3)
            read_launch_arg(r, sequence, f.bytes);
    }
}

/* Whether it says that the work is a node of a GPU graph. */
static bool read_extra(struct perfetto_reader *r, struct arg_row *row,
                       struct str message)
{
    struct wire w = wire_of(message);
    struct wire_field f;
    struct str key = S(""), value = S("");
    while (wire_next(&w, &f)) {
        if (f.number == 1)
            key = f.bytes;
        else if (f.number == 2)
            value = f.bytes;
    }
    perfetto_args_add_text(&r->args, row, key, value);
    return str_eq(key, S("graph node id"));
}

/* The name of device work: its own, its kernel's, or what its stage is called. */
static struct str stage_name(struct perfetto_reader *r, uint32_t sequence,
                             const struct perfetto_stage *s, struct str stage)
{
    if (s->name.n)
        return s->name;
    name_id name = perfetto_interned(r, sequence, INTERN_EVENT_NAME, s->name_iid);
    if (name < 0)
        name = perfetto_interned(r, sequence, INTERN_KERNEL, s->kernel_iid);
    return name < 0 ? stage : pool_text(&r->texts, name);
}

/* Nodes of graphs, and waits, until their ends are known. */
static void keep_node(struct perfetto_reader *r, const struct perfetto_stage *s,
                      struct str message, const struct event *ev)
{
    *NEW_ROW(&r->nodes, struct graph_node) = (struct graph_node){
        s->id, ev->start_ns, (int64_t)((uint64_t)ev->start_ns + s->dur_ns),
        r->last_queue};
    struct wire w = wire_of(message);
    struct wire_field f;
    uint64_t id;
    while (s->waits && wire_next(&w, &f))
        if (f.number == PERFETTO_WAIT)
            while (r->waits.n < WAITS_MOST && wire_next_number(&f, &id))
                *NEW_ROW(&r->waits, struct graph_wait) =
                    (struct graph_wait){id, r->nodes.n - 1};
}

/* An edge is two events: it ends behind, where its node begins. */
struct event *perfetto_edge_event(struct perfetto_reader *r)
{
    while (r->at < 2 * r->waits.n) {
        const struct graph_wait *w = ROW(r->waits, struct graph_wait, r->at / 2);
        int32_t from = int_map_get(&r->node_of, (int64_t)w->id);
        bool begins = r->at % 2 == 0;
        r->at += from < 0 ? 2 : 1;
        if (from < 0)
            continue;
        const struct graph_node *n =
            ROW(r->nodes, struct graph_node, begins ? from : w->node);
        const struct queue *q = ROW(r->queues, struct queue, n->queue);
        struct event *ev = perfetto_new_event(r, begins ? 's' : 'f', CAT_GRAPH_EDGE);
        ev->flow_id = (r->at - 1) / 2;
        ev->pid = pool_text(&r->texts, q->pid_text);
        ev->tid = pool_text(&r->texts, q->tid_text);
        ev->start_ns = begins ? n->end_ns : n->start_ns;
        ev->has_start = true;
        return ev;
    }
    return NULL;
}

void perfetto_index_nodes(struct perfetto_reader *r)
{
    r->at = 0;
    if (!r->waits.n)
        return;
    r->memory = arena_reserve(arena_machine_bytes() / 4);
    r->memory_start = r->memory.at;
    r->node_of = int_map_make(&r->memory, r->nodes.n);
    for (int32_t k = 0; k < r->nodes.n; k++)
        *int_map_at(&r->node_of, &r->memory,
                    (int64_t)ROW(r->nodes, struct graph_node, k)->id) = k;
}

struct event *perfetto_stage_event(struct perfetto_reader *r,
                                   const struct perfetto_packet *p)
{
    struct perfetto_stage s = perfetto_stage_read(p->stage);
    const struct queue *q =
        queue_of(r, (struct queue_key){s.queue_iid, p->sequence, s.gpu});
    struct str stage = pool_text(
        &r->texts, perfetto_interned(r, p->sequence, INTERN_GPU_SPEC, s.stage_iid));
    struct event *ev = perfetto_new_event(r, 'X', stage_cat(stage));
    struct arg_row row = no_arg_row;
    struct wire w = wire_of(p->stage);
    struct wire_field f;
    perfetto_args_clear(&r->args);
    if (s.launch.n)
        read_launch(r, p->sequence, s.launch);
    bool is_node = s.waits || ev->cat == CAT_OTHER;
    while (wire_next(&w, &f))
        if (f.number == PERFETTO_EXTRA)
            is_node |= read_extra(r, &row, f.bytes);
    if (row.correlation == NO_ID && s.id)
        row.correlation = (int64_t)s.id;
    row.stream = q->stream;
    perfetto_set_args(r, ev, &row);
    ev->args.rest = perfetto_args_rest(&r->args);
    ev->name = stage_name(r, p->sequence, &s, stage);
    ev->pid = pool_text(&r->texts, q->pid_text);
    ev->tid = pool_text(&r->texts, q->tid_text);
    ev->start_ns = perfetto_time_ns(r, p);
    ev->dur_ns = (int64_t)s.dur_ns;
    ev->has_start = ev->has_dur = true;
    r->n_known += ev->cat != CAT_OTHER;
    if (is_node)
        keep_node(r, &s, p->stage, ev);
    return ev;
}
