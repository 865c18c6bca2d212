#include "simulator_inner.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

enum {
    OPEN_OP_NS = 700,
    CLOSE_OP_NS = 350,
    OPEN_PYTHON_NS = 450,
    CLOSE_PYTHON_NS = 250
};

void sim_open(struct simulator *s, struct event_writer *w,
              const struct sample_device *d, uint64_t seed)
{
    *s =
        (struct simulator){.w = w, .device = d, .host_scale = 1.0, .device_scale = 1.0};
    random_seed(&s->random, seed, 0, 0);
    s->pid = 512 + (int64_t)(seed % 30000);
    s->gpu_first_ns = s->step_first_ns = s->steps_from_ns = -1;
    s->external_id = 1;
    s->sequence = 900;
    s->correlation = 4000 + (int64_t)(random_next(&s->random) % 100000);
    /* Weeks after baseTimeNanoseconds, as in a real capture. */
    int64_t start_ns =
        2241346127000000 + (int64_t)(random_next(&s->random) % 900000000000000);
    for (int i = 0; i < HOSTS; i++)
        s->hosts[i].now_ns = start_ns;
    s->hosts[HOST_MAIN].tid = s->pid;
    s->hosts[HOST_AUTOGRAD].tid = s->pid + 97;
    s->hosts[HOST_MAIN].used = 1;
    s->streams[STREAM_MAIN].id = d->main_stream;
    s->streams[STREAM_COMM].id = d->comm_stream;
    s->streams[STREAM_GROUP].id = d->comm_stream + 4;
    s->streams[STREAM_PEER].id = d->main_stream;
}

struct host_thread *sim_running(struct simulator *s)
{
    return &s->hosts[s->host];
}

void sim_pass(struct simulator *s, double ns)
{
    if (s->replaying)
        return;
    int64_t step = (int64_t)(ns * s->host_scale * random_factor(&s->random, 0.25));
    sim_running(s)->now_ns += step > 0 ? step : 1;
}

void sim_think(struct simulator *s, double ns)
{
    int64_t step = (int64_t)(ns * random_factor(&s->random, 0.05));
    sim_running(s)->now_ns += step > 0 ? step : 1;
}

int64_t sim_innermost_op(const struct host_thread *t)
{
    for (int i = t->depth; i-- > 0;)
        if (t->frames[i].kind != FRAME_PYTHON)
            return t->frames[i].id;
    return 0;
}

int sim_put(char *text, int at, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(text + at, (size_t)(FRAME_ARGS - at), fmt, ap);
    va_end(ap);
    assert(n >= 0 && at + n < FRAME_ARGS);
    return at + n;
}

static int put_numbers(char *text, int at, int rank, const int64_t *v)
{
    at = sim_put(text, at, "[");
    for (int i = 0; i < rank; i++)
        at = sim_put(text, at, i ? ", %" PRId64 : "%" PRId64, v[i]);
    return sim_put(text, at, "]");
}

const char *sim_argument_text(struct simulator *s, const char *text)
{
    bool lie = s->w->hostile && random_next(&s->random) % 11 == 0;
    return lie ? hostile_short(&s->w->hostile_text) : text;
}

static int put_shapes(struct simulator *s, char *text, int at, const struct op_arg *arg,
                      int n)
{
    at = sim_put(text, at, ", \"Concrete Inputs\": [");
    for (int i = 0; i < n; i++)
        at = sim_put(text, at, "%s\"%s\"", i ? ", " : "",
                     sim_argument_text(s, arg[i].text));
    at = sim_put(text, at, "], \"Input type\": [");
    for (int i = 0; i < n; i++)
        at = sim_put(text, at, "%s\"%s\"", i ? ", " : "",
                     sim_argument_text(s, arg[i].type));
    at = sim_put(text, at, "], \"Input Strides\": [");
    for (int i = 0; i < n; i++)
        at = put_numbers(text, i ? sim_put(text, at, ", ") : at, arg[i].rank,
                         arg[i].stride);
    at = sim_put(text, at, "], \"Input Dims\": [");
    for (int i = 0; i < n; i++)
        at = put_numbers(text, i ? sim_put(text, at, ", ") : at, arg[i].rank,
                         arg[i].dim);
    return sim_put(text, at, "]");
}

