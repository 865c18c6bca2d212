#include "timeline/gpu_timeline.h"

#include "kernels/kernel_name.h"

/* Of kernels: copies that a ROCm runtime records as such (7.1 names, and its blit
 * kernels), and what communicates. */
static unsigned what_it_says(struct str name)
{
    struct kernel_name k = kernel_name_of(name);
    return (k.label == KERNEL_MEMCPY ? NAME_COPIES : 0) |
           (k.marks & MARK_COMMUNICATES ? NAME_COMMUNICATES : 0);
}

const uint8_t *gpu_names_of(struct arena *perm, const struct event_store *s,
                            const event_id *events, int32_t n)
{
    enum { EXAMINED = 4 };
    uint8_t *said = arena_new(perm, uint8_t, s->names.n + 1);
    for (int32_t k = 0; k < n; k++) {
        uint8_t *of = &said[s->name[events[k]]];
        if (!*of)
            *of = (uint8_t)(EXAMINED | what_it_says(store_name(s, events[k])));
    }
    return said;
}

struct gpu_timeline gpu_timeline_build(struct arena *perm, struct arena tmp,
                                       const struct event_store *s,
                                       const uint8_t *names, const event_id *events,
                                       int32_t n)
{
    struct span *of[GPU_CLASSES], *all = arena_take_raw(perm, sizeof *all, 8, n);
    ptrdiff_t count[GPU_CLASSES] = {0};
    for (int k = 0; k < GPU_CLASSES; k++)
        of[k] = arena_take_raw(&tmp, sizeof **of, 8, n);
    for (int32_t i = 0; i < n; i++) {
        event_id g = events[i];
        struct span span = {s->start_ns[g], store_end_ns(s, g)};
        enum gpu_class class = gpu_class_of(s->cat[g], names[s->name[g]]);
        all[i] = span;
        of[class][count[class]++] = span;
    }
    struct interval_set u[GPU_CLASSES];
    for (int k = 0; k < GPU_CLASSES; k++)
        u[k] = interval_union(tmp, of[k], count[k]);

    struct gpu_timeline t = {.n_events = n, .busy = interval_union(tmp, all, n)};
    struct interval_set copies = interval_minus(&tmp, u[GPU_MEMCPY], u[GPU_COMPUTE]);
    t.computation_ns = interval_length_ns(u[GPU_COMPUTE]);
    t.exposed_comm_ns =
        interval_length_ns(interval_minus(&tmp, u[GPU_COMMUNICATION], u[GPU_COMPUTE]));
    t.exposed_memcpy_ns =
        interval_length_ns(interval_minus(&tmp, copies, u[GPU_COMMUNICATION]));
    t.busy_ns = interval_length_ns(t.busy);
    t.total_comm_ns = interval_length_ns(u[GPU_COMMUNICATION]);
    t.total_memcpy_ns = interval_length_ns(u[GPU_MEMCPY]);
    if (t.busy.n) {
        t.start_ns = t.busy.spans[0].start_ns;
        t.total_ns = t.busy.spans[t.busy.n - 1].end_ns - t.start_ns;
    }
    t.idle_ns = t.total_ns - t.busy_ns;
    return t;
}

int64_t busy_ns(struct arena tmp, const struct event_store *s, const event_id *events,
                int32_t n)
{
    if (n == 1)
        return store_dur_ns(s, events[0]);
    struct span *spans = arena_take_raw(&tmp, sizeof *spans, 8, n);
    for (int32_t i = 0; i < n; i++)
        spans[i] = (struct span){s->start_ns[events[i]], store_end_ns(s, events[i])};
    return interval_length_ns(interval_union(tmp, spans, n));
}
