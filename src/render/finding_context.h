/* finding_context.h - a finding as the templates of pages read it: a card, or a line.
 */
#ifndef RENDER_FINDING_CONTEXT_H
#define RENDER_FINDING_CONTEXT_H

#include "render/site_context.h"

/* A card (templates/finding.html), with at most `evidence_rows` operations. */
cJSON *finding_card(const struct site *s, const struct report_finding *f, bool open,
                    int evidence_rows, struct arena tmp);

/* A line of a list (templates/finding_line.html) that leads to the card. */
cJSON *finding_line(const struct site *s, const struct report_finding *f,
                    struct arena tmp);

/* "K1", or "note" for what is only told. */
struct str finding_rank(const struct report_finding *f);

#endif
