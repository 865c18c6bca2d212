/* markdown_fields.h - what the markdown templates look up in structs of the report and
 * of the analysis, described (base/describe.h). The whole is the report.
 *
 * Members are told one by one: a name that a template looks for further out must not
 * be found in here. */
#ifndef RENDER_MARKDOWN_MARKDOWN_FIELDS_H
#define RENDER_MARKDOWN_MARKDOWN_FIELDS_H

#include "analysis/model/system_results.h"
#include "base/described.h"
#include "report/report_detail.h"

DESCRIBED_AS(md_report, report);
DESCRIBED_AS(md_row, work_row);
DESCRIBED_AS(md_section, report_section);
DESCRIBED_AS(md_call, tree_data);
DESCRIBED_AS(md_finding, report_finding);
DESCRIBED_AS(md_worth, impact_range);
DESCRIBED_AS(md_top, top_operation);
DESCRIBED_AS(md_candidate, fusion_candidate);
DESCRIBED_AS(md_fusion, fusion_result);

/* Of a finding: the row that took longest, the first of equals. NULL: it has none. */
const struct work_row *md_longest_row(const struct finding *f);

#endif
