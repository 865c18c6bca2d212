/* gpu_timeline.h - where the wall time of the devices goes.
 *
 * Knows device events and their classes, which depend only on category and name. All
 * devices and streams of a file share one timeline. Computation hides communication,
 * and both hide copies; what is not hidden is exposed. */
#ifndef TIMELINE_GPU_TIMELINE_H
#define TIMELINE_GPU_TIMELINE_H

#include "store/event_store.h"
#include "timeline/interval_set.h"

enum gpu_class { GPU_COMPUTE, GPU_COMMUNICATION, GPU_MEMCPY, GPU_CLASSES };

/* computation + exposed communication + exposed copies + idle = total. */
struct gpu_timeline {
    int64_t computation_ns, exposed_comm_ns, exposed_memcpy_ns, busy_ns, idle_ns,
        total_ns;
    int64_t total_comm_ns, total_memcpy_ns;
    int64_t start_ns; /* of the first event */
    int32_t n_events;
    struct interval_set busy; /* for gaps; in the arena of the builder */
};

enum { NAME_COPIES = 1, NAME_COMMUNICATES = 2 }; /* what a name says: a set */

/* What the names of n device events say, by name: each is examined once. */
const uint8_t *gpu_names_of(struct arena *perm, const struct event_store *s,
                            const event_id *events, int32_t n);

/* By category, and for kernels by what the name says. */
static inline enum gpu_class gpu_class_of(int cat, unsigned said)
{
    if (cat == CAT_MEMCPY || (cat == CAT_KERNEL && said & NAME_COPIES))
        return GPU_MEMCPY;
    return said & NAME_COMMUNICATES ? GPU_COMMUNICATION : GPU_COMPUTE;
}

/* names: of gpu_names_of, of these events at least. */
struct gpu_timeline gpu_timeline_build(struct arena *perm, struct arena tmp,
                                       const struct event_store *s,
                                       const uint8_t *names, const event_id *events,
                                       int32_t n);

/* Union of the times of n events, in ns. */
int64_t busy_ns(struct arena tmp, const struct event_store *s, const event_id *events,
                int32_t n);

#endif