static struct frame *push(struct simulator *s, enum frame_kind kind, double cost_ns)
{
    struct host_thread *t = sim_running(s);
    assert(t->depth < FRAME_DEPTH);
    sim_pass(s, cost_ns);
    struct frame *f = &t->frames[t->depth++];
    f->kind = kind;
    f->ts_ns = t->now_ns;
    f->args[0] = 0;
    return f;
}

static const struct frame *python_parent(const struct host_thread *t)
{
    for (int i = t->depth - 1; i-- > 0;)
        if (t->frames[i].kind == FRAME_PYTHON)
            return &t->frames[i];
    return NULL;
}

static void python_args(struct simulator *s, struct frame *f, int64_t module_id)
{
    const struct frame *parent = python_parent(sim_running(s));
    f->id = ++s->python_id;
    if (sink_discards(&s->w->sink))
        return;
    int at = sim_put(f->args, 0, "\"Python id\": %" PRId64, f->id);
    at = parent ? sim_put(f->args, at, ", \"Python parent id\": %" PRId64, parent->id)
                : sim_put(f->args, at, ", \"Python parent id\": null");
    if (module_id >= 0)
        at = sim_put(f->args, at, ", \"Python module id\": %" PRId64, module_id);
    sim_put(f->args, at, ", \"Ev Idx\": %" PRId64, s->ev_idx++);
}

void sim_python(struct simulator *s, const char *fmt, ...)
{
    struct frame *f = push(s, FRAME_PYTHON, OPEN_PYTHON_NS);
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(f->name, sizeof f->name, fmt, ap);
    va_end(ap);
    python_args(s, f, -1);
}

void sim_module(struct simulator *s, const char *type, int64_t instance)
{
    struct frame *f = push(s, FRAME_PYTHON, OPEN_PYTHON_NS);
    snprintf(f->name, sizeof f->name, "nn.Module: %s_%" PRId64, type, instance);
    python_args(s, f, instance);
    sim_python(s, "torch/nn/modules/module.py(1755): _call_impl");
}

/* `sequence` < 0: not part of the graph. */
static void open_op(struct simulator *s, const char *name, const struct op_arg *arg,
                    int n, int64_t sequence, int forward_thread, const char *more)
{
    struct frame *f = push(s, FRAME_OP, OPEN_OP_NS);
    f->id = s->external_id++;
    if (sink_discards(&s->w->sink))
        return;
    snprintf(f->name, sizeof f->name, "%s", name);
    int at = sim_put(f->args, 0, "\"External id\": %" PRId64, f->id);
    if (sequence >= 0)
        at = sim_put(f->args, at,
                     ", \"Sequence number\": %" PRId64 ", \"Fwd thread id\": %d",
                     sequence, forward_thread);
    at = sim_put(f->args, at, ", \"Record function id\": 0");
    if (n > 0 && s->shapes)
        at = put_shapes(s, f->args, at, arg, n);
    if (more)
        at = sim_put(f->args, at, ", %s", more);
    sim_put(f->args, at, ", \"Ev Idx\": %" PRId64, s->ev_idx++);
}

void sim_op(struct simulator *s, const char *name, const struct op_arg *arg, int n)
{
    open_op(s, name, arg, n, -1, 0, NULL);
}

void sim_op_more(struct simulator *s, const char *name, const struct op_arg *arg, int n,
                 const char *more_args)
{
    open_op(s, name, arg, n, -1, 0, more_args);
}

void sim_annotation(struct simulator *s, const char *fmt, ...)
{
    struct frame *f = push(s, FRAME_ANNOTATION, OPEN_OP_NS);
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(f->name, sizeof f->name, fmt, ap);
    va_end(ap);
    f->id = s->external_id++;
    sim_put(f->args, 0,
            "\"External id\": %" PRId64
            ", \"Record function id\": 0, \"Ev Idx\": %" PRId64,
            f->id, s->ev_idx++);
}

void sim_end(struct simulator *s)
{
    static const char *const cats[] = {[FRAME_PYTHON] = "python_function",
                                       [FRAME_OP] = "cpu_op",
                                       [FRAME_ANNOTATION] = "user_annotation"};
    struct host_thread *t = sim_running(s);
    assert(t->depth > 0);
    struct frame *f = &t->frames[--t->depth];
    if (s->replaying)
        return;
    sim_pass(s, f->kind == FRAME_PYTHON ? CLOSE_PYTHON_NS : CLOSE_OP_NS);
    if (f->kind != FRAME_PYTHON || s->python)
        write_complete(s->w, cats[f->kind], f->name, s->pid, t->tid, f->ts_ns,
                       t->now_ns - f->ts_ns, f->args);
    t->now_ns++;
}

