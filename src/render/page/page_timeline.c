/* timeline.html: does the run look steady, and where are the holes? */
#include "render/page/site_context.h"

#include "base/arena.h"
#include "base/duration.h"
#include "ops/timeline_data.h"
#include "report/report_detail.h"

#include <math.h>

enum { SLOWEST = 10 };

static void step_row(cJSON *list, const struct timeline_step *s)
{
    json_row(list, json_bool("numbered", s->number >= 0), F(s, number),
             M("start_ms", ms_of(s->start_ns)), M("length_ms", ms_of(s->dur_ns)),
             M("busy_pct", s->dur_ns > 0
                               ? 100.0 * (double)s->busy_ns / (double)s->dur_ns
                               : (double)NAN),
             F(s, launches), F(s, deviation_pct),
             json_bool("above", s->deviation_pct > 0), F(s, slow));
}

/* The longest first; of equal ones the earlier. */
static void add_slowest(cJSON *c, const struct timeline_data *d, struct arena tmp)
{
    bool *taken = arena_new(&tmp, bool, d->n_steps);
    cJSON *list = json_put_array(json_put_object(c, "slowest"), "items");
    for (int n = 0; n < SLOWEST; n++) {
        int best = -1;
        for (int k = 0; k < d->n_steps; k++)
            if (!taken[k] && (best < 0 || d->steps[k].dur_ns > d->steps[best].dur_ns))
                best = k;
        taken[best] = true;
        step_row(list, &d->steps[best]);
    }
}

static void add_steps(cJSON *c, const struct timeline_data *d, struct arena tmp)
{
    json_put(c, F(d, has_steps),
             json_bool("on_device", d->step_source == STEPS_PROFILER_DEVICE),
             json_bool("by_device", d->step_source != STEPS_PERIOD &&
                                        d->step_source != STEPS_PROFILER_DEVICE &&
                                        d->steps_on_device),
             json_bool("by_period", d->step_source == STEPS_PERIOD),
             json_bool("on_host", d->has_steps && !d->steps_on_device));
    if (d->has_steps && d->n_steps > SLOWEST)
        add_slowest(c, d, tmp);
    cJSON *all = json_put_object(c, "all");
    cJSON *list = json_put_array(all, "items");
    for (int k = 0; k < d->n_steps; k++)
        step_row(list, &d->steps[k]);
    json_put(all, context_some("left", d->n_steps_left),
             json_bool("sortable", !d->n_steps_left && d->n_steps > SLOWEST));
}

static void add_streams(cJSON *c, const struct timeline_data *d)
{
    if (d->n_streams == 1) {
        json_put(json_put_object(c, "one_stream"), F(&d->streams[0], name));
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
    const struct idle_result *idle = &report_system(r)->idle;
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
        json_row(list, M("number", k + 1), M("start_ms", g->start_us / 1e3),
                 M("length_ms", g->duration_us / 1e3),
                 M("from_ns", clock_text(&tmp, from)), M("from_v", from), F(g, cause),
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
        json_put(json_put_object(c, "lanes"), M("src", s->lanes),
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
        ctx_chart(c, "stream_chart", s, CHART_STREAMS, -1, tmp);
        json_put(c, json_bool("borders", chart && chart->figure.n_borders),
                 json_bool("host", chart && chart->figure.n_under));
        add_lanes(c, s);
        add_streams(c, d);
        add_steps(c, d, tmp);
        add_gaps(c, s, tmp);
        json_put(c, F(&r->meta, trace_file),
                 M("origin_ns", clock_text(&tmp, d->origin_ns)));
    }
    return ctx_write(s, "timeline.html", "timeline.html", c, tmp, e);
}
