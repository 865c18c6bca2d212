/* job_outcome.h - a job, or how it differs from another, as the tree that
 * run_summary.h describes, for the same formats: its verdict, its gates, its checks;
 * each rank that is named as a finding; of two jobs how the mean rank's time changed.
 */
#ifndef CI_JOB_OUTCOME_H
#define CI_JOB_OUTCOME_H

#include "ci/run_summary.h"
#include "report/job/job_compare.h"
#include "report/job/job_report.h"

struct cJSON *job_outcome(struct arena *tmp, const struct job_report *r,
                          const struct run_facts *facts, struct str run_label);

struct cJSON *job_difference(struct arena *tmp, const struct job_comparison *c,
                             struct str tool, const struct run_facts *facts,
                             struct str run_label);

#endif
