#include "commands/write_excerpts.h"

#include <math.h>

struct excerpt_plan excerpts_plan(struct arena *perm, const struct event_store *s,
                                  int64_t origin_ns, const struct system_results *found)
{
    struct excerpt_plan p = {0};
    int n = 0;
    const struct idle_result *idle = found ? idle_that_decides(found) : NULL;
    for (int k = 0; idle && k < idle->n_top_gaps && n < EXCERPTS_MAX; k++) {
        const struct idle_gap *g = &idle->top_gaps[k];
        int64_t from = origin_ns + (int64_t)llround(g->start_us * 1e3);
        int64_t to = from + (int64_t)llround(g->duration_us * 1e3);
        p.excerpts[k] = trace_excerpt_around(s, from, to);
        if (!p.excerpts[k].n_events)
            continue;
        p.files[k] = str_printf(perm, "cuts/gap-%d.json.gz", k + 1);
        n++;
    }
    return p;
}

bool excerpts_write(const struct excerpt_plan *p, const struct event_store *s,
                    const struct publish *folder, struct arena tmp, struct err *e)
{
    bool good = true;
    for (int k = 0; k < IDLE_TOP_GAPS && good; k++) {
        if (!p->files[k].n)
            continue;
        const char *path = publish_path(folder, &tmp, str_c(&tmp, p->files[k]), e);
        good = path && trace_excerpt_write(s, &p->excerpts[k], path, e);
    }
    return good;
}
