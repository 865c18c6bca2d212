/* finding_text.h - the sentences of findings that no pattern wrote.
 *
 * Vendor-neutral: names from the trace are in backticks, all other words are our own.
 * Numbers are formatted as in prose. */
#ifndef ANALYSIS_FINDING_TEXT_H
#define ANALYSIS_FINDING_TEXT_H

#include "analysis/finding_group.h"
#include "analysis/system/unfused_attention.h"

/* `name` without its launcher, in backticks; control characters and backticks removed,
 * cut at 120. */
struct str finding_quote(struct arena *a, struct str name);

/* Issue, both paths and evidence of a group; the text of its hit comes first. */
void finding_say_group(struct arena *a, struct finding *f,
                       const struct finding_group *g);

/* "2.3x-5.1x"; equal ends are printed once. */
struct str finding_speedup(struct arena *a, const struct unfused_attention *u);

/* Issue, both paths and evidence of a block of unfused attention. `advice` may be NULL.
 */
void finding_say_unfused(struct arena *a, struct finding *f,
                         const struct unfused_attention *u,
                         const struct pattern_hit *advice);

#endif
