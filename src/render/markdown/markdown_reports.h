/* markdown_reports.h - the markdown files of a folder, all of them.
 *
 *   standalone_analysis.md        two tiers, each fit to be passed on alone
 *   standalone_analysis_fair.md   what a stakeholder reads
 *   standalone_analysis_rough.md  working notes: every table, every call stack
 *   NAME_findings.md in category_findings and system_findings: what each analyser says
 *
 * Sees the report and its detail (report_detail.h) alone. */
#ifndef RENDER_MARKDOWN_MARKDOWN_REPORTS_H
#define RENDER_MARKDOWN_MARKDOWN_REPORTS_H

#include "base/arena.h"
#include "base/err.h"
#include "render/folder/publish.h"
#include "render/markdown/markdown_style.h"
#include "report/report.h"

/* `charts`: those to show, which lie in the folder. */
MUST_CHECK bool markdown_write(const struct report *r,
                               const struct report_charts *charts,
                               const struct markdown_style *style,
                               const struct publish *p, struct arena tmp,
                               struct err *e);

#endif
