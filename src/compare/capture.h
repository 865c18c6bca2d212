/* capture.h - one capture, reduced to what a comparison needs: rows of work, device
 * events, steps, idle time, the set-up.
 *
 * Made from an analysed trace, or from the tables of a finished report, which have no
 * events, steps or causes of idle time. Texts are lent by the trace or the tables.
 * Times are whole nanoseconds on the capture's own clock. */
#ifndef COMPARE_CAPTURE_H
#define COMPARE_CAPTURE_H

#include "analysis/model/finding.h"

enum device_part { DEVICE_COMPUTE, DEVICE_COMM, DEVICE_COPY, DEVICE_PARTS };

/* Work of one part with one name and one set of arguments. */
struct capture_row {
    struct str name, types, dims, strides, concrete; /* as Python prints tuples */
    struct str base;                                 /* the reference's category */
    enum work_category category;
    enum device_part part;
    struct str kernel; /* with most of its time */
    struct str parent; /* module or operator that all its calls are in; or empty */
    int64_t n_calls, n_events; /* device events */
    int64_t kernel_ns;         /* sum over its device events */
    double flop, byte;         /* of one call; NaN: no model */
    struct str compute_spec;
    bool unlinked; /* no launch call is recorded */
    bool replayed; /* by a GPU graph */
};

struct capture_event {
    int64_t start_ns, end_ns;
    struct str kernel;
    int32_t row, stream;
    bool begins; /* the first of its call and row */
};

/* From the first device event that a step launched to the first of the next step, which
 * the host's marks cannot tell: work runs long after it was launched. */
struct capture_step {
    int64_t start_ns, end_ns, number;
    struct str phase; /* of a serving engine: "prefill", "decode", "mixed"; or empty */
    double requests[2];             /* context, generation; NaN */
    double new_tokens, seen_tokens; /* of all requests: queries, keys; NaN */
    bool steady;                    /* counts: not a warm-up step */
};

struct capture_idle { /* part of the idle time of the whole window */
    struct str cause; /* "idle: Python" */
    int64_t ns;
};

struct capture_setup_line {
    struct str what, value; /* empty value: not recorded */
};

struct capture {
    struct str label;
    const struct device_spec *device; /* NULL: no roofline */
    struct capture_row *rows;
    int32_t n_rows;
    struct capture_event *events; /* by start */
    int32_t n_events;             /* 0: made from tables */
    int64_t start_ns, end_ns;     /* the window */
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
    const struct finding *findings; /* of the analysis */
    int n_findings;
    bool has_shapes, has_stacks, has_operators;
};

#endif
