#include "write_cuts.h"

#include "report/report_detail.h"
#include "report/report_timeline_data.h"

#include <math.h>

struct cut_plan cuts_plan(struct arena *perm, const struct event_store *s,
                          const struct report *r)
{
    struct cut_plan c = {.n = 0};
    if (!r->detail || !r->over_time)
        return c;
    const struct report_idle *idle = &r->detail->idle;
    for (int k = 0; k < idle->n_gaps && c.n < CUTS_MAX; k++) {
        struct report_gap *g = &idle->gaps[k];
        int64_t from = r->over_time->origin_ns + (int64_t)llround(g->start_us * 1e3);
        int64_t to = from + (int64_t)llround(g->duration_us * 1e3);
        struct trace_cut cut = trace_cut_around(s, from, to);
        if (!cut.n_events)
            continue;
        g->cut = str_printf(perm, "cuts/gap-%d.json.gz", k + 1);
        c.cuts[c.n] = cut;
        c.files[c.n++] = g->cut;
    }
    return c;
}

bool cuts_write(const struct cut_plan *c, const struct event_store *s,
                const struct publish *p, struct arena tmp, struct err *e)
{
    for (int k = 0; k < c->n; k++) {
        const char *path = publish_path(p, &tmp, str_c(&tmp, c->files[k]), e);
        if (!path || !trace_cut_write(s, &c->cuts[k], path, e))
            return false;
    }
    return true;
}
