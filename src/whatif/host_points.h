/* host_points.h - the host calls that a schedule turns on: those that launch device
 * work and those that wait for it.
 *
 * A call waits if it synchronises (returning memory to the driver does), if its own
 * copy begins and ends inside it (of pageable memory), or if it is a launch that took
 * much longer than usual, which is a full queue if the schedule finds one (schedule.c).
 *
 * All other host time is the span between a call and the call before it. That is the
 * previous call of its thread, unless the thread handed over: if the call that
 * began last before this one is of another thread, has returned, and this thread began
 * no event while other threads made calls, then it was waiting for them (autograd's
 * thread while the main thread launches, the main thread during backward), and the span
 * begins where that call ended. The first call of a thread follows the last call of
 * any. */
#ifndef WHATIF_HOST_POINTS_H
#define WHATIF_HOST_POINTS_H

#include "ops/trace_view.h"

enum host_wait {
    WAIT_NONE,
    WAIT_SOME,   /* for an event or a stream */
    WAIT_DEVICE, /* for all streams */
    WAIT_COPY,   /* for its own copy */
    WAIT_QUEUE   /* perhaps: a launch that took long */
};

struct host_point {
    event_id call; /* -1: the end of the window, where that is the host's */
    int32_t lane;
    int32_t before;   /* the point before it; -1: none */
    int64_t after_ns; /* where the span before it begins; its start if none */
    int64_t start_ns, end_ns;
    int32_t device;     /* place of the last device event it launched, or -1 */
    int32_t n_launched; /* device events */
    uint8_t wait;       /* enum host_wait */
    bool waits_on_gpu;  /* orders a stream behind an event: cudaStreamWaitEvent */
};

struct host_points {
    struct host_point *at; /* by start */
    int32_t n;
    int32_t end;        /* the point where the window ends; -1: with a device event */
    int32_t *of_device; /* by place: the point that launched it, or -1 */
};

struct host_points host_points_build(struct arena *perm, struct arena tmp,
                                     const struct trace_view *v);

#endif
