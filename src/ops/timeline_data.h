/* timeline_data.h - what the run looked like over time.
 *
 * Computation, communication and copies in equal bins, each stream, steps, how launches
 * reached the device, memory. Reads the view of the trace alone. All times are whole
 * nanoseconds from the beginning of the window, so sums are exact: the bins of a part
 * add up to that part of struct report_timeline. Everything lies in the arena of the
 * run; names of steps and devices come from the trace and are hostile. */
#ifndef OPS_TIMELINE_DATA_H
#define OPS_TIMELINE_DATA_H

#include "base/str.h"
#include "ops/duration_bins.h"
#include "ops/trace_steps.h"

#include <stdbool.h>

struct arena;
struct trace_view;

enum { TIMELINE_BINS = 400, TIMELINE_STREAMS_MAX = 16, TIMELINE_STEPS_MAX = 300 };
enum busy_part { BUSY_COMPUTE, BUSY_COMM, BUSY_COPY, BUSY_PARTS };

struct timeline_stream {
    struct str name;  /* "stream 7", and the device where there are several */
    int64_t busy_ns;  /* union of its events */
    int64_t launches; /* device events */
    int64_t *bin_ns;  /* busy, by bin */
    int32_t lane;     /* of the trace */
};

/* A step (trace_steps.h), or, without any, one of equal windows. */
struct timeline_step {
    int64_t number;            /* that of the annotation; windows count from 1 */
    int64_t start_ns, dur_ns;  /* start may be negative: before the window */
    int64_t busy_ns, launches; /* within it */
    double deviation_pct;      /* of its length from the median; windows: NaN */
    bool slow;                 /* more than 10 % above the median of three or more */
    bool steady;
};

/* The steps that are alike, together: what a step is made of. */
struct timeline_steady {
    int64_t n, total_ns; /* n == 0: none is alike */
    int64_t busy_ns;
    int64_t part_ns[BUSY_PARTS]; /* exposed */
};

struct timeline_memory {
    struct str device;             /* "device 0", "host" */
    int64_t start_ns, end_ns;      /* of the records */
    int64_t *allocated, *reserved; /* bytes, the most in each bin; -1: not recorded */
    int64_t peak_allocated, peak_reserved, peak_at_ns; /* reserved -1: not recorded */
    int64_t n_records;
};

struct timeline_data {
    int64_t total_ns;
    int64_t origin_ns; /* of the window, on the clock of the trace */
    int n_bins;        /* 0: no device work */
    int bins_per_step; /* so that bins and steps do not beat; 0: steps are not alike */
    int64_t *part_ns[BUSY_PARTS];    /* by bin; exposed, as in report_timeline */
    struct timeline_stream *streams; /* by busy time */
    int n_streams, n_streams_left;   /* left: beyond TIMELINE_STREAMS_MAX */
    int64_t left_busy_ns;            /* sum over those */
    bool streams_overlap;            /* sum over streams exceeds the union */

    enum step_source step_source; /* STEPS_NONE: equal windows */
    bool has_steps;
    bool steps_on_device;        /* begin where the device begins their work */
    struct timeline_step *steps; /* by start */
    int n_steps, n_steps_left;
    int64_t median_step_ns;
    struct timeline_steady steady;

    struct duration_bins delay;           /* launch call to start; counts alone */
    int64_t n_launches, n_early, n_short; /* kernels with a launch call; started before
                                             it (clocks); shorter than 10 us */
    int64_t n_calls;                      /* that launched them */
    double median_delay_us, p95_delay_us, max_delay_us, launches_per_step; /* or NaN */

    struct timeline_memory *memory; /* NULL: not recorded */
};

const struct timeline_data *timeline_data_build(struct arena *perm, struct arena tmp,
                                                const struct trace_view *v);

/* Its length, origin and bins alone. */
struct timeline_data timeline_frame(const struct trace_view *v);

/* Where bin k begins; k may be n_bins. */
int64_t timeline_bin_ns(const struct timeline_data *d, int k);

/* Adds [from, to) to the bins it lies in; k is one at or before `from`. Returns the
 * first of them, for what comes later. */
int timeline_add(const struct timeline_data *d, int k, int64_t from_ns, int64_t to_ns,
                 int64_t *bins);

#endif
