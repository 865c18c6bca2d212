#include "simulator.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
    OPEN_OP_NS = 700,
    CLOSE_OP_NS = 350,
    OPEN_PYTHON_NS = 450,
    CLOSE_PYTHON_NS = 250
};

void sim_open(struct simulator *s, struct event_writer *w,
              const struct sample_device *d, uint64_t seed)
{
    *s = (struct simulator){.w = w, .device = d, .host_scale = 1.0};
    random_seed(&s->random, seed, 0, 0);
    s->pid = 512 + (int64_t)(seed % 30000);
    s->gpu_first_ns = s->step_first_ns = -1;
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
}

static struct host_thread *running(struct simulator *s)
{
    return &s->hosts[s->host];
}

/* At least one nanosecond, so that no two frames of a thread start together. */
static void pass(struct simulator *s, double ns)
{
    int64_t step = (int64_t)(ns * s->host_scale * random_factor(&s->random, 0.25));
    running(s)->now_ns += step > 0 ? step : 1;
}

void sim_think(struct simulator *s, double ns)
{
    int64_t step = (int64_t)(ns * random_factor(&s->random, 0.05));
    running(s)->now_ns += step > 0 ? step : 1;
}

static int64_t innermost_op(const struct host_thread *t)
{
    for (int i = t->depth; i-- > 0;)
        if (t->frames[i].kind != FRAME_PYTHON)
            return t->frames[i].id;
    return 0;
}

/* Appends to text of FRAME_ARGS bytes; a list too long for it is a bug of the caller.
 */
__attribute__((format(printf, 3, 4))) static int put(char *text, int at,
                                                     const char *fmt, ...)
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
    at = put(text, at, "[");
    for (int i = 0; i < rank; i++)
        at = put(text, at, i ? ", %" PRId64 : "%" PRId64, v[i]);
    return put(text, at, "]");
}

/* In a hostile trace one argument in eleven is wrong. */
static const char *argument_text(struct simulator *s, const char *text)
{
    bool lie = s->w->hostile && random_next(&s->random) % 11 == 0;
    return lie ? hostile_short(&s->w->hostile_text) : text;
}

static int put_shapes(struct simulator *s, char *text, int at, const struct op_arg *arg,
                      int n)
{
    at = put(text, at, ", \"Concrete Inputs\": [");
    for (int i = 0; i < n; i++)
        at = put(text, at, "%s\"%s\"", i ? ", " : "", argument_text(s, arg[i].text));
    at = put(text, at, "], \"Input type\": [");
    for (int i = 0; i < n; i++)
        at = put(text, at, "%s\"%s\"", i ? ", " : "", argument_text(s, arg[i].type));
    at = put(text, at, "], \"Input Strides\": [");
    for (int i = 0; i < n; i++)
        at =
            put_numbers(text, i ? put(text, at, ", ") : at, arg[i].rank, arg[i].stride);
    at = put(text, at, "], \"Input Dims\": [");
    for (int i = 0; i < n; i++)
        at = put_numbers(text, i ? put(text, at, ", ") : at, arg[i].rank, arg[i].dim);
    return put(text, at, "]");
}

static struct frame *push(struct simulator *s, enum frame_kind kind, double cost_ns)
{
    struct host_thread *t = running(s);
    assert(t->depth < FRAME_DEPTH);
    pass(s, cost_ns);
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
    const struct frame *parent = python_parent(running(s));
    f->id = ++s->python_id;
    if (sink_discards(&s->w->sink))
        return;
    int at = put(f->args, 0, "\"Python id\": %" PRId64, f->id);
    at = parent ? put(f->args, at, ", \"Python parent id\": %" PRId64, parent->id)
                : put(f->args, at, ", \"Python parent id\": null");
    if (module_id >= 0)
        at = put(f->args, at, ", \"Python module id\": %" PRId64, module_id);
    put(f->args, at, ", \"Ev Idx\": %" PRId64, s->ev_idx++);
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
    int at = put(f->args, 0, "\"External id\": %" PRId64, f->id);
    if (sequence >= 0)
        at = put(f->args, at,
                 ", \"Sequence number\": %" PRId64 ", \"Fwd thread id\": %d", sequence,
                 forward_thread);
    at = put(f->args, at, ", \"Record function id\": 0");
    if (n > 0 && s->shapes)
        at = put_shapes(s, f->args, at, arg, n);
    if (more)
        at = put(f->args, at, ", %s", more);
    put(f->args, at, ", \"Ev Idx\": %" PRId64, s->ev_idx++);
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
    put(f->args, 0,
        "\"External id\": %" PRId64 ", \"Record function id\": 0, \"Ev Idx\": %" PRId64,
        f->id, s->ev_idx++);
}

