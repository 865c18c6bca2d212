/* capture.h - one capture, reduced to what comparisons and jobs need: rows of work,
 * device events, steps, collectives, idle time, the set-up.
 *
 * Made from an analysed trace, read from the capture file of one, or made from the
 * tables of a finished report, which have no events, steps or causes of idle time.
 * Texts are lent by the trace, the file or the tables. Times are whole nanoseconds on
 * the capture's own clock. */
#ifndef CAPTURE_CAPTURE_H
#define CAPTURE_CAPTURE_H

#include "analysis/model/finding.h"
#include "perf/device_fit.h"

enum device_part { DEVICE_COMPUTE, DEVICE_COMM, DEVICE_COPY, DEVICE_PARTS };

/* A module or an operator that calls are made in, by its path from the recording, which
 * is node 0. A node comes behind its parent. */
enum { CAPTURE_DEPTH_MAX = 200 };

struct capture_node {
    int32_t parent, depth;
    struct str name;
    bool module;
};

/* Work of one part with one name and one set of arguments, called from one path. */
struct capture_row {
    struct str name, types, dims, strides, concrete; /* as Python prints tuples */
    struct str base;                                 /* the reference's category */
    enum work_category category;
    enum device_part part;
    struct str kernel;         /* with most of its time */
    struct str parent;         /* module or operator around its calls; or empty */
    int32_t node;              /* the same as a place in `nodes` */
    int64_t n_calls, n_events; /* device events */
    int64_t kernel_ns;         /* sum over its device events */
    int64_t host_ns;           /* of its calls, from begin to end; 0: not recorded */
    double flop, byte;         /* of one call; NaN: no model */
    struct str compute_spec;
    bool unlinked; /* no launch call is recorded */
    bool replayed; /* by a GPU graph */
};

/* Calls of a row whose kernels took about as long; see call_durations.h. */
struct capture_bin {
    int32_t row, bin;
    int64_t n;
};

struct capture_event {
    int64_t start_ns, end_ns;
    struct str kernel;
    int32_t row, stream;
    bool begins; /* the first of its call and row */
};

/* What the window or a step consists of: a part for each class of computation, then
 * exposed communication, exposed copies, idle time; see waterfall.h. */
enum { CAPTURE_PARTS = WORK_CATEGORIES + 3 };

/* From the first device event that a step launched to the first of the next step, which
 * the host's marks cannot tell: work runs long after it was launched. */
struct capture_step {
    int64_t start_ns, end_ns, number;
    struct str phase; /* of a serving engine: "prefill", "decode", "mixed"; or empty */
    double requests[2];             /* context, generation; NaN */
    double new_tokens, seen_tokens; /* of all requests: queries, keys; NaN */
    bool steady;                    /* counts: not a warm-up step */
    bool kept;                      /* its events are in the capture */
    int64_t parts_ns[CAPTURE_PARTS];
};

struct capture_idle { /* part of the idle time */
    struct str cause; /* "idle: Python" */
    int64_t ns;
    int32_t step; /* that it lies in; -1: it is that of the whole window */
};

struct capture_measure { /* a figure of the run; measured.h */
    struct str name;
    double value;
};

struct capture_layer {      /* a repeated block of the model; analysis/stack/layers.h */
    struct str class, name; /* layers of a class are one after the other */
    int64_t calls;          /* forward, recomputation apart */
    int64_t forward_ns, backward_ns; /* device time of all of them */
    int64_t idle_ns; /* nothing of a forward call runs; 0: none, or an older capture */
};

struct capture_code { /* a version of a compiled frame, its backward pass, or a graph */
    struct str kind, name;  /* "region", "backward", "graph"; "2/5", "f7zrj..." */
    int32_t frame, version; /* of a region; -1: not recorded */
    int64_t calls, kernels;
    int64_t host_ns, device_ns; /* of all of them; see analysis/stack/compiled.h */
    int64_t breaks, break_ns;   /* before them */
};

struct capture_setup_line {
    struct str what, value; /* empty value: not recorded */
};

/* Ranks that communicate. A name may be that of several groups; a key is of one. */
struct capture_group {
    struct str name, description, source; /* where its ranks are from */
    uint64_t key;                         /* of the name and the sorted ranks */
    int32_t size;                         /* ranks; 0: unknown */
    const int32_t *ranks;                 /* NULL: not recorded */
    int n_ranks;
};

/* Where a fact of a collective is from: the first of these that has it. */
enum fact_source { FACT_NONE, FACT_KERNEL, FACT_OPERATOR, FACT_ANNOTATION, FACT_NAME };

