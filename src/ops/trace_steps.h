/* trace_steps.h - the steps of a run, and which of them are alike.
 *
 * A step is what the profiler marks, else what a serving engine annotates, else what
 * the program numbers, else a period in the sequence of kernels. The host may run ahead
 * of the device: where the work of a step ends well after the host has left it, its
 * borders are where the device begins the work that each step launched. Times are ns on
 * the trace's clock. */
#ifndef OPS_TRACE_STEPS_H
#define OPS_TRACE_STEPS_H

#include <stdbool.h>
#include <stdint.h>

struct arena;
struct event_store;
struct launch_link;

enum step_source {
    STEPS_NONE,
    STEPS_PROFILER,        /* "ProfilerStep#7", by the host */
    STEPS_PROFILER_DEVICE, /* the same, only on the device */
    STEPS_ENGINE,          /* "step[DECODE bs=16]", "execute_..." */
    STEPS_BY_PROGRAM,      /* "denoise_step_20", "iteration 7", by the program */
    STEPS_PERIOD           /* no marks: the same kernels in the same order */
};

struct trace_step {
    int64_t start_ns, dur_ns;
    int64_t number; /* of the mark; -1: it has none */
    bool steady;
};

struct trace_steps {
    enum step_source source;
    bool by_device; /* borders are where the device begins the work of a step */
    struct trace_step *rows; /* by start; they share no device work */
    int32_t n, n_steady;     /* steady: within 10 % of the median, if most steps are */
    int64_t median_ns;       /* of the steady ones; without them, of all */
    int64_t least_ns, most_ns;
    int32_t period; /* kernels in one, of STEPS_PERIOD */
    /* Where the first mark of the host begins and the last ends, and on which lane;
     * marked: there are any. */
    bool marked;
    int32_t lane;
    int64_t marks_from_ns, marks_to_ns;
};

/* `counted`: the n device events that count. */
struct trace_steps trace_steps_find(struct arena *perm, struct arena tmp,
                                    const struct event_store *s,
                                    const struct launch_link *l, const int32_t *counted,
                                    int32_t n);

/* The step that a time is in, by its place; -1: none. */
int32_t trace_step_at(const struct trace_steps *t, int64_t ns);

#endif