void sim_end(struct simulator *s)
{
    static const char *const cats[] = {[FRAME_PYTHON] = "python_function",
                                       [FRAME_OP] = "cpu_op",
                                       [FRAME_ANNOTATION] = "user_annotation"};
    struct host_thread *t = running(s);
    assert(t->depth > 0);
    struct frame *f = &t->frames[--t->depth];
    pass(s, f->kind == FRAME_PYTHON ? CLOSE_PYTHON_NS : CLOSE_OP_NS);
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
    const struct host_thread *t = running(s);
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
        write_flow(s->w, 'f', "fwdbwd", node.flow, s->pid, running(s)->tid,
                   running(s)->frames[running(s)->depth - 1].ts_ns);
}

/* The host's side of a call: its event and one half of the flow. Returns its start. */
static int64_t runtime_call(struct simulator *s, const char *cat, const char *name,
                            int cid, int64_t dur_ns, bool starts_work, const char *more)
{
    struct host_thread *t = running(s);
    char args[FRAME_ARGS];
    int64_t op = innermost_op(t), start_ns = t->now_ns + 1;
    int at = 0;
    s->correlation++;
    if (!sink_discards(&s->w->sink)) {
        if (op)
            at = put(args, at, "\"External id\": %" PRId64 ", ", op);
        at = put(args, at, "\"%s\": %d, \"correlation\": %" PRId64,
                 s->device->hip ? "cid" : "cbid", cid, s->correlation);
        if (more)
            put(args, at, ", %s", more);
    }
    write_complete(s->w, cat, name, s->pid, t->tid, start_ns, dur_ns, args);
    write_flow(s->w, starts_work ? 's' : 'f', "ac2g", s->correlation, s->pid, t->tid,
               start_ns);
    t->now_ns = start_ns + dur_ns + 1;
    return start_ns;
}

/* Overlap of one interval with those kept of the other stream. Each pair is counted
 * when its later half arrives; kernels of one stream never overlap each other. */
static int64_t overlap_with(const struct device_stream *other, struct interval v)
{
    int64_t sum = 0,
            n = other->launched < INTERVALS_KEPT ? other->launched : INTERVALS_KEPT;
    for (int64_t i = 0; i < n; i++) {
        const struct interval *o =
            &other->kept[(other->launched - 1 - i) % INTERVALS_KEPT];
        if (o->end_ns <= v.start_ns)
            break;
        int64_t from = o->start_ns > v.start_ns ? o->start_ns : v.start_ns;
        int64_t to = o->end_ns < v.end_ns ? o->end_ns : v.end_ns;
        if (to > from)
            sum += to - from;
    }
    return sum;
}

/* Queue dur_ns of work on a stream; returns when it runs. */
static struct interval enqueue(struct simulator *s, enum stream stream,
                               int64_t arrive_ns, double dur_ns)
{
    struct device_stream *st = &s->streams[stream];
    double gap_ns = (double)s->device->kernel_gap_ns * random_factor(&s->random, 0.3);
    int64_t ready_ns = st->free_ns + (int64_t)gap_ns;
    struct interval v = {.start_ns = arrive_ns > ready_ns ? arrive_ns : ready_ns};
    v.end_ns = v.start_ns + (int64_t)(dur_ns > 1 ? dur_ns : 1);
    s->overlap_ns += overlap_with(&s->streams[stream == STREAM_MAIN], v);
    st->kept[st->launched++ % INTERVALS_KEPT] = v;
    st->free_ns = v.end_ns;
    st->busy_ns += v.end_ns - v.start_ns;
    if (s->gpu_first_ns < 0)
        s->gpu_first_ns = v.start_ns;
    if (s->step_first_ns < 0)
        s->step_first_ns = v.start_ns;
    if (v.end_ns > s->gpu_last_ns)
        s->gpu_last_ns = v.end_ns;
    s->work_since_sync_ns += (double)(v.end_ns - v.start_ns);
    return v;
}