void sim_end_n(struct simulator *s, int n)
{
    while (n-- > 0)
        sim_end(s);
}

void sim_leaf(struct simulator *s, const char *name, const struct op_arg *arg, int n)
{
    sim_op(s, name, arg, n);
    sim_end(s);
}

struct graph_node sim_graph_node(struct simulator *s)
{
    return (struct graph_node){s->sequence++, -1};
}

void sim_graph_op(struct simulator *s, const char *name, const struct op_arg *arg,
                  int n, struct graph_node node)
{
    open_op(s, name, arg, n, node.sequence, 0, NULL);
}

void sim_graph_flow(struct simulator *s, struct graph_node *node)
{
    const struct host_thread *t = sim_running(s);
    node->flow = ++s->flow;
    write_flow(s->w, 's', "fwdbwd", node->flow, s->pid, t->tid,
               t->frames[t->depth - 1].ts_ns);
}

void sim_backward_node(struct simulator *s, const char *name, struct graph_node node,
                       struct op_arg grad)
{
    char around[FRAME_NAME];
    snprintf(around, sizeof around, "autograd::engine::evaluate_function: %s", name);
    open_op(s, around, NULL, 0, node.sequence, 1, NULL);
    open_op(s, name, &grad, 1, node.sequence, 1, NULL);
    if (node.flow >= 0)
        write_flow(s->w, 'f', "fwdbwd", node.flow, s->pid, sim_running(s)->tid,
                   sim_running(s)->frames[sim_running(s)->depth - 1].ts_ns);
}

void sim_switch(struct simulator *s, enum host host)
{
    int64_t now_ns = sim_running(s)->now_ns + (int64_t)(15000 * s->host_scale);
    s->host = host;
    if (sim_running(s)->now_ns < now_ns)
        sim_running(s)->now_ns = now_ns;
    sim_running(s)->used = 1;
}

void sim_step_begin(struct simulator *s, int64_t step)
{
    s->step_first_ns = -1;
    sim_annotation(s, "ProfilerStep#%" PRId64, step);
    const struct host_thread *t = sim_running(s);
    if (s->steps_from_ns < 0)
        s->steps_from_ns = t->frames[t->depth - 1].ts_ns;
}

void sim_step_end(struct simulator *s, int64_t step)
{
    char name[64], args[64];
    const struct frame *f = &sim_running(s)->frames[sim_running(s)->depth - 1];
    const struct device_stream *st = &s->streams[STREAM_MAIN];
    assert(f->kind == FRAME_ANNOTATION);
    snprintf(name, sizeof name, "ProfilerStep#%" PRId64, step);
    snprintf(args, sizeof args, "\"External id\": %" PRId64, f->id);
    sim_end(s);
    s->steps_to_ns = sim_running(s)->now_ns - 1; /* behind it */
    if (s->step_first_ns >= 0)
        write_complete(s->w, "gpu_user_annotation", name, s->gpu, st->id,
                       s->step_first_ns, st->free_ns - s->step_first_ns, args);
}

/* From the first step, as the host begins it, to its last work or the device's. */
static double window_ns(const struct simulator *s)
{
    int64_t from_ns = s->gpu_first_ns, to_ns = s->gpu_last_ns;
    if (s->steps_from_ns >= 0 && s->steps_from_ns < from_ns)
        from_ns = s->steps_from_ns;
    if (s->steps_to_ns > to_ns)
        to_ns = s->steps_to_ns;
    return s->gpu_first_ns < 0 ? 0 : (double)(to_ns - from_ns);
}

struct device_times sim_times(const struct simulator *s)
{
    double main_ns = (double)s->streams[STREAM_MAIN].busy_ns;
    double comm_ns = (double)s->streams[STREAM_COMM].busy_ns;
    double exposed_ns = comm_ns - (double)s->overlap_ns;
    double total_ns = window_ns(s);
    return (struct device_times){total_ns, total_ns - main_ns - exposed_ns, exposed_ns};
}

double sim_roofline_ns(const struct simulator *s, struct work w)
{
    return work_roofline_ns(s->device, w);
}
