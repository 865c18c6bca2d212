/* job_fields.h - a job, described (base/describe.h), under the names of job.json and,
 * for builds, of its summary.json; assets/schemas has the schemas of both.
 *
 * The whole that functions of fields are given is the struct described here. */
#ifndef REPORT_JOB_JOB_FIELDS_H
#define REPORT_JOB_JOB_FIELDS_H

#include "base/described.h"
#include "report/job/job_gates.h"
#include "report/job/job_report.h"

/* Ranks beyond 1024 are those named and blamed most. */
DESCRIBED(job_report);

struct job_summary {
    const struct job_report *r;
    const struct gate_result *gates;
    int n_gates;
};
DESCRIBED(job_summary);

#endif
