/* counters.h - what counters of the device say: activity, bandwidth, power, clocks.
 *
 * The value of a sample holds until the next one of its counter, that of the last for no
 * longer than the longest time between two. Means are over time. A counter belongs to a
 * device if its process does ("GPU 0 Counters", or the number of the device); one that
 * names no device belongs to the only one. NaN: not known. */
#ifndef ANALYSIS_SYSTEM_COUNTERS_H
#define ANALYSIS_SYSTEM_COUNTERS_H

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

struct arena;
struct trace_view;

enum counter_role {
    COUNTER_SM,    /* part of the time in which an SM has a warp, mean of all, in % */
    COUNTER_DRAM,  /* bandwidth of device memory, in % of its peak */
    COUNTER_POWER, /* of the device, in W */
    COUNTER_CLOCK, /* of its compute units, in MHz */
    COUNTER_TEMPERATURE,
    COUNTER_OTHER,
    COUNTER_ROLES
};
struct str counter_role_word(enum counter_role r); /* "power" */

enum { COUNTER_ROWS_MOST = 64, COUNTER_BINS = 400 };

/* A step function. sum: from the first sample to each, in values times ns. */
struct counter_series {
    int64_t *at_ns, end_ns;
    double *value, *sum;
    int32_t n;
};

struct counter_row {
    struct str name, unit; /* "SM Active", "%"; unit empty: not recorded; hostile */
    struct str device;     /* as the trace numbers it; empty: not of one */
    enum counter_role role;
    int device_place; /* of the view's devices; 0 of the only one; -1: of none */
    int64_t n;        /* samples */
    double every_us;  /* between two, on average */
    double mean, least, most; /* in the window */
    double busy_mean, idle_mean; /* while kernels run there; while none does */
    struct counter_series series;
    double *bins; /* means in COUNTER_BINS equal parts of the window */
};

/* The clock while kernels run: of the rows, or -1. */
struct counter_clock {
    double high_mhz; /* nine tenths of that time are at most at it */
    double low_mhz;  /* mean of what is more than a tenth below */
    double low_pct;  /* of that time */
    double from_ms, to_ms; /* of the window: where it is low first and last */
    bool rises;            /* it is low before, and only before, it is high */
    double low_w, high_w, low_c; /* power and temperature meanwhile, and otherwise */
};

struct counters {
    struct counter_row *rows; /* by device, role and name */
    int32_t n, n_left;        /* left: of devices that do nothing here, or too many */
    int device_place;         /* what the rest is of: the device that works most */
    const struct counter_row *main[COUNTER_ROLES], *second; /* second: writes, where
                                    bandwidth is told apart from reads in main */
    double sm_pct;     /* while kernels run, of samples that they fill */
    double sm_low_pct; /* of these: time in which it is below half */
    double filled_pct; /* of kernel time: lies in such samples */
    double energy_j, step_j; /* of all devices, in the window; of a step, the mean */
    double power_w;
    struct counter_clock clock;
};

/* NULL: the trace has no counters of devices that work, nor of the host. */
const struct counters *counters_of(struct arena *perm, struct arena tmp,
                                   const struct trace_view *v);

/* The sum of a step function over [from, to), and how much of it is known, in ns. */
double counter_sum(const struct counter_series *s, int64_t from_ns, int64_t to_ns,
                   int64_t *known_ns);

enum counter_part { COUNTER_OF_STEP, COUNTER_OF_CATEGORY, COUNTER_OF_KERNEL, COUNTER_PARTS };
struct str counter_part_word(enum counter_part p); /* "step" */

struct counter_line { /* means over a step, or over the kernels of something */
    enum counter_part part;
    struct str name;
    double time_ms; /* of kernels: their sum */
    double sm_pct, dram_pct, power_w, clock_mhz;
    double energy_j; /* of steps, on all devices */
};

struct counter_lines {
    struct counter_line *rows;
    int32_t n;
};

/* class: of each device event by its place in launch.all, 0 to n_classes - 1, or -1. */
struct counter_lines counter_lines_of(struct arena *perm, struct arena tmp,
                                      const struct trace_view *v,
                                      const struct counters *c, const int8_t *class,
                                      const struct str *class_names, int n_classes);

#endif
