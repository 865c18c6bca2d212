/* run_lanes.h - the run as lanes of boxes: what each stream runs and what the host
 * does.
 *
 * Streams come first, by busy time, then what the run waits for, then the host: what
 * its launching thread does at each moment, its annotations, and three levels of its
 * calls, from where they branch. All times are ns from the beginning of the window;
 * what the host does before that, or after the last one, is not in it. Where streams or
 * calls share time, it belongs to what began first, so the boxes of a lane add up to
 * when it is busy. Names come from the trace and are hostile. */
#ifndef ANALYSIS_MODEL_RUN_LANES_H
#define ANALYSIS_MODEL_RUN_LANES_H

#include "base/str.h"
#include "ops/lane_boxes.h"

/* What a box is: the class of a device event's operation from 0 up, or one of these. */
enum lane_kind {
    LANE_NOTE = -8, /* an annotation */
    LANE_WAITING,   /* in a call that waits for the device */
    LANE_RUNTIME,   /* in any other call of the runtime or driver */
    LANE_DISPATCH,  /* in an operator */
    LANE_PYTHON,
    LANE_COPY,
    LANE_COMMUNICATION,
    LANE_OTHER /* device work that no row counts */
};

enum host_part { HOST_PYTHON, HOST_DISPATCH, HOST_RUNTIME, HOST_WAITING, HOST_PARTS };

struct lane_name {
    struct str text;
    int8_t kind; /* a class, or enum lane_kind */
};

enum run_lane_kind {
    RUN_STREAM,
    RUN_PATH, /* the critical path, where it is known */
    RUN_HOST,
    RUN_NOTES,
    RUN_CALLS
};

struct run_lane {
    enum run_lane_kind kind;
    struct str name; /* of the stream, or of the thread */
    int depth;       /* of RUN_CALLS: from 1 */
    int skipped;     /* of RUN_CALLS: levels above that one call fills */
    struct lane_boxes boxes;
    int64_t busy_ns, n_events; /* sums over the boxes */
};

/* Where a box of a stream comes from. */
struct lane_start {
    int64_t call_ns; /* when the call that launched it began; less than 0: before */
    int8_t thread;   /* of run_lanes.threads, that made the call; -1: not recorded */
    int32_t op;      /* the operation that counts it, of report.ops; -1: none */
    int32_t shape;   /* of run_lanes.shapes; -1: not recorded */
};

enum { LANE_THREADS = 2 };

struct run_lanes {
    struct run_lane *at;
    int n;
    struct lane_name *names; /* by lane_box.name */
    int32_t n_names;
    struct lane_start *starts; /* by lane_box.more of streams */
    int32_t n_starts;
    struct str *shapes; /* "grid 4 x 4 x 1, block 128 x 1 x 1", "2.0 MiB" */
    int32_t n_shapes;
    struct str threads[LANE_THREADS]; /* those that launch, as their lanes are named */
    int n_threads;
    bool host_known; /* something is recorded of the launching thread in this time */
    int64_t *host_ns[HOST_PARTS]; /* what it does, by bin of the timeline */
};

#endif
