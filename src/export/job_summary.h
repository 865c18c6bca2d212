/* job_summary.h - a job in figures, for builds: summary.json, which
 * assets/schemas/job_summary.schema.json describes. */
#ifndef EXPORT_JOB_SUMMARY_H
#define EXPORT_JOB_SUMMARY_H

#include "report/job/job_gates.h"
#include "report/job/job_report.h"

struct cJSON;

/* Whoever takes it deletes it with cJSON_Delete. Whole nanoseconds are whole numbers;
 * what is not known is null. */
struct cJSON *job_summary(const struct job_report *r, const struct job_gate *gates,
                          int n_gates);

#endif
