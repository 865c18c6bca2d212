/* Idle time by the classes of the analysis. */
#include "analysis/model/system_results.h"
#include "base/arena.h"
#include "capture/capture_parts.h"
#include "capture/waterfall.h"

static void add(struct arena *perm, struct capture *c, int class, int64_t ns, int step)
{
    struct str label = idle_class_label((enum idle_class) class);
    arena_grow(perm, c->idle, c->n_idle);
    c->idle[c->n_idle++] =
        (struct capture_idle){str_printf(perm, "idle: %.*s", STRF(label)), ns, step};
}

/* By step and class: what of the parts of gaps lies there. */
static void find_steps(struct arena *perm, struct arena tmp,
                       const struct idle_result *idle, struct capture *c)
{
    struct step_span *spans = arena_new(&tmp, struct step_span, c->n_steps);
    int64_t *ns = arena_new(&tmp, int64_t, (ptrdiff_t)c->n_steps * IDLE_CLASSES);
    for (int i = 0; i < c->n_steps; i++)
        spans[i] = (struct step_span){c->steps[i].start_ns, c->steps[i].end_ns};
    for (int32_t g = 0; g < idle->n_groups; g++)
        for (int32_t k = 0; k < idle->groups[g].n_spans; k++) {
            const struct idle_span *s = &idle->groups[g].spans[k];
            for (int i = span_from(spans, c->n_steps, s->start_ns);
                 i < c->n_steps && spans[i].start_ns < s->end_ns; i++)
                ns[i * IDLE_CLASSES + (int)idle->groups[g].class] +=
                    span_overlap_ns(&spans[i], 1, s->start_ns, s->end_ns);
        }
    for (int i = 0; i < c->n_steps * IDLE_CLASSES; i++)
        if (ns[i])
            add(perm, c, i % IDLE_CLASSES, ns[i], i / IDLE_CLASSES);
}

void capture_find_idle(struct arena *perm, struct arena tmp,
                       const struct system_results *system, struct capture *c)
{
    int64_t left_ns = c->idle_ns;
    for (int i = 0; system && i < IDLE_CLASSES; i++) {
        int64_t ns = system->idle.class_ns[i];
        ns = ns < left_ns ? ns : left_ns;
        if (ns > 0)
            add(perm, c, i, ns, -1);
        left_ns -= ns > 0 ? ns : 0;
    }
    if (system)
        find_steps(perm, tmp, &system->idle, c);
}
