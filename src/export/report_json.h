/* report_json.h - report.json: the whole report, for other programs.
 *
 * Versioned ("schema": added fields raise the minor number, anything else the major);
 * assets/schemas/report.schema.json describes it. Units are in the names, keys are
 * sorted. Operations are the first 200 and those cited by findings; the rest is in
 * perf_report_csvs/unified_perf_summary.csv. */
#ifndef EXPORT_REPORT_JSON_H
#define EXPORT_REPORT_JSON_H

#include "report/report.h"

struct gate_results;
struct out;

void report_json_write(struct out *o, const struct report *r,
                       const struct gate_results *gates, struct arena tmp);

#endif
