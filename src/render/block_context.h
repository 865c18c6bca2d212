/* block_context.h - sections of a page, each with figures, tables, findings and
 * remarks, as templates/blocks.html reads them. */
#ifndef RENDER_BLOCK_CONTEXT_H
#define RENDER_BLOCK_CONTEXT_H

#include "render/site_context.h"

/* A section, and its line in "On this page". */
cJSON *block_open(cJSON *page, const char *block_id, const char *title,
                  const char *about);

/* Why there is nothing; the rest of the section is then left out. */
void block_empty(cJSON *block, struct str why);

/* A chart, or why there is none. */
void block_chart(cJSON *block, const struct site *s, enum chart_subject subject,
                 struct arena tmp);
void block_table(cJSON *block, cJSON *table);     /* of table_open */
void block_finding(cJSON *block, cJSON *finding); /* of finding_line */
void block_remark(cJSON *block, struct str text);

#endif
