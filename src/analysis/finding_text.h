/* finding_text.h - the sentences of a finding that no pattern brings.
 *
 * Vendor-neutral: names of a trace stand in backticks, everything else is ours. Numbers
 * as prose has them. */
#ifndef ANALYSIS_FINDING_TEXT_H
#define ANALYSIS_FINDING_TEXT_H

#include "analysis/finding_group.h"
#include "analysis/unfused_attention.h"

/* `name` without its launcher, in backticks: control characters and backticks of its
 * own gone, cut at 120. */
struct str finding_quote(struct arena *a, struct str name);

/* <category>.<pattern>.<op>.<bound>, of letters, digits, '_', '-' and '.' alone. */
struct str finding_id(struct arena *a, const struct finding *f);

/* At most 60 characters and no vendor word. */
struct str finding_title(struct arena *a, const struct finding *f, struct str wanted);

/* "0.51 TB/s" and "5.3 TB/s" for a group; empty where not known. */
void finding_rates(struct arena *a, struct finding *f, const struct work_row *r);

/* Issue, both paths and evidence of a group; what its hit says goes first. */
void finding_say_group(struct arena *a, struct finding *f,
                       const struct finding_group *g);

/* Issue, both paths and evidence of a block of unfused attention. `advice` may be NULL.
 */
void finding_say_unfused(struct arena *a, struct finding *f,
                         const struct unfused_attention *u,
                         const struct pattern_hit *advice);

#endif