/* A launch into a full queue waits until the oldest kernel is done. */
static int64_t launch_wait_ns(const struct simulator *s, enum stream stream,
                              int64_t now_ns)
{
    const struct device_stream *st = &s->streams[stream];
    if (st->launched < QUEUE_KERNELS)
        return 0;
    int64_t end_ns = st->kept[(st->launched - QUEUE_KERNELS) % INTERVALS_KEPT].end_ns;
    return end_ns > now_ns ? end_ns - now_ns : 0;
}

static void write_kernel(struct simulator *s, const struct kernel *k, struct interval v)
{
    const struct device_stream *st = &s->streams[k->stream];
    char args[FRAME_ARGS];
    int64_t op = innermost_op(running(s)), grid = k->grid ? k->grid : 1;
    int at = 0, block = k->block ? k->block : 256;
    if (sink_discards(&s->w->sink)) {
        s->w->events += 2;
        return;
    }
    if (op)
        at = put(args, at, "\"External id\": %" PRId64 ", ", op);
    if (!s->device->hip)
        at = put(args, at, "\"queued\": 0, ");
    at = put(args, at, "\"device\": %" PRId64 ", ", s->gpu);
    if (!s->device->hip)
        at = put(args, at, "\"context\": 1, ");
    at = put(args, at, "\"stream\": %" PRId64 ", \"correlation\": %" PRId64, st->id,
             s->correlation);
    if (s->device->hip) {
        at = put(args, at, ", \"kind\": \"Dispatch Kernel\"");
    } else {
        double per_sm = (double)grid / s->device->compute_units;
        at = put(
            args, at,
            ", \"registers per thread\": %d, \"shared memory\": 0, \"blocks per SM\": "
            "%.6f, \"warps per SM\": %.6f",
            k->api == LAUNCH_MODULE ? 168 : 32, per_sm, per_sm * block / 32);
    }
    at = put(args, at, ", \"grid\": [%" PRId64 ", 1, 1], \"block\": [%d, 1, 1]", grid,
             block);
    if (!s->device->hip)
        at = put(args, at, ", \"est. achieved occupancy %%\": %d",
                 k->api == LAUNCH_MODULE ? 19 : 100);
    if (k->args)
        put(args, at, ", %s", k->args);
    write_complete(s->w, "kernel", k->name, s->gpu, st->id, v.start_ns,
                   v.end_ns - v.start_ns, args);
    write_flow(s->w, 'f', "ac2g", s->correlation, s->gpu, st->id, v.start_ns);
}

static const struct call {
    const char *cat, *name;
    int cid;
} launch_calls[2][4] = {
    {[LAUNCH_RUNTIME] = {"cuda_runtime", "cudaLaunchKernel", 211},
     [LAUNCH_MODULE] = {"cuda_runtime", "cudaLaunchKernelExC", 430},
     [LAUNCH_TRITON] = {"cuda_driver", "cuLaunchKernel", 307},
     [LAUNCH_COLLECTIVE] = {"cuda_runtime", "cudaLaunchKernelExC", 430}},
    {[LAUNCH_RUNTIME] = {"cuda_runtime", "hipLaunchKernel", 107},
     [LAUNCH_MODULE] = {"cuda_runtime", "hipExtModuleLaunchKernel", 65},
     [LAUNCH_TRITON] = {"cuda_runtime", "hipModuleLaunchKernel", 169},
     [LAUNCH_COLLECTIVE] = {"cuda_runtime", "hipExtLaunchKernel", 62}},
};

static void tally(struct simulator *s, enum defect defect, int64_t time_ns,
                  double ideal_ns)
{
    if (defect == DEFECT_NONE)
        return;
    s->tally[defect].time_ns += time_ns;
    s->work_since_sync_ns -= (double)time_ns - (ideal_ns > 0 ? ideal_ns : 0);
    if (ideal_ns >= 0) {
        s->tally[defect].count++;
        s->tally[defect].ideal_ns += ideal_ns;
    }
}

