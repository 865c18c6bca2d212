/* event.h - one record of a profiler, whatever format it was read from. */
#ifndef TRACE_EVENT_H
#define TRACE_EVENT_H

#include "base/str.h"
#include "kernels/event_role.h"

enum event_cat {
    CAT_OTHER, /* of no category, or of one that is not known */
    CAT_CPU_OP,
    CAT_PYTHON,
    CAT_RUNTIME,
    CAT_DRIVER,
    CAT_KERNEL,
    CAT_MEMCPY,
    CAT_MEMSET,
    CAT_ANNOTATION,
    CAT_GPU_ANNOTATION,
    CAT_LAUNCH_FLOW,    /* ac2g; async in 2021 */
    CAT_DEVICE_ARROW,   /* of an Ascend trace: from inside a call to where a task begins
                         */
    CAT_OPERATOR_ARROW, /* the same from an operator */
    CAT_GRAPH_EDGE, /* of a GPU graph: from the end of a node to where the one begins
                       that depends on it */
    CAT_FWDBWD_FLOW,
    CAT_OVERHEAD,
    CAT_TRACE_SPAN,
    CAT_COMPILE_LOG,
    CAT_UNUSED, /* known, and nothing follows from it */
    EVENT_CATS
};

#define NO_ID INT64_MIN /* an identifier that is not there */

/* The arguments of an event that anything uses. The first five are raw, as the source
 * records them, for its `decode`: equal texts are equal values. n == 0: absent. */
struct event_args {
    struct str dims, types, strides, concrete;
    struct str rest;       /* every other member that distinguishes calls, a map */
    struct str call_stack; /* 2021: frames joined by ';' */
    struct str text; /* name or labels of a metadata event, or the category of a span
                        of CAT_OTHER that has one nobody knows; p NULL: absent */
    int64_t correlation, external_id, sequence, stream, bytes;
    int64_t comms_sequence; /* of a collective in its group */
    int64_t record_id;      /* of an operator, as an execution trace has it */
    int64_t total_allocated, total_reserved, device_type, device_id, addr;
    bool is_task; /* of a device that records no category */
};

struct event {
    int32_t uid;
    char ph; /* X i M s f ...; 0: none */
    enum event_cat cat;
    event_role
        role; /* of a call or a copy, where it is recorded; 0: its name says it */
    uint8_t escaped; /* the JSON reader's own: texts that still hold escapes */
    struct str name;
    struct str pid, tid; /* 12 and "12" are one lane */
    int64_t start_ns, dur_ns;
    bool has_start, has_dur;
    int64_t flow_id;
    bool has_args; /* else `args` holds nothing, not even zeros */
    struct event_args args;
};

/* None of them is there. */
static const struct event_args no_args = {.correlation = NO_ID,
                                          .external_id = NO_ID,
                                          .sequence = NO_ID,
                                          .comms_sequence = NO_ID,
                                          .record_id = NO_ID,
                                          .stream = NO_ID,
                                          .bytes = NO_ID,
                                          .total_allocated = NO_ID,
                                          .total_reserved = NO_ID,
                                          .device_type = NO_ID,
                                          .device_id = NO_ID,
                                          .addr = NO_ID};

/* Nothing is known about the event. The arguments are two thirds of it, and most events
 * have none, so they wait until there are some. */
static inline void event_clear(struct event *ev)
{
    static const struct event blank = {.flow_id = NO_ID};
    memcpy(ev, &blank, offsetof(struct event, args));
}

/* The arguments, to be set. */
static inline struct event_args *event_args_set(struct event *ev)
{
    if (!ev->has_args)
        ev->args = no_args;
    ev->has_args = true;
    return &ev->args;
}

/* The arguments, to be read. */
static inline const struct event_args *event_args(const struct event *ev)
{
    return ev->has_args ? &ev->args : &no_args;
}

#endif
