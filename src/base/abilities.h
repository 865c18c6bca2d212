/* abilities.h - what a profiler can record, and how one asks it to.
 *
 * The texts are code that continues "Record with": advice about the recording names the
 * options of the profiler that made it, or another if that one cannot record it. */
#ifndef BASE_ABILITIES_H
#define BASE_ABILITIES_H

#include "base/str.h"

struct source_abilities {
    struct str profiler; /* "Nsight Systems" */
    struct str shapes, stacks, host, device;
    struct str both;            /* host and device together, in a sentence */
    struct str activities;      /* the same as one argument */
    struct str memory;          /* allocations; empty: it has none that are read */
    struct str steps;           /* how they are marked, a sentence without its stop */
    struct str sizes;           /* of collectives; empty: it has none that are read */
    struct str counters;        /* of the device; empty: nothing is known that would */
    struct str counters_of_amd; /* of AMD's GPUs; empty: the same */
    const struct source_abilities
        *native;     /* of a program that shows no sign of PyTorch; NULL: it would */
    bool has_shapes; /* can hold them */
    bool slows_by_shapes; /* what it records them with takes the host's time */
    bool is_torch;        /* PyTorch's own, whatever the device */
};

/* torch's: PyTorch's own profiler, which most traces are of. */
extern const struct source_abilities torch_abilities, nsys_abilities, rocprof_abilities,
    rpd_abilities, rpd_json_abilities, jax_abilities;

/* PyTorch's for devices that name an activity of their own: "XPU", "HPU", "Ascend NPU".
 * Of any other, and if `of` is of another profiler: `of`. */
const struct source_abilities *abilities_on(const struct source_abilities *of,
                                            struct str vendor);

/* NULL: it is not known which profiler it was. */
static inline const struct source_abilities *
abilities_of(const struct source_abilities *a)
{
    return a ? a : &torch_abilities;
}

#endif
