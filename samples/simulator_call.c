#include "simulator_inner.h"

#include <inttypes.h>
#include <stdio.h>

static enum stream stream_of(const struct simulator *s, enum stream stream)
{
    return s->on_peer && stream == STREAM_MAIN ? STREAM_PEER : stream;
}

static int64_t gpu_of(const struct simulator *s, const struct device_stream *st)
{
    return s->gpu + (st == &s->streams[STREAM_PEER]);
}

/* The host's side of a call: its event and one half of the flow ('s', 'f', or 0: none).
 * Returns its start. */
static int64_t runtime_call(struct simulator *s, const char *cat, const char *name,
                            int cid, int64_t dur_ns, char flow, const char *more)
{
    struct host_thread *t = sim_running(s);
    char args[FRAME_ARGS];
    int64_t op = sim_innermost_op(t), start_ns = t->now_ns + 1;
    int at = 0;
    s->correlation++;
    if (!sink_discards(&s->w->sink)) {
        if (op)
            at = sim_put(args, at, "\"External id\": %" PRId64 ", ", op);
        at = sim_put(args, at, "\"%s\": %d, \"correlation\": %" PRId64,
                     s->device->hip ? "cid" : "cbid", cid, s->correlation);
        if (more)
            sim_put(args, at, ", %s", more);
    }
    write_complete(s->w, cat, name, s->pid, t->tid, start_ns, dur_ns, args);
    if (flow)
        write_flow(s->w, flow, "ac2g", s->correlation, s->pid, t->tid, start_ns);
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

/* When work that arrives at arrive_ns starts. */
static int64_t start_on(struct simulator *s, enum stream stream, int64_t arrive_ns)
{
    double gap_ns = (double)s->device->kernel_gap_ns * random_factor(&s->random, 0.3);
    int64_t ready_ns = s->streams[stream].free_ns + (int64_t)gap_ns;
    int64_t start_ns = arrive_ns > ready_ns ? arrive_ns : ready_ns;
    int64_t in_slice_ns = s->slice_ns ? start_ns % s->slice_every_ns : 0;
    return in_slice_ns < s->slice_ns ? start_ns + s->slice_ns - in_slice_ns : start_ns;
}

/* When a kernel is said to have run. */
static struct interval stamped(struct simulator *s, struct interval v)
{
    if (!s->stamp_every_ns)
        return v;
    int64_t flush_ns = (v.start_ns / s->stamp_every_ns + 1) * s->stamp_every_ns,
            next_ns = s->stamp_ns + s->stamp_apart_ns;
    s->stamp_ns = flush_ns > next_ns ? flush_ns : next_ns;
    return (struct interval){s->stamp_ns, s->stamp_ns + s->stamp_apart_ns * 3 / 4};
}

/* Overlap is measured of the main stream and the one of gradients. */
static void occupy(struct simulator *s, enum stream stream, struct interval v)
{
    struct device_stream *st = &s->streams[stream];
    if (stream != STREAM_GROUP)
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
}

/* Queue dur_ns of work on a stream; returns when it runs. */
static struct interval enqueue(struct simulator *s, enum stream stream,
                               int64_t arrive_ns, double dur_ns)
{
    struct interval v = {.start_ns = start_on(s, stream, arrive_ns)};
    v.end_ns = v.start_ns + (int64_t)(dur_ns > 1 ? dur_ns : 1);
    occupy(s, stream, v);
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

static void write_kernel(struct simulator *s, const struct kernel *k,
                         struct interval ran)
{
    const struct device_stream *st = &s->streams[k->stream];
    struct interval v = stamped(s, ran);
    char args[FRAME_ARGS];
    int64_t op = s->replaying ? s->replay_op : sim_innermost_op(sim_running(s));
    int64_t grid = k->grid ? k->grid : 1;
    int at = 0, block = k->block ? k->block : 256;
    if (sink_discards(&s->w->sink)) {
        s->w->events += 2;
        return;
    }
    if (op)
        at = sim_put(args, at, "\"External id\": %" PRId64 ", ", op);
    if (!s->device->hip)
        at = sim_put(args, at, "\"queued\": 0, ");
    at = sim_put(args, at, "\"device\": %" PRId64 ", ", gpu_of(s, st));
    if (!s->device->hip)
        at = sim_put(args, at, "\"context\": 1, ");
    at = sim_put(args, at, "\"stream\": %" PRId64 ", \"correlation\": %" PRId64, st->id,
                 s->correlation);
    if (s->device->hip) {
        at = sim_put(args, at, ", \"kind\": \"Dispatch Kernel\"");
    } else {
        double per_sm = (double)grid / s->device->compute_units;
        at = sim_put(
            args, at,
            ", \"registers per thread\": %d, \"shared memory\": 0, \"blocks per SM\": "
            "%.6f, \"warps per SM\": %.6f",
            k->api == LAUNCH_MODULE ? 168 : 32, per_sm, per_sm * block / 32);
    }
    at = sim_put(args, at, ", \"grid\": [%" PRId64 ", 1, 1], \"block\": [%d, 1, 1]",
                 grid, block);
    if (!s->device->hip)
        at = sim_put(args, at, ", \"est. achieved occupancy %%\": %d",
                     k->api == LAUNCH_MODULE ? 19 : 100);
    if (k->args)
        sim_put(args, at, ", %s", k->args);
    write_complete(s->w, "kernel", k->name, gpu_of(s, st), st->id, v.start_ns,
                   v.end_ns - v.start_ns, args);
    write_flow(s->w, 'f', "ac2g", s->correlation, gpu_of(s, st), st->id, v.start_ns);
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

/* Device time that is not the fault of a defect. */
static void count_work(struct simulator *s, enum stream stream, enum defect defect,
                       int64_t time_ns, double ideal_ns)
{
    if (stream == STREAM_MAIN)
        s->work_ns += defect == DEFECT_NONE ? (double)time_ns
                      : ideal_ns > 0        ? ideal_ns
                                            : 0;
}

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

/* How long the first launch of a function loads its code; 0 from the second one on. */
static int64_t first_load_ns(struct simulator *s, const char *function)
{
    uint64_t hash = 14695981039346656037u;
    if (s->module_load_ns <= 0)
        return 0;
    for (const char *c = function; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 1099511628211u;
    for (int i = 0; i < s->loaded_n; i++)
        if (s->loaded[i] == hash)
            return 0;
    if (s->loaded_n == FUNCTIONS_LOADED)
        return 0;
    s->loaded[s->loaded_n++] = hash;
    s->tally[DEFECT_FIRST_LAUNCH].count++;
    return (int64_t)(s->module_load_ns * (0.6 + (double)(hash % 1000) / 1250));
}

/* The load is inside the launch call that starts now, after it waited wait_ns. */
static void write_module_load(struct simulator *s, int64_t wait_ns, int64_t load_ns)
{
    const struct host_thread *t = sim_running(s);
    char args[FRAME_ARGS];
    bool hip = s->device->hip;
    s->correlation++;
    if (!sink_discards(&s->w->sink))
        sim_put(args, 0,
                "\"External id\": %" PRId64 ", \"%s\": %d, \"correlation\": %" PRId64,
                sim_innermost_op(t), hip ? "cid" : "cbid", hip ? 164 : 168,
                s->correlation);
    write_complete(s->w, hip ? "cuda_runtime" : "cuda_driver",
                   hip ? "hipModuleLoadData" : "cuModuleLoadData", s->pid, t->tid,
                   t->now_ns + 1 + wait_ns + 900, load_ns, args);
}

/* A kernel of the graph that was launched last. */
static void replay(struct simulator *s, const struct kernel *k, double time_ns)
{
    struct interval v = enqueue(s, k->stream, s->replay_arrive_ns, time_ns);
    int64_t dur_ns = v.end_ns - v.start_ns;
    if (!s->silent)
        write_kernel(s, k, v);
    count_work(s, k->stream, k->defect, dur_ns, k->ideal_ns);
    tally(s, k->defect, dur_ns, k->ideal_ns);
}

static double kernel_ns(struct simulator *s, const struct kernel *k)
{
    double floor_ns = (double)s->device->kernel_floor_ns;
    double ns = (k->time_ns > floor_ns ? k->time_ns : floor_ns) * s->device_scale *
                random_factor(&s->random, 0.03);
    if (s->tally[DEFECT_SLOW_CLOCKS].count) { /* from now on */
        s->tally[DEFECT_SLOW_CLOCKS].time_ns += (int64_t)ns;
        s->tally[DEFECT_SLOW_CLOCKS].ideal_ns += ns / s->device_scale;
    }
    return ns;
}

/* The host's side of a launch; returns when the kernel arrives at the device. */
static int64_t launch_call(struct simulator *s, const struct kernel *k)
{
    char more[FRAME_ARGS];
    const struct call *c = &launch_calls[s->device->hip][k->api];
    sim_pass(s, 600);
    int64_t load_ns = first_load_ns(s, k->name);
    int64_t wait_ns = launch_wait_ns(s, k->stream, sim_running(s)->now_ns);
    if (load_ns > 0)
        write_module_load(s, wait_ns, load_ns);
    wait_ns += load_ns;
    int64_t dur_ns =
        wait_ns + (int64_t)(4300 * s->host_scale * random_factor(&s->random, 0.2));
    more[0] = 0;
    if (s->device->hip && !sink_discards(&s->w->sink))
        sim_put(more, 0,
                "\"kernel\": \"%s\", \"grid\": [%" PRId64
                ", 1, 1], \"block\": [%d, 1, 1], \"shared memory\": 0",
                sim_argument_text(s, k->name), k->grid ? k->grid : 1,
                k->block ? k->block : 256);
    int64_t start_ns =
        runtime_call(s, c->cat, c->name, c->cid, dur_ns > 50 ? dur_ns : 50, 's',
                     more[0] ? more : NULL);
    return start_ns + wait_ns;
}

static int64_t latency_ns(struct simulator *s)
{
    return (int64_t)((double)s->device->latency_ns * random_factor(&s->random, 0.1));
}

void sim_launch(struct simulator *s, struct kernel k)
{
    if (s->no_gpu)
        return;
    if (s->replaying) {
        replay(s, &k, kernel_ns(s, &k));
        return;
    }
    k.stream = stream_of(s, k.stream);
    int64_t called_ns = launch_call(s, &k);
    double time_ns = kernel_ns(s, &k);
    struct interval v = enqueue(s, k.stream, called_ns + latency_ns(s), time_ns);
    write_kernel(s, &k, v);
    count_work(s, k.stream, k.defect, v.end_ns - v.start_ns, k.ideal_ns);
    tally(s, k.defect, v.end_ns - v.start_ns, k.ideal_ns);
}

int64_t sim_collective_start(struct simulator *s, const struct kernel *k)
{
    int64_t called_ns = launch_call(s, k);
    return start_on(s, k->stream, called_ns + latency_ns(s));
}

void sim_collective_end(struct simulator *s, const struct kernel *k, int64_t start_ns,
                        int64_t end_ns)
{
    struct interval v = {start_ns, end_ns};
    occupy(s, k->stream, v);
    write_kernel(s, k, v);
}

void sim_replay_begin(struct simulator *s, double call_ns)
{
    bool hip = s->device->hip;
    if (s->no_gpu)
        return;
    sim_pass(s, 600);
    int64_t start_ns =
        runtime_call(s, "cuda_runtime", hip ? "hipGraphLaunch" : "cudaGraphLaunch",
                     hip ? 215 : 311, (int64_t)call_ns, 's', NULL);
    s->replay_arrive_ns = start_ns + 4 * s->device->latency_ns;
    s->replay_op = sim_innermost_op(sim_running(s));
    s->replaying = true;
}

void sim_replay_end(struct simulator *s)
{
    s->replaying = false;
}

static void write_copy(struct simulator *s, const struct copy *c, struct interval v)
{
    static const char *const of_memory[2][2] = {
        {"Memcpy HtoD (Pinned -> Device)", "Memcpy DtoH (Device -> Pinned)"},
        {"Memcpy HtoD (Pageable -> Device)", "Memcpy DtoH (Device -> Pageable)"}};
    static const char *const hip_names[2] = {"Memcpy HtoD (Host -> Device)",
                                             "Memcpy DtoH (Device -> Host)"};
    const char *name = c->direction == COPY_P2P ? "Memcpy PtoP (Device -> Device)"
                       : s->device->hip         ? hip_names[c->direction]
                                                : of_memory[c->pageable][c->direction];
    const struct device_stream *st = &s->streams[c->stream];
    char args[FRAME_ARGS];
    int at =
        sim_put(args, 0,
                "\"External id\": %" PRId64 ", \"device\": %" PRId64 ", %s\"stream\": "
                "%" PRId64 ", \"correlation\": %" PRId64,
                sim_innermost_op(sim_running(s)), gpu_of(s, st),
                s->device->hip ? "" : "\"context\": 1, ", st->id, s->correlation);
    if (s->device->hip)
        at = sim_put(args, at, ", \"kind\": \"%s\"",
                     c->direction == COPY_H2D   ? "HtoD"
                     : c->direction == COPY_D2H ? "DtoH"
                                                : "PtoP");
    sim_put(args, at, ", \"bytes\": %" PRId64 ", \"memory bandwidth (GB/s)\": %.6f",
            c->bytes, (double)c->bytes / (double)(v.end_ns - v.start_ns));
    write_complete(s->w, "gpu_memcpy", name, gpu_of(s, st), st->id, v.start_ns,
                   v.end_ns - v.start_ns, args);
    write_flow(s->w, 'f', "ac2g", s->correlation, gpu_of(s, st), st->id, v.start_ns);
}

void sim_copy(struct simulator *s, struct copy c)
{
    char more[FRAME_ARGS];
    bool hip = s->device->hip;
    c.stream = stream_of(s, c.stream);
    if (s->no_gpu)
        return;
    sim_pass(s, 600);
    sim_put(more, 0,
            "\"src\": \"0x7f0e4a7e8000\", \"dst\": \"0x7f3e79800400\", \"bytes\": "
            "\"%" PRId64 "\", \"kind\": \"%d\"",
            c.bytes, c.direction == COPY_H2D ? 1 : 2);
    double call_ns = 5200 * s->host_scale * random_factor(&s->random, 0.2);
    double byte_per_ns =
        c.pageable ? s->device->pageable_byte_per_ns : s->device->host_byte_per_ns;
    double time_ns =
        (1800 + (double)c.bytes / byte_per_ns) * random_factor(&s->random, 0.1);
    int64_t start_ns = sim_running(s)->now_ns + 1;
    struct interval v = enqueue(s, c.stream, start_ns + s->device->latency_ns, time_ns);
    if (c.pageable) /* through a buffer of the driver: the call returns with the copy */
        call_ns += (double)(v.end_ns - start_ns);
    runtime_call(s, "cuda_runtime", hip ? "hipMemcpyAsync" : "cudaMemcpyAsync",
                 hip ? 134 : 41, (int64_t)call_ns, 's', hip ? more : NULL);
    write_copy(s, &c, v);
    count_work(s, c.stream, c.defect, v.end_ns - v.start_ns, c.ideal_ns);
    tally(s, c.defect, v.end_ns - v.start_ns, c.ideal_ns);
}

static int64_t device_free_ns(const struct simulator *s)
{
    int64_t last_ns = 0;
    for (int i = 0; i < STREAMS; i++)
        if (s->streams[i].free_ns > last_ns)
            last_ns = s->streams[i].free_ns;
    return last_ns;
}

void sim_device_malloc(struct simulator *s, double ns)
{
    bool hip = s->device->hip;
    if (s->no_gpu)
        return;
    sim_pass(s, 400);
    runtime_call(s, "cuda_runtime", hip ? "hipMalloc" : "cudaMalloc", hip ? 103 : 20,
                 (int64_t)(ns * random_factor(&s->random, 0.05)), 0, NULL);
}

void sim_device_free(struct simulator *s, double ns)
{
    bool hip = s->device->hip;
    if (s->no_gpu)
        return;
    sim_pass(s, 400);
    int64_t wait_ns = device_free_ns(s) - sim_running(s)->now_ns;
    runtime_call(s, "cuda_runtime", hip ? "hipFree" : "cudaFree", hip ? 68 : 22,
                 (wait_ns > 0 ? wait_ns : 0) +
                     (int64_t)(ns * random_factor(&s->random, 0.05)),
                 0, NULL);
    s->work_since_sync_ns = 0;
}

static void synchronize(struct simulator *s, const char *name, int cid,
                        int64_t until_ns)
{
    if (s->no_gpu)
        return;
    sim_pass(s, 400);
    int64_t now_ns = sim_running(s)->now_ns, wait_ns = until_ns - now_ns;
    double back_ns = 2500 * random_factor(&s->random, 0.2);
    runtime_call(s, "cuda_runtime", name, cid,
                 (wait_ns > 0 ? wait_ns : 0) + (int64_t)back_ns,
                 s->device->hip ? 'f' : 's', NULL);
    s->work_since_sync_ns = 0;
}

void sim_stream_synchronize(struct simulator *s)
{
    bool hip = s->device->hip;
    synchronize(s, hip ? "hipStreamSynchronize" : "cudaStreamSynchronize",
                hip ? 195 : 131, s->streams[stream_of(s, STREAM_MAIN)].free_ns);
}

void sim_device_synchronize(struct simulator *s)
{
    bool hip = s->device->hip;
    synchronize(s, hip ? "hipDeviceSynchronize" : "cudaDeviceSynchronize",
                hip ? 48 : 165, device_free_ns(s));
}

void sim_stream_wait(struct simulator *s, enum stream waits, enum stream for_stream)
{
    bool hip = s->device->hip;
    if (s->no_gpu)
        return;
    sim_pass(s, 300);
    runtime_call(s, "cuda_runtime", hip ? "hipEventRecord" : "cudaEventRecord",
                 hip ? 82 : 135, 900, hip ? 'f' : 's', NULL);
    runtime_call(s, "cuda_runtime", hip ? "hipStreamWaitEvent" : "cudaStreamWaitEvent",
                 hip ? 200 : 147, 1100, hip ? 'f' : 's', NULL);
    if (s->streams[waits].free_ns < s->streams[for_stream].free_ns)
        s->streams[waits].free_ns = s->streams[for_stream].free_ns;
}
