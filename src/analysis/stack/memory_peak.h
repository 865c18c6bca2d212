/* memory_peak.h - what holds a device's memory when most of it is allocated.
 *
 * Allocations and frees are matched by address. What was allocated before the recording
 * is told as one sum. An allocation belongs to the deepest operator around it that does
 * more than allocate, and to the deepest module; what it is for follows from where it
 * is freed. Of the device with the most records. */
#ifndef ANALYSIS_STACK_MEMORY_PEAK_H
#define ANALYSIS_STACK_MEMORY_PEAK_H

#include "base/str.h"

#include <stdint.h>

struct arena;
struct trace_view;

enum memory_kind {
    MEMORY_BEFORE,     /* allocated before the recording: parameters, optimizer state */
    MEMORY_ACTIVATION, /* of a forward pass, freed in a backward pass */
    MEMORY_GRADIENT,   /* of a backward pass, which it outlives */
    MEMORY_OPTIMIZER,  /* allocated in a step of the optimizer, which it outlives */
    MEMORY_WORKSPACE,  /* freed by the operator that allocated it */
    MEMORY_RESULT,     /* any other: results, freed later */
    MEMORY_KINDS
};

struct str memory_kind_word(enum memory_kind k); /* "activation" */

struct memory_owner {      /* allocations of one place, live at the peak */
    struct str module, op; /* "Linear", "aten::addmm"; empty: none is recorded */
    enum memory_kind kind;
    int64_t bytes, n; /* n: allocations; 0: not known */
};

struct memory_module { /* a call of a module, and what it holds at the peak */
    int32_t call;      /* an event; of modules inside one another the deepest */
    int64_t bytes;
};

enum { MEMORY_BINS = 400 };

struct memory_peak {
    int64_t n_records;
    int64_t peak_ns;       /* when, from the first record */
    int64_t peak_bytes;    /* -1: no totals are recorded */
    int64_t rise_bytes;    /* above what was allocated when the recording began */
    int64_t reserved_most; /* by the allocator; -1: not recorded */
    int64_t reserved_at_peak;
    struct memory_owner *owners;   /* the most first; their bytes total peak_bytes */
    int32_t n_owners;              /* 0: addresses or totals are not recorded */
    struct memory_module *modules; /* by event; what no module holds is left out */
    int32_t n_modules;
    int64_t kind_bytes[MEMORY_KINDS];
    int64_t span_ns; /* from the first record to the last */
    /* What each kind holds over that time, the most in each of equal bins; NULL: as
     * n_owners is 0. */
    int64_t *kind_bins[MEMORY_KINDS];
    /* Without totals: what is allocated above the least of the recording, the most in
     * each bin, and the most of all. NULL: there are totals. */
    int64_t *above_bins, above_most;
};

/* NULL: there are no records of an accelerator's memory. */
const struct memory_peak *memory_peak_of(struct arena *perm, struct arena tmp,
                                         const struct trace_view *v);

#endif
