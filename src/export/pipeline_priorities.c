/* priority_data.json: every finding, and what its categories could save. */
#include "export/pipeline_parts.h"

#include "base/arena.h"
#include "base/describe.h"
#include "export/described_json.h"
#include "export/estimates_json.h"
#include "export/finding_json.h"
#include "report/report_detail.h"

#include <math.h>

/* A large category without findings has no score. */
TELL(struct str, source, report_priority_row,
     isnan(it->mid_pct) ? S("manifest_fallback") : S("findings_rollup"));
static FIELDS(report_priority_row, F(rank, NUMBER),
              ENUM(category, work_category_name, WORK_CATEGORIES),
              ENUM_AS("display_name", category, work_category_display, WORK_CATEGORIES),
              AS("impact_score", mid_pct, PCT), AS("impact_score_low", low_pct, PCT),
              AS("impact_score_high", high_pct, PCT), CALL(source, TEXT, source));

enum { FIRST_RECOMMENDATIONS = 6 };
TELL(struct field_items, recommendations, report_detail,
     (struct field_items){.first = it->priorities,
                          .n = it->n_priorities < FIRST_RECOMMENDATIONS
                                   ? it->n_priorities
                                   : FIRST_RECOMMENDATIONS});
static VIEW(roll_up, report_detail, LIST(priorities, n_priorities, report_priority_row),
            CALL_LIST(recommendations, report_priority_row, recommendations));

void pipeline_put_priorities(struct pipeline_files *f, struct arena tmp,
                             const struct pipeline_source *s)
{
    const struct json_walk w = {.whole = s, .tmp = &tmp};
    cJSON *o = pipeline_add(f, S("priority_data.json"));
    json_put(o, J("baseline_ms", s->r->timeline.total_ms));
    cJSON *findings = json_put_array(o, "findings");
    for (int k = 0; k < s->r->n_findings; k++)
        json_push(findings, finding_json(s->r, &s->r->findings[k], NAMES_DATA, tmp));
    json_put_described(o, roll_up_fields(), s->r->detail, &w);
    json_put(o, J("e_findings", estimate_groups_json(tmp, s->a, NULL)),
             J("all_estimates", estimates_json(tmp, s->a, NULL)));
}
