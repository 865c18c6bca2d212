/* Idle time by the classes of the analysis. */
#include "analysis/model/system_results.h"
#include "base/arena.h"
#include "capture/capture_parts.h"

void capture_find_idle(struct arena *perm, const struct system_results *system,
                       struct capture *c)
{
    int64_t left_ns = c->idle_ns;
    c->idle = arena_new(perm, struct capture_idle, IDLE_CLASSES);
    for (int i = 0; system && i < IDLE_CLASSES; i++) {
        int64_t ns = system->idle.class_ns[i];
        ns = ns < left_ns ? ns : left_ns;
        if (ns <= 0)
            continue;
        struct str label = idle_class_label((enum idle_class)i);
        c->idle[c->n_idle++] =
            (struct capture_idle){str_printf(perm, "idle: %.*s", STRF(label)), ns};
        left_ns -= ns;
    }
}
