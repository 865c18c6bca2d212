#include "analysis/data_quality.h"

#include "analysis/finding_text.h"
#include "analysis/model/number_text.h"
#include "analysis/model/work_facts.h"
#include "ops/op_groups.h"

enum { TOLD_MOST = 100 }; /* rows of a category, the costliest */

void data_quality_warn(struct arena *perm, struct analysis *a)
{
    for (int c = 0; c < WORK_COMMUNICATION; c++) {
        int n = 0;
        for (int32_t i = 0; i < a->categories[c].n_rows; i++) {
            const struct work_row *r = &a->categories[c].rows[i];
            const struct work_efficiency *e = &r->efficiency;
            n += e->warning;
            if (!e->warning || n > TOLD_MOST)
                continue;
            struct str text =
                say(perm, "[{}] {} on `{}` reads {}% of peak: {}.",
                    said(e->anomaly ? "ANOMALY" : "WARNING"),
                    said(finding_quote(perm, r->name)), said(work_text(r, "shape")),
                    said_pct(e->percent),
                    said(e->anomaly
                             ? "verify measurement; left out of averages and priorities"
                             : "within measurement error"));
            analysis_warn(perm, a,
                          (struct warning){.source = work_category_name(r->category),
                                           .text = text});
        }
        if (n > TOLD_MOST)
            analysis_warn(perm, a,
                          (struct warning){
                              .source = work_category_name((enum work_category)c),
                              .text = say(perm, "{} more rows read above 100% of peak.",
                                          said(n - TOLD_MOST))});
    }
}
