/* simulator.h - a host that runs Python and operators, and a device that runs kernels.
 *
 * Two clocks: each host thread has its own, each stream has the time it is free again.
 * A launch costs the host a few microseconds and starts its kernel when the launch has
 * arrived and the stream is free, so a host that is fast enough runs ahead and one that
 * is not leaves the device idle. Nothing is remembered but the open frames and the last
 * few thousand intervals: a trace may have any length. A frame is written when it
 * closes, hence after what it contains; real traces are not sorted either. */
#ifndef SAMPLE_SIMULATOR_H
#define SAMPLE_SIMULATOR_H

#include "defect.h"
#include "device_table.h"
#include "event_writer.h"
#include "op_arg.h"
#include "sample_random.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    FRAME_DEPTH = 96,
    FRAME_NAME = 320,
    FRAME_ARGS = 3072,
    QUEUE_KERNELS = 1024,  /* a launch waits when so many are outstanding */
    INTERVALS_KEPT = 4096, /* per class, to measure overlap */
    FUNCTIONS_LOADED = 256
};

enum host { HOST_MAIN, HOST_AUTOGRAD, HOSTS };
/* STREAM_PEER: the main one of the next device. */
enum stream { STREAM_MAIN, STREAM_COMM, STREAM_GROUP, STREAM_PEER, STREAMS };
enum frame_kind { FRAME_PYTHON, FRAME_OP, FRAME_ANNOTATION };

struct frame {
    enum frame_kind kind;
    int64_t ts_ns, id; /* External id, or Python id */
    char name[FRAME_NAME], args[FRAME_ARGS];
};

struct host_thread {
    int64_t now_ns, tid;
    int depth, used; /* used: something was recorded on it */
    struct frame frames[FRAME_DEPTH];
};

struct interval {
    int64_t start_ns, end_ns;
};

struct device_stream {
    int64_t id, free_ns;
    int64_t launched, busy_ns;
    struct interval kept[INTERVALS_KEPT]; /* the last ones, a ring by `launched` */
};

struct simulator {
    struct event_writer *w;
    const struct sample_device *device;
    struct sample_random random;
    struct host_thread hosts[HOSTS];
    struct device_stream streams[STREAMS];
    enum host host; /* the running thread */
    int64_t pid, gpu;
    double host_scale;   /* how slow the host is */
    double device_scale; /* how slow kernels are, collectives apart */
    bool python, shapes, no_gpu;
    int64_t external_id, ev_idx, python_id, correlation, sequence, flow;
    int64_t overlap_ns;
    int64_t gpu_first_ns, gpu_last_ns; /* of the whole trace; first < 0: none yet */
    int64_t step_first_ns; /* first device work of this step; < 0: none yet */
    int64_t steps_from_ns,
        steps_to_ns; /* of the host, from the first step; < 0: none yet */
    /* Device time launched since the host last waited, but for what defects add to it:
     * how long the host thinks about a value does not depend on the other mistakes. */
    double work_since_sync_ns;
    double work_ns;        /* the same of the main stream, since the beginning */
    double module_load_ns; /* of a function's first launch; 0: all are loaded */
    uint64_t loaded[FUNCTIONS_LOADED]; /* hashes of the functions that were launched */
    int loaded_n;
    int64_t slice_ns,
        slice_every_ns; /* the device is another process's at the beginning of each */
    int64_t stamp_every_ns, stamp_apart_ns; /* kernels get the time of the next flush,
                                               one after the other */
    int64_t stamp_ns;                       /* the last one */
    bool on_peer;   /* what is for the main stream goes to that of the next device */
    bool replaying; /* frames cost nothing and are not written: a graph runs */
    bool silent;    /* its kernels are not written */
    int64_t replay_op, replay_arrive_ns;
    struct defect_tally tally[DEFECTS];
};

/* An open operator's place in the graph of autograd. */
struct graph_node {
    int64_t sequence, flow;
};

enum launch_api { LAUNCH_RUNTIME, LAUNCH_MODULE, LAUNCH_TRITON, LAUNCH_COLLECTIVE };

