#include "analysis/data_quality.h"

#include "analysis/finding_text.h"
#include "analysis/number_text.h"
#include "analysis/work_facts.h"

void data_quality_warn(struct arena *perm, struct analysis *a)
{
    for (int c = 0; c < WORK_COMMUNICATION; c++)
        for (int32_t i = 0; i < a->categories[c].n_rows; i++) {
            const struct work_row *r = &a->categories[c].rows[i];
            const struct work_efficiency *e = &r->efficiency;
            if (!e->warning)
                continue;
            struct str text = str_printf(
                perm, "[%s] %.*s on `%.*s` reads %.*s%% of peak: %s.",
                e->anomaly ? "ANOMALY" : "WARNING",
                STRF(finding_quote(perm, r->group->first->name)),
                STRF(work_text(r, "shape")), STRF(text_pct(perm, e->percent)),
                e->anomaly ? "verify measurement; left out of averages and priorities"
                           : "within measurement error");
            analysis_warn(perm, a, work_category_name(r->category), text, false);
        }
}
