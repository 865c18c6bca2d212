/* machine.h - what was traced, by what and when, whatever format says it.
 *
 * What a format does not say stays empty. Texts and lists live as long as whoever
 * filled it says: those of a store as long as the store. All of it is hostile. */
#ifndef BASE_MACHINE_H
#define BASE_MACHINE_H

#include "base/value.h"

enum { MACHINE_VERSIONS = 8 };

struct machine_device {
    struct str name;
    double memory_bytes; /* 0: not known */
    int compute_units;   /* multiprocessors; 0: not known */
    double unit_threads; /* that one of them runs at a time, at most; 0: not known */
    double generation;   /* NVIDIA's compute capability, times ten; NaN: not known */
};

struct machine_version {
    struct str what; /* "CUDA driver version" */
    struct str text;
};

/* A process group as configured: not sorted, not checked. */
struct machine_group {
    struct str name;
    const struct value *ranks; /* a list of numbers */
};

struct machine {
    const struct machine_device *devices;
    int n_devices;
    double base_ns;        /* what the clock counts from, since 1970; 0: not known */
    int64_t base_exact_ns; /* the same if it is written as a whole number, else 0 */
    int rank, world_size;  /* -1: not known */
    struct str backend, library; /* of collectives: "nccl", "2.27.7" */
    const struct machine_group *groups;
    int n_groups;
    struct str driver, runtime;
    struct machine_version versions[MACHINE_VERSIONS];
    int n_versions;
    struct str host;
    int n_parts; /* processes in the file, each a trace of its own; 0: not told apart */
    struct str part;    /* which of several this is: "process 144, GPU 0" */
    int records_memory; /* whether allocations were recorded; -1: not said */
};

static const struct machine no_machine = {
    .rank = -1, .world_size = -1, .records_memory = -1};

/* The first device; a blank one if none is described. `m` may be NULL. */
static inline struct machine_device machine_first(const struct machine *m)
{
    return m && m->n_devices ? m->devices[0]
                             : (struct machine_device){.generation = __builtin_nan("")};
}

#endif
