/* counters.h - what counters of the device say: activity, bandwidth, power, clocks.
 *
 * The value of a sample holds until the next one of its counter, that of the last for
 * no longer than the longest time between two. Means are over time. A counter belongs
 * to a device if its process does ("GPU 0 Counters", or the number of the device); one
 * that names no device belongs to the only one. NaN: not known. */
#ifndef ANALYSIS_MODEL_COUNTERS_H
#define ANALYSIS_MODEL_COUNTERS_H

#include "analysis/model/counter_meaning.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct span;

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
    int32_t track;    /* of the store: its samples */
    int64_t n;        /* of them */
    double every_us;  /* between two, on average */
    double mean, least, most;    /* in the window */
    double busy_mean, idle_mean; /* while kernels run there; while none does */
    struct counter_series series;
    double *bins; /* means in COUNTER_BINS equal parts of the window */
};

/* The clock while kernels run: of the rows, or -1. */
struct counter_clock {
    double high_mhz;             /* at most this for 90 % of that time */
    double low_mhz;              /* mean of what is more than a tenth below */
    double low_pct;              /* of that time */
    double from_ms, to_ms;       /* of the window: where it is low first and last */
    bool rises;                  /* it is low before, and only before, it is high */
    double low_w, high_w, low_c; /* power and temperature meanwhile, and otherwise */
    double slower; /* how many times as long the same work takes then; NaN: none is
                      there in both parts. 1: what is recorded is an average over a
                      longer time, as of some tools, and not the clock of the moment */
};

struct counters {
    struct counter_row *rows; /* by device, role and name */
    int32_t n, n_left;        /* left: of devices that do nothing here, or too many */
    int device_place;         /* what the rest is of: the device that works most */
    const struct counter_row *main[COUNTER_ROLES], *second; /* second: writes, where
                                    bandwidth is told apart from reads in main */
    double sm_pct;           /* while kernels run, of samples that they fill */
    double sm_low_pct;       /* of these: time in which it is below half */
    double filled_pct;       /* of kernel time: lies in such samples */
    double energy_j, step_j; /* of all devices, in the window; of a step, the mean */
    double power_w;
    const struct span *busy; /* when kernels run on that device */
    ptrdiff_t n_busy;
    struct counter_clock clock; /* filled by counter_clock.h */
};

enum counter_part {
    COUNTER_OF_STEP,
    COUNTER_OF_CATEGORY,
    COUNTER_OF_KERNEL,
    COUNTER_PARTS
};
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

#endif
