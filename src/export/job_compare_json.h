/* job_compare_json.h - two jobs compared, for other programs: comparison_data.json. */
#ifndef EXPORT_JOB_COMPARE_JSON_H
#define EXPORT_JOB_COMPARE_JSON_H

#include "report/job/job_compare.h"

struct cJSON;
struct gate_result;

/* Whoever takes it deletes it with cJSON_Delete. `of`: the reference, the candidate.
 * Times are whole nanoseconds, as in the CSV files; what is not known is null. */
struct cJSON *job_compare_json(const struct job_comparison *c,
                               const struct job_outline of[2],
                               const struct gate_result *gates, int n_gates,
                               struct str tool_version);

#endif
