/* compare_markdown.h - the markdown files of a comparison.
 *
 *   comparative_analysis_fair.md    what a stakeholder reads
 *   comparative_analysis_rough.md   the working notes
 *   comment.md                      verdict and gates, for a comment on a change */
#ifndef RENDER_MARKDOWN_COMPARE_MARKDOWN_H
#define RENDER_MARKDOWN_COMPARE_MARKDOWN_H

#include "render/folder/publish.h"
#include "report/compare/compare_report.h"

MUST_CHECK bool compare_markdown_write(const struct compare_report *r,
                                       const struct publish *p, struct arena tmp,
                                       struct arena tmp2, struct err *e);

#endif