void sim_launch(struct simulator *s, struct kernel k)
{
    char more[FRAME_ARGS];
    const struct call *c = &launch_calls[s->device->hip][k.api];
    if (s->no_gpu)
        return;
    pass(s, 600);
    int64_t wait_ns = launch_wait_ns(s, k.stream, running(s)->now_ns);
    int64_t dur_ns =
        wait_ns + (int64_t)(4300 * s->host_scale * random_factor(&s->random, 0.2));
    more[0] = 0;
    if (s->device->hip && !sink_discards(&s->w->sink))
        put(more, 0,
            "\"kernel\": \"%s\", \"grid\": [%" PRId64
            ", 1, 1], \"block\": [%d, 1, 1], \"shared memory\": 0",
            argument_text(s, k.name), k.grid ? k.grid : 1, k.block ? k.block : 256);
    int64_t start_ns =
        runtime_call(s, c->cat, c->name, c->cid, dur_ns > 50 ? dur_ns : 50, true,
                     more[0] ? more : NULL);
    double time_ns = k.time_ns > (double)s->device->kernel_floor_ns
                         ? k.time_ns
                         : (double)s->device->kernel_floor_ns;
    time_ns *= random_factor(&s->random, 0.03);
    double latency_ns = (double)s->device->latency_ns * random_factor(&s->random, 0.1);
    struct interval v =
        enqueue(s, k.stream, start_ns + wait_ns + (int64_t)latency_ns, time_ns);
    write_kernel(s, &k, v);
    tally(s, k.defect, v.end_ns - v.start_ns, k.ideal_ns);
}

static void write_copy(struct simulator *s, enum copy_direction direction,
                       int64_t bytes, struct interval v)
{
    static const char *const names[2][2] = {
        {"Memcpy HtoD (Pinned -> Device)", "Memcpy DtoH (Device -> Pinned)"},
        {"Memcpy HtoD (Host -> Device)", "Memcpy DtoH (Device -> Host)"}};
    const struct device_stream *st = &s->streams[STREAM_MAIN];
    char args[FRAME_ARGS];
    int at = put(args, 0,
                 "\"External id\": %" PRId64 ", \"device\": %" PRId64 ", %s\"stream\": "
                 "%" PRId64 ", \"correlation\": %" PRId64,
                 innermost_op(running(s)), s->gpu,
                 s->device->hip ? "" : "\"context\": 1, ", st->id, s->correlation);
    if (s->device->hip)
        at = put(args, at, ", \"kind\": \"%s\"",
                 direction == COPY_H2D ? "HtoD" : "DtoH");
    put(args, at, ", \"bytes\": %" PRId64 ", \"memory bandwidth (GB/s)\": %.6f", bytes,
        (double)bytes / (double)(v.end_ns - v.start_ns));
    write_complete(s->w, "gpu_memcpy", names[s->device->hip][direction], s->gpu, st->id,
                   v.start_ns, v.end_ns - v.start_ns, args);
    write_flow(s->w, 'f', "ac2g", s->correlation, s->gpu, st->id, v.start_ns);
}

void sim_copy(struct simulator *s, enum copy_direction direction, int64_t bytes,
              enum defect defect)
{
    char more[FRAME_ARGS];
    bool hip = s->device->hip;
    if (s->no_gpu)
        return;
    pass(s, 600);
    put(more, 0,
        "\"src\": \"0x7f0e4a7e8000\", \"dst\": \"0x7f3e79800400\", \"bytes\": "
        "\"%" PRId64 "\", \"kind\": \"%d\"",
        bytes, direction == COPY_H2D ? 1 : 2);
    double call_ns = 5200 * s->host_scale * random_factor(&s->random, 0.2);
    int64_t start_ns =
        runtime_call(s, "cuda_runtime", hip ? "hipMemcpyAsync" : "cudaMemcpyAsync",
                     hip ? 134 : 41, (int64_t)call_ns, true, hip ? more : NULL);
    double time_ns = (1800 + (double)bytes / s->device->host_byte_per_ns) *
                     random_factor(&s->random, 0.1);
    struct interval v =
        enqueue(s, STREAM_MAIN, start_ns + s->device->latency_ns, time_ns);
    write_copy(s, direction, bytes, v);
    tally(s, defect, v.end_ns - v.start_ns, 0);
}

