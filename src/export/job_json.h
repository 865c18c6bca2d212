/* job_json.h - a job for other programs: job.json, which
 * assets/schemas/job.schema.json describes. */
#ifndef EXPORT_JOB_JSON_H
#define EXPORT_JOB_JSON_H

#include "report/job/job_report.h"

struct cJSON;

/* Whoever takes it deletes it with cJSON_Delete. Whole nanoseconds are whole numbers;
 * what is not known is null. Ranks beyond 1024 are those named and blamed most. */
struct cJSON *job_json(const struct job_report *r);

#endif
