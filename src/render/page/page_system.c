/* system.html: why does the GPU wait - for the host, for copies, for other ranks? */
#include "render/page/finding_context.h"
#include "render/page/site_context.h"

#include "ops/timeline_data.h"
#include "report/report_detail.h"

#include <math.h>

static struct json_member longest_cause(const struct report *r)
{
    struct report_idle_cause causes[IDLE_CLASSES];
    if (!report_idle_causes(r->analysis, causes))
        return json_null("cause");
    return M("cause", json_object(F(causes, idle_pct), F(causes, label)));
}

static struct json_member launches(const struct report *r)
{
    const struct timeline_data *d = r->over_time;
    if (!d || !d->n_launches)
        return json_null("launches");
    return M(
        "launches",
        json_object(
            M("count", (int64_t)d->n_launches), M("calls", (int64_t)d->n_calls),
            context_some("graph_launches", report_system(r)->idle.graph_launch_count),
            M("short", (int64_t)d->n_short),
            json_bool("has_steps", !isnan(d->launches_per_step)),
            M("per_step", d->launches_per_step),
            M("shown_delay_us", fmax(0, d->median_delay_us)), F(d, median_delay_us),
            F(d, p95_delay_us), F(d, max_delay_us), context_some("early", d->n_early)));
}

bool site_system(struct site *s, struct arena tmp, struct err *e)
{
    const struct report *r = s->r;
    cJSON *c = ctx_page(s, "system.html");
    cJSON *findings = json_put_array(c, "findings");
    bool any = r->timeline.total_ms > 0, idle = r->timeline.idle_ms > 0;
    timeline_context(c, r);
    system_context(c, r);
    json_put(c, json_bool("is_idle", any && idle),
             json_bool("never_idle", any && !idle), longest_cause(r), launches(r));
    for (int k = 0; k < r->n_findings; k++)
        if (r->findings[k].of->tier == TIER_SYSTEM)
            finding_line(findings, r, &r->findings[k]);
    json_put(c, json_bool("has_findings", cJSON_GetArraySize(findings) > 0));
    ctx_chart(c, "wall_time", s, CHART_WALL_TIME, -1, tmp);
    ctx_chart(c, "idle_chart", s, CHART_IDLE, -1, tmp);
    ctx_chart(c, "blame_chart", s, CHART_BLAME, -1, tmp);
    ctx_chart(c, "launch_chart", s, CHART_LAUNCHES, -1, tmp);
    ctx_chart(c, "memory_chart", s, CHART_MEMORY, -1, tmp);
    return ctx_write(s, "system.html", "system.html", c, tmp, e);
}
