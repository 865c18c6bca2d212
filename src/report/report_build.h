/* report_build.h - builds the report model from tables and findings.
 *
 * The last stage that sees rows of ops/ and analysis/; it decides every word and number
 * that the writers show. All memory comes from `perm`; nothing changes afterwards. */
#ifndef REPORT_REPORT_BUILD_H
#define REPORT_REPORT_BUILD_H

#include "analysis/model/finding.h"
#include "report/report.h"
#include "report/report_options.h"
#include "report/sheets.h"

struct report report_build(struct arena *perm, struct arena tmp,
                           const struct op_tables *t, const struct analysis *a,
                           const struct sheets *s, const struct report_options *o);

#endif
