/* system.html: why does the GPU wait - for the host, for copies, for other ranks? */
#include "render/page/finding_context.h"
#include "render/page/row_context.h"

#include "analysis/stack/memory_peak.h"
#include "ops/timeline_data.h"
#include "report/memory_shown.h"
#include "report/page_shown.h"
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
    return context_told("launches", shown_launches_fields(),
                        d && d->n_launches ? d : NULL, r);
}

static const struct report_phase_part *part_of(const struct report_phase *p,
                                               int category)
{
    for (int k = 0; k < p->n_categories; k++)
        if (p->categories[k].index == category)
            return &p->categories[k];
    return NULL;
}

/* A row for each category that any phase has, a pair of cells for each phase. */
static void put_phase_categories(cJSON *c, const struct report *r)
{
    cJSON *heads = json_put_array(c, "phase_heads"),
          *rows = json_put_array(c, "phase_categories");
    for (int i = 0; i < r->phases.n; i++)
        if (r->phases.list[i].n_categories)
            json_row(heads, F(&r->phases.list[i], label));
    for (int k = 0; k < r->n_categories; k++) {
        cJSON *cells = json_list();
        bool any = false;
        for (int i = 0; i < r->phases.n; i++) {
            const struct report_phase *p = &r->phases.list[i];
            const struct report_phase_part *part = part_of(p, k);
            if (!p->n_categories)
                continue;
            any |= part != NULL;
            json_row(cells, M("total_ms", part ? part->total_ms : 0),
                     M("share_pct", part ? part->share_pct : 0));
        }
        if (any)
            json_row(rows,
                     ctx_category("category", r, r->categories[k].id,
                                  r->categories[k].label),
                     M("cells", cells));
        else
            cJSON_Delete(cells);
    }
}

static void put_phase_kernels(cJSON *c, const struct site *s, struct arena tmp)
{
    const struct report *r = s->r;
    cJSON *rows = json_put_array(c, "phase_kernels");
    for (int i = 0; i < r->phases.n; i++)
        for (int k = 0; k < r->phases.list[i].n_kernels; k++) {
            const struct report_phase_part *p = &r->phases.list[i].kernels[k];
            bool listed = p->index >= 0 && p->index < report_listed(r->n_kernels);
            json_row(rows, M("phase", r->phases.list[i].label), F(p, count),
                     F(p, total_ms), F(p, share_pct),
                     context_name("name", p->index < 0 ? p->name
                                                       : s->kernels.at[p->index].shown),
                     json_opt("href", listed ? kernel_href(&tmp, r, p->index) : S("")));
        }
}

enum { MEMORY_ROWS = 12 };

static void put_memory(cJSON *c, const struct site *s, struct arena tmp)
{
    const struct report *r = s->r;
    const struct memory_peak *m = r->memory.of;
    cJSON *memory = context_lend(json_put_object(c, "memory"), report_memory_fields(),
                                 &r->memory, r);
    if (m->n_owners == 0)
        return;
    cJSON *owners = json_put_object(memory, "owners"),
          *rows = json_put_array(owners, "rows");
    for (int32_t i = 0; i < m->n_owners && i < MEMORY_ROWS; i++)
        context_lend(context_push(rows), memory_owner_fields(), &m->owners[i], r);
    json_put(owners, context_some("left", m->n_owners - MEMORY_ROWS));
    ctx_own_csv(owners, s, "memory_peak", tmp);
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
    put_phase_categories(c, r);
    put_phase_kernels(c, s, tmp);
    if (r->memory.of)
        put_memory(c, s, tmp);
    ctx_more(c, s, "system.html", tmp);
    ctx_chart(c, "wall_time", s, CHART_WALL_TIME, -1, tmp);
    ctx_chart(c, "idle_chart", s, CHART_IDLE, -1, tmp);
    ctx_chart(c, "blame_chart", s, CHART_BLAME, -1, tmp);
    ctx_chart(c, "launch_chart", s, CHART_LAUNCHES, -1, tmp);
    ctx_chart(c, "memory_chart", s, CHART_MEMORY, -1, tmp);
    if (r->memory.of && r->memory.of->n_owners)
        ctx_chart(c, "memory_kinds_chart", s, CHART_MEMORY_KINDS, -1, tmp);
    return ctx_write(s, "system.html", "system.html", c, tmp, e);
}