/* Collectives that move the same amount in the same group the same way. */
struct capture_signature {
    struct str kind, dtype;            /* "all-reduce", "Float"; empty: unknown */
    struct str name;                   /* as recorded: "_allgather_base"; or empty */
    struct str in_split, out_split;    /* as recorded: elements for each rank */
    int32_t group;                     /* -1: unknown */
    int32_t root;                      /* of a broadcast and its kin; -1: unknown */
    int64_t in_elements, out_elements; /* -1: unknown */
    enum fact_source kind_source, size_source;
    bool custom; /* a kernel of no communication library */
};

enum sequence_source { SEQUENCE_NONE, SEQUENCE_NUMBER, SEQUENCE_COMMS_ID };

enum { CAPTURE_CAUSES = 16 }; /* enum idle_class */

/* One collective, or one end of a transfer between two ranks; in device order. The
 * segment is the time since the end of the one before, of any group, or since the
 * window's start, by what it went to; its idle time also by cause, as far as known. */
struct capture_collective {
    int32_t signature, stream;
    int64_t start_ns, dur_ns;
    int64_t sequence;
    enum sequence_source sequence_source;
    int32_t peer;     /* p2p: the rank at the other end; -1: unknown */
    int64_t issue_ns; /* from the host's call to the start; -1: unknown */
    int64_t compute_ns, copy_ns, idle_ns, other_wait_ns;
    int64_t cause_ns[CAPTURE_CAUSES]; /* parts of idle_ns */
};

struct capture_block { /* device work between starts and ends of collectives */
    int64_t start_ns, dur_ns;
};

/* What only a job of several ranks asks for. Its window has the backlog too: a rank
 * that still works for the step before is late for the others. */
struct capture_ranks {
    int64_t start_ns, end_ns;
    int64_t computation_ns, exposed_comm_ns, exposed_copy_ns, idle_ns; /* of it */
    int rank, world_size;              /* -1: not recorded */
    struct str backend, library, host; /* "nccl", its version; empty: unknown */
    struct str folder; /* that the trace lies in, which may be of a host; or empty */
    struct capture_group *groups;
    struct capture_signature *signatures;
    struct capture_collective *collectives, *p2p;
    struct capture_block *blocks;
    struct capture_block *covers; /* computation that hides communication */
    int32_t n_groups, n_signatures, n_collectives, n_p2p, n_blocks, n_covers;
    int n_devices;     /* of the machine, as the trace describes it */
    bool is_merged;    /* a tool made one file of the traces of several ranks */
    int64_t kernel_ns; /* sum over kernels other than communication */
};

/* Where a capture comes from. */
struct capture_origin {
    struct str tool, file, sha256; /* of the trace; empty: unknown */
    int64_t bytes;                 /* of the trace, uncompressed; -1: unknown */
    int64_t base_ns; /* of the clock: host time since 1970 less the capture's time */
    int64_t trace_base_ns; /* the same of the times that the trace holds */
    struct str platform;   /* that it was analysed with; empty: none */
    struct traced_device device;
    struct str vendor; /* of a device that is no GPU (device_word.h); empty: a GPU */
};

struct capture {
    struct str label;
    struct capture_origin origin;
    struct capture_ranks ranks;
    const struct device_spec *device; /* NULL: no roofline */
    struct capture_row *rows;
    int32_t n_rows;
    struct capture_node *nodes;
    int32_t n_nodes;              /* 0: made from tables */
    struct capture_event *events; /* by start */
    int32_t n_events;             /* 0: made from tables, or too many for the file */
    struct capture_bin *bins;     /* of all calls of the window, by row, then bin */
    int32_t n_bins;
    int64_t start_ns, end_ns;                                          /* the window */
    int64_t computation_ns, exposed_comm_ns, exposed_copy_ns, idle_ns; /* of it */
    int64_t backlog_ns, unlinked_ns;
    int32_t n_backlog;
    struct capture_step *steps; /* by start; fewer than two are none */
    int n_steps;
    struct capture_idle *idle;
    int n_idle;
    struct capture_setup_line
        *setup; /* the same lines, in one order, for every capture */
    int n_setup;
    struct capture_measure *measured; /* what is known */
    int32_t n_measured;
    struct capture_layer *layers; /* in the order in which they ran */
    int32_t n_layers;
    struct capture_code *compiled; /* by kind, longest first */
    int32_t n_compiled;
    struct finding *findings; /* of the analysis */
    int n_findings;
    bool has_shapes, has_stacks, has_operators;
    bool has_parts;                  /* parts_ns are known */
    int64_t parts_ns[CAPTURE_PARTS]; /* of the window */
};

#endif