struct kernel {
    const char *name;
    double time_ns; /* before jitter; the floor of the device holds */
    enum launch_api api;
    enum stream stream;
    int64_t grid;       /* blocks; 0 is 1 */
    int block;          /* threads; 0 is 256 */
    enum defect defect; /* DEFECT_NONE, or where its time is counted */
    double ideal_ns;    /* what would have been enough; < 0: told with another kernel */
    const char *args;   /* more of them, or NULL */
};

void sim_open(struct simulator *s, struct event_writer *w,
              const struct sample_device *d, uint64_t seed);

/* Frames of the running thread, innermost last. */
void sim_python(struct simulator *s, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void sim_module(struct simulator *s, const char *type, int64_t instance);
void sim_op(struct simulator *s, const char *name, const struct op_arg *arg, int n);
void sim_op_more(struct simulator *s, const char *name, const struct op_arg *arg, int n,
                 const char *more_args);
void sim_annotation(struct simulator *s, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void sim_end(struct simulator *s);
void sim_end_n(struct simulator *s, int n);

/* An operator without children that launches nothing. */
void sim_leaf(struct simulator *s, const char *name, const struct op_arg *arg, int n);

#define ARGS(...)                                                                      \
    (const struct op_arg[]){__VA_ARGS__},                                              \
        (int)(sizeof((const struct op_arg[]){__VA_ARGS__}) / sizeof(struct op_arg))

/* The host thinks. */
void sim_think(struct simulator *s, double ns);

/* A place in the graph, and the operator there. The flow to the backward
 * pass starts at the operator that is innermost when sim_graph_flow is called. */
struct graph_node sim_graph_node(struct simulator *s);
void sim_graph_op(struct simulator *s, const char *name, const struct op_arg *arg,
                  int n, struct graph_node node);
void sim_graph_flow(struct simulator *s, struct graph_node *node);

/* autograd::engine::evaluate_function around a node; two frames to close. */
void sim_backward_node(struct simulator *s, const char *name, struct graph_node node,
                       struct op_arg grad);

void sim_launch(struct simulator *s, struct kernel k);

/* A collective: the launch tells when its kernel starts, the other ranks when it ends.
 * In between this rank does nothing. */
int64_t sim_collective_start(struct simulator *s, const struct kernel *k);
void sim_collective_end(struct simulator *s, const struct kernel *k, int64_t start_ns,
                        int64_t end_ns);

enum copy_direction { COPY_H2D, COPY_D2H, COPY_P2P };
struct copy {
    enum copy_direction direction;
    enum stream stream;
    int64_t bytes;
    bool pageable; /* the call returns when the copy is done; otherwise at once */
    enum defect defect;
    double ideal_ns;
};
void sim_copy(struct simulator *s, struct copy c);

/* The allocator asks the driver: memory is there after `ns`; it is given back once the
 * device is idle, and `ns` later. */
void sim_device_malloc(struct simulator *s, double ns);
void sim_device_free(struct simulator *s, double ns);

/* What is called between these two runs on the device as a graph that was recorded
 * earlier: one launch call of call_ns, then only device work. */
void sim_replay_begin(struct simulator *s, double call_ns);
void sim_replay_end(struct simulator *s);

/* The host waits: for the main stream, or for the device. */
void sim_stream_synchronize(struct simulator *s);
void sim_device_synchronize(struct simulator *s);

/* Makes a stream wait for the work queued on another. */
void sim_stream_wait(struct simulator *s, enum stream waits, enum stream for_stream);

/* Control passes to another thread, which starts no earlier than this one is. */
void sim_switch(struct simulator *s, enum host host);

/* ProfilerStep#n opens, and closes with its shadow on the device. */
void sim_step_begin(struct simulator *s, int64_t step);
void sim_step_end(struct simulator *s, int64_t step);

/* What a timeline of the device would say, from the first step to the end of the last.
 */
struct device_times {
    double total_ns, idle_ns, exposed_comm_ns;
};
struct device_times sim_times(const struct simulator *s);

double sim_roofline_ns(const struct simulator *s, struct work w);

#endif
