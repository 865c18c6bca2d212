/* perfetto_state.h - what is known of a Perfetto trace while it is read. */
#ifndef FORMATS_PERFETTO_STATE_H
#define FORMATS_PERFETTO_STATE_H

#include "base/arena.h"
#include "base/int_map.h"
#include "formats/message_stream.h"
#include "formats/packed_args.h"
#include "formats/perfetto_args.h"
#include "formats/perfetto_clock.h"
#include "formats/perfetto_packet.h"
#include "formats/perfetto_track.h"
#include "formats/slice_pair.h"

/* A call whose end is not known yet. */
struct slice {
    name_id name;
    uint8_t cat;
    bool has_args;
};

struct sequence {
    uint32_t id;
    uint64_t track; /* of events that name none */
    struct sequence_clocks clocks;
};

/* A queue of a device. */
struct queue {
    struct queue_key {
        uint64_t iid;
        uint32_t sequence;
        int32_t gpu;
    } key;
    name_id pid_text, tid_text, label; /* "0", "7", "stream 7" */
    int64_t stream;
};

/* What is left of the packet that was read last, if it holds counters. */
struct counter_packet {
    struct wire left;
    uint64_t descriptor;
    uint32_t sequence;
    name_id process;
    int64_t at_ns;
};

/* Lists in address space that grows with them. */
struct rows {
    void *at;
    int32_t n, max;
};

/* A node of a GPU graph as it ran, and what it waited for. */
struct graph_node {
    uint64_t id;
    int64_t start_ns, end_ns;
    int32_t queue;
};
struct graph_wait {
    uint64_t id; /* of the node before */
    int32_t node;
};

enum phase { IN_FILE, IN_SLICES, IN_EDGES, IN_LABELS, AT_END };

struct perfetto_reader {
    struct message_stream stream;
    struct name_pool texts;
    struct perfetto_intern intern;
    struct perfetto_args args;
    struct perfetto_tracks tracks;
    struct slice_marks marks;
    struct rows sequences, slices, queues;
    struct packed_args slice_args; /* of slices that have some, in their order */
    struct name_pool queue_keys, sequence_keys;
    struct rows nodes, waits;
    struct int_map node_of; /* by id, once all are read */
    struct arena memory;    /* of the map */
    char *memory_start;
    int32_t last_queue, last_sequence;
    struct counter_packet counters;
    struct {
        enum event_cat *of; /* by text; EVENT_CATS: not looked up */
        int32_t max;
    } cats;
    int64_t shift_ns; /* taken off all times */
    double base_ns;
    bool has_base, has_events;
    bool is_rocm;    /* its categories are those of rocprofv3 */
    int64_t n_known; /* events that say something of a GPU, or of PyTorch */

    enum phase phase;
    int64_t *end_ns; /* by slice */
    int32_t at;      /* of the slice or label that comes next */
    int32_t at_mark; /* where the slice begins, or before */
    int32_t uid, n_void;
    struct event event;
};

/* A new row of rows that take so many bytes each. */
void *perfetto_new_row(struct rows *r, ptrdiff_t size);
void perfetto_forget_rows(struct rows *r, ptrdiff_t size, int32_t n); /* the first n */
void perfetto_free_rows(struct rows *r, ptrdiff_t size);

#define NEW_ROW(rows, T) ((T *)perfetto_new_row((rows), sizeof(T)))
#define ROW(rows, T, i)  (&((T *)(rows).at)[i])

struct sequence *perfetto_sequence(struct perfetto_reader *r, uint32_t id);

/* The time of a packet, from the base of the trace. */
int64_t perfetto_time_ns(struct perfetto_reader *r, const struct perfetto_packet *p);

/* The text of a number; -1: it has none. */
name_id perfetto_interned(struct perfetto_reader *r, uint32_t sequence,
                          enum intern_kind kind, uint64_t iid);

/* The next event, blank but for what it is. */
struct event *perfetto_new_event(struct perfetto_reader *r, char ph,
                                 enum event_cat cat);
void perfetto_set_args(const struct perfetto_reader *r, struct event *ev,
                       const struct arg_row *row);

#endif
