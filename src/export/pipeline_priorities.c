/* priority_data.json: every finding, and what its categories could save. */
#include "export/pipeline_parts.h"

#include "export/estimates_json.h"
#include "export/finding_json.h"
#include "report/report_detail.h"

#include <math.h>

/* The roll-up of the reports: a large category without findings has no score. */
static cJSON *roll_up(const struct report_detail *d, int most)
{
    cJSON *list = json_list();
    for (int k = 0; k < d->n_priorities && k < most; k++) {
        const struct report_priority_row *r = &d->priorities[k];
        json_row(
            list, J("rank", r->rank), J("category", work_category_name(r->category)),
            J("display_name", work_category_display(r->category)),
            J("impact_score", r->mid_pct), J("impact_score_low", r->low_pct),
            J("impact_score_high", r->high_pct),
            J("source", isnan(r->mid_pct) ? "manifest_fallback" : "findings_rollup"));
    }
    return list;
}

void pipeline_put_priorities(struct pipeline_files *f, struct arena tmp,
                             const struct pipeline_source *s)
{
    enum { FIRST_RECOMMENDATIONS = 6 };
    const struct report_detail *d = s->r->detail;
    cJSON *findings = json_list();
    for (int k = 0; k < s->r->n_findings; k++)
        json_push(findings, finding_json(s->r, &s->r->findings[k], NAMES_DATA));
    json_put(pipeline_add(f, S("priority_data.json")),
             J("baseline_ms", s->r->timeline.total_ms), J("findings", findings),
             J("priorities", roll_up(d, d->n_priorities)),
             J("recommendations", roll_up(d, FIRST_RECOMMENDATIONS)),
             J("e_findings", estimate_groups_json(tmp, s->a, NULL)),
             J("all_estimates", estimates_json(tmp, s->a, NULL)));
}
