/* markdown_fair.h - standalone_analysis_fair.md: what a stakeholder reads.
 *
 * Answer first, then what to do in order of worth, then the evidence. */
#ifndef RENDER_MARKDOWN_FAIR_H
#define RENDER_MARKDOWN_FAIR_H

#include "render/markdown_parts.h"

void markdown_fair(const struct md *m);

/* The paragraph and the table that open both stakeholder reports. */
void fair_paragraph(const struct md *m);
void fair_top_operations(const struct md *m, int most);

#endif
