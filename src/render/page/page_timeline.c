/* timeline.html: does the run look steady, and where are the holes? */
#include "render/page/site_context.h"

#include "base/arena.h"
#include "base/duration.h"
#include "ops/timeline_data.h"
#include "report/finding_shown.h"
#include "report/page_shown.h"
#include "report/report_detail.h"
#include "report/system_shown.h"

#include <math.h>

enum { SLOWEST = 10, DEVICES_SHOWN = 16 };

/* How busy each of several devices is in it. */
static cJSON *gpus_in_step(const struct report_gpus *g, int k)
{
    cJSON *list = json_list();
    for (int i = 0; i < g->n && g->decides >= 0; i++) {
        const struct timeline_step *s = &g->list[i].over_time->steps[k];
        context_lend(context_push(list), shown_step_fields(), s, NULL);
    }
    return list;
}

static void step_row(cJSON *list, const struct report *r, int k)
{
    const struct timeline_step *s = &r->over_time->steps[k];
    json_put(context_lend(context_push(list), shown_step_fields(), s, r),
             M("gpus", gpus_in_step(&r->gpus, k)));
}

/* The longest first; of equal ones the earlier. */
static void add_slowest(cJSON *c, const struct report *r, struct arena tmp)
{
    const struct timeline_data *d = r->over_time;
    bool *taken = arena_new(&tmp, bool, d->n_steps);
    cJSON *list = json_put_array(json_put_object(c, "slowest"), "items");
    for (int n = 0; n < SLOWEST; n++) {
        int best = -1;
        for (int k = 0; k < d->n_steps; k++)
            if (!taken[k] && (best < 0 || d->steps[k].dur_ns > d->steps[best].dur_ns))
                best = k;
        taken[best] = true;
        step_row(list, r, best);
    }
}

static void add_steps(cJSON *c, const struct report *r, struct arena tmp)
{
    const struct timeline_data *d = r->over_time;
    context_lend(c, shown_run_fields(), d, r);
    if (d->has_steps && d->n_steps > SLOWEST)
        add_slowest(c, r, tmp);
    cJSON *all = json_put_object(c, "all");
    cJSON *list = json_put_array(all, "items");
    for (int k = 0; k < d->n_steps; k++)
        step_row(list, r, k);
    json_put(all, context_some("left", d->n_steps_left),
             json_bool("sortable", !d->n_steps_left && d->n_steps > SLOWEST));
}

static void add_streams(cJSON *c, const struct timeline_data *d)
{
    if (d->n_streams == 1) {
        json_put(json_put_object(c, "one_stream"), N(&d->streams[0], name));
        return;
    }
    bool many = d->n_streams > 8;
    json_put(json_put_object(c, "streams"), M("many", many),
             json_bool("has_remarks", many || d->n_streams_left || d->streams_overlap),
             context_some("left", d->n_streams_left),
             M("left_ms", ms_of(d->left_busy_ns)), M("overlap", d->streams_overlap));
}

/* Nanoseconds on the clock of the trace, which a double does not hold. */
static struct str clock_text(struct arena *a, int64_t ns)
{
    return str_printf(a, "%lld", (long long)ns);
}

static void add_gaps(cJSON *c, const struct site *s, struct arena tmp)
{
    const struct report *r = s->r;
    const struct idle_result *idle = report_idle(r);
    bool excerpts = false;
    if (!idle->n_top_gaps)
        return;
    cJSON *gaps = json_put_object(c, "gaps");
    cJSON *list = json_put_array(gaps, "items");
    json_put(gaps, M("n", idle->n_top_gaps), json_bool("one", idle->n_top_gaps == 1));
    for (int k = 0; k < idle->n_top_gaps; k++) {
        const struct idle_gap *g = &idle->top_gaps[k];
        struct str excerpt = r->excerpts ? r->excerpts[k] : S("");
        int64_t from = r->over_time->origin_ns + (int64_t)llround(g->start_us * 1e3);
        const struct report_finding *f =
            finding_of_gap(r, from, from + (int64_t)llround(g->duration_us * 1e3));
        json_put(context_lend(context_push(list), shown_gap_fields(), g, r),
                 M("finding_id", f ? f->anchor : S("")),
                 M("rank", f ? finding_rank(f) : S("")), M("number", k + 1),
                 M("from_ns", clock_text(&tmp, from)), M("from_v", from),
                 M("excerpt", excerpt),
                 M("bytes", excerpt.n ? ctx_bytes(s, tmp, excerpt) : (double)NAN));
        excerpts |= excerpt.n > 0;
    }
    json_put(c, M("longest_us", idle->top_gaps[0].duration_us),
             M("has_excerpts", excerpts));
}

/* The view that the script makes, and what it shows. */
static void add_lanes(cJSON *c, const struct site *s)
{
    if (lanes_wanted(s->r))
        json_put(json_put_object(c, "lanes"), M("src", s->lanes), M("viewer", s->zoom),
                 M("events", s->lanes_count.events),
                 context_some("merged", s->lanes_count.merged));
}

bool site_timeline(struct site *s, struct arena tmp, struct err *e)
{
    const struct report *r = s->r;
    const struct timeline_data *d = r->over_time;
    cJSON *c = ctx_page(s, "timeline.html");
    bool any = d && d->n_bins;
    json_put(c, M("has_data", any));
    if (any) {
        const struct chart_file *chart = chart_find(s->charts, CHART_UTILISATION, -1);
        timeline_context(c, r);
        ctx_chart(c, "busy_chart", s, CHART_UTILISATION, -1, tmp);
        ctx_gpu_strips(c, s, DEVICES_SHOWN, tmp);
        ctx_chart(c, "stream_chart", s, CHART_STREAMS, -1, tmp);
        json_put(c, json_bool("borders", chart && chart->figure.n_borders),
                 json_bool("host", chart && chart->figure.n_under));
        add_lanes(c, s);
        add_streams(c, d);
        add_steps(c, r, tmp);
        add_gaps(c, s, tmp);
        json_put(c, F(&r->meta, trace_file),
                 M("origin_ns", clock_text(&tmp, d->origin_ns)));
    }
    return ctx_write(s, "timeline.html", "timeline.html", c, tmp, e);
}
