/* finding_context.h - a finding for the page templates: a line of a list
 * (templates/finding_line.html), or a fuller card (templates/finding.html). */
#ifndef RENDER_PAGE_FINDING_CONTEXT_H
#define RENDER_PAGE_FINDING_CONTEXT_H

#include "render/page/row_context.h"

/* Add a line to a list. */
/* What finding_line.html reads, into an object; finding_line pushes one. */
cJSON *finding_facts(cJSON *c, const struct report *r, const struct report_finding *f);
cJSON *finding_line(cJSON *list, const struct report *r,
                    const struct report_finding *f);

/* Add a card, with at most `evidence_rows` operations. */
cJSON *finding_card(cJSON *list, const struct site *s, const struct report_finding *f,
                    int evidence_rows, struct arena tmp);

/* Sets "seen" of a context: its first operation, where other pages show when and below
 * what that runs. */
void finding_seen(cJSON *c, const struct site *s, const struct report_finding *f,
                  struct arena tmp);

#endif
