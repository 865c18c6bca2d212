/* compare_summary.h - a comparison as the tree that run_summary.h describes, for the
 * same formats: its verdict, its gates, the findings that are new, the largest
 * changes. */
#ifndef CI_COMPARE_SUMMARY_H
#define CI_COMPARE_SUMMARY_H

#include "ci/run_summary.h"
#include "report/compare/compare_report.h"

struct cJSON *compare_summary(struct arena *tmp, const struct compare_report *r,
                              const struct run_facts *facts, struct str run_label);

#endif
