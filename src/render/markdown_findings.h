/* markdown_findings.h - what an analyser found, as markdown: a file of its own, or a
 * section of the fair report with its headings further down. */
#ifndef RENDER_MARKDOWN_FINDINGS_H
#define RENDER_MARKDOWN_FINDINGS_H

#include "render/markdown_parts.h"

/* "GEMM Analysis Summary" without the '#'. */
struct str findings_title(struct str category_id);

/* The file without its title, headings at m->level. */
void findings_category(const struct md *m, const struct report_section *s);
void findings_idle(const struct md *m);
void findings_multi_kernel(const struct md *m);
void findings_fusion(const struct md *m);

/* "| 50% of peak | 0.37 ms | ..." with its heading line; nothing without rows. */
void findings_projection(const struct md *m, const struct report_finding *f);

/* "Status: ERROR" and what the analyser said. */
void findings_error(const struct md *m, struct str error);

#endif
