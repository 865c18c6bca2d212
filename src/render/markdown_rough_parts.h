/* markdown_rough_parts.h - the two halves of the rough report: how it was made, and
 * what was looked at. Only the rough report includes this. */
#ifndef RENDER_MARKDOWN_ROUGH_PARTS_H
#define RENDER_MARKDOWN_ROUGH_PARTS_H

#include "render/markdown_parts.h"

void rough_process(const struct md *m);   /* Analysis Process Summary */
void rough_raw_data(const struct md *m);  /* Raw Data Exploration */
void rough_trees(const struct md *m);     /* Tree Analysis */
void rough_gaps(const struct md *m);      /* TraceLens Gaps */
void rough_questions(const struct md *m); /* Questions for Further Investigation */

#endif
