/* unmodelled_text.h - the one line about work that no performance model covers. */
#ifndef ANALYSIS_UNMODELLED_TEXT_H
#define ANALYSIS_UNMODELLED_TEXT_H

#include "analysis/finding_group.h"

/* Known only by its kernel: nothing to model, and nothing to replay. */
bool row_is_bare(const struct work_row *r);

/* Which operations, and what would give them figures. */
struct str unmodelled_issue(struct arena *a, const struct finding *f,
                            const struct finding_group *g);
/* What would give most of them figures. */
struct str unmodelled_title(struct arena *a, const struct finding_group *g);
struct str unmodelled_advice(struct arena *a, const struct finding_group *g);

#endif