static void synchronize(struct simulator *s, const char *name, int cid,
                        int64_t until_ns)
{
    if (s->no_gpu)
        return;
    pass(s, 400);
    int64_t now_ns = running(s)->now_ns, wait_ns = until_ns - now_ns;
    double back_ns = 2500 * random_factor(&s->random, 0.2);
    runtime_call(s, "cuda_runtime", name, cid,
                 (wait_ns > 0 ? wait_ns : 0) + (int64_t)back_ns, !s->device->hip, NULL);
    s->work_since_sync_ns = 0;
}

void sim_stream_synchronize(struct simulator *s)
{
    bool hip = s->device->hip;
    synchronize(s, hip ? "hipStreamSynchronize" : "cudaStreamSynchronize",
                hip ? 195 : 131, s->streams[STREAM_MAIN].free_ns);
}

void sim_device_synchronize(struct simulator *s)
{
    bool hip = s->device->hip;
    int64_t a = s->streams[STREAM_MAIN].free_ns, b = s->streams[STREAM_COMM].free_ns;
    synchronize(s, hip ? "hipDeviceSynchronize" : "cudaDeviceSynchronize",
                hip ? 48 : 165, a > b ? a : b);
}

void sim_stream_wait(struct simulator *s, enum stream waits, enum stream for_stream)
{
    bool hip = s->device->hip;
    if (s->no_gpu)
        return;
    pass(s, 300);
    runtime_call(s, "cuda_runtime", hip ? "hipEventRecord" : "cudaEventRecord",
                 hip ? 82 : 135, 900, !hip, NULL);
    runtime_call(s, "cuda_runtime", hip ? "hipStreamWaitEvent" : "cudaStreamWaitEvent",
                 hip ? 200 : 147, 1100, !hip, NULL);
    if (s->streams[waits].free_ns < s->streams[for_stream].free_ns)
        s->streams[waits].free_ns = s->streams[for_stream].free_ns;
}

void sim_switch(struct simulator *s, enum host host)
{
    int64_t now_ns = running(s)->now_ns + (int64_t)(15000 * s->host_scale);
    s->host = host;
    if (running(s)->now_ns < now_ns)
        running(s)->now_ns = now_ns;
    running(s)->used = 1;
}

void sim_step_begin(struct simulator *s, int64_t step)
{
    s->step_first_ns = -1;
    sim_annotation(s, "ProfilerStep#%" PRId64, step);
}

void sim_step_end(struct simulator *s, int64_t step)
{
    char name[64], args[64];
    const struct frame *f = &running(s)->frames[running(s)->depth - 1];
    const struct device_stream *st = &s->streams[STREAM_MAIN];
    assert(f->kind == FRAME_ANNOTATION);
    snprintf(name, sizeof name, "ProfilerStep#%" PRId64, step);
    snprintf(args, sizeof args, "\"External id\": %" PRId64, f->id);
    sim_end(s);
    if (s->step_first_ns >= 0)
        write_complete(s->w, "gpu_user_annotation", name, s->gpu, st->id,
                       s->step_first_ns, st->free_ns - s->step_first_ns, args);
}

struct device_times sim_times(const struct simulator *s)
{
    double main_ns = (double)s->streams[STREAM_MAIN].busy_ns;
    double comm_ns = (double)s->streams[STREAM_COMM].busy_ns;
    double exposed_ns = comm_ns - (double)s->overlap_ns;
    double total_ns =
        s->gpu_first_ns < 0 ? 0 : (double)(s->gpu_last_ns - s->gpu_first_ns);
    return (struct device_times){total_ns, total_ns - main_ns - exposed_ns, exposed_ns};
}

double sim_roofline_ns(const struct simulator *s, struct work w)
{
    return work_roofline_ns(s->device, w);
}
