/* device_use.h - how several devices of one recording share its time.
 *
 * One timeline of all device work hides that each of two devices is idle while the
 * other works. A device is the process that the profiler files its events under. Times
 * are ns; what a device waits for the others is the time in which another one works and
 * it does not. */
#ifndef OPS_DEVICE_USE_H
#define OPS_DEVICE_USE_H

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

struct arena;
struct event_store;
struct launch_link;

enum { DEVICES_MOST = 16 }; /* that are told apart */

struct device_use {
    struct str name; /* as the trace numbers it: "0"; hostile */
    int32_t pid;     /* the same as a name of the store */
    int32_t n_events;
    int64_t busy_ns, alone_ns; /* alone: no other one works */
    int64_t waits_ns;          /* for others, as above */
    int64_t n_copies_out;      /* to another one, that are filed under it */
};

struct device_uses {
    struct device_use of[DEVICES_MOST]; /* in the order of their first event */
    int n;           /* 0: one device, more than are told apart, or more than one
                        process of the host that launches */
    int64_t busy_ns; /* any of them works */
    int64_t at_once_ns[DEVICES_MOST]; /* [k]: k + 1 of them work */
    int64_t turns;                    /* how often work goes over from one to another */
    int64_t n_copies, copies_ns;      /* from one to another, as far as names tell */
    bool data_parallel; /* a thread for each, after the model was copied to them */
};

/* Of n device events that count. */
struct device_uses device_uses_of(struct arena tmp, const struct event_store *s,
                                  const struct launch_link *l, const int32_t *counted,
                                  int32_t n);

/* They work one after the other: less than an eighth of the time two or more do, though
 * each of at least two has an eighth of the work. */
bool devices_take_turns(const struct device_uses *d);

/* The place of the one that works most, which a run can never be shorter than. */
int device_busiest(const struct device_uses *d);

/* They work at once, but one of them waits for the busiest for more than an eighth of
 * the time. Its place, and that of the busiest; -1: no. */
int device_behind(const struct device_uses *d, int *busiest);

#endif
