/* compare_fields.h - a comparison, described (base/describe.h), under the names of
 * comparison_data.json. The whole that functions of fields are given is the report of
 * the comparison. */
#ifndef REPORT_COMPARE_COMPARE_FIELDS_H
#define REPORT_COMPARE_COMPARE_FIELDS_H

#include "base/described.h"
#include "report/compare/compare_report.h"

DESCRIBED(compare_report);

#endif
