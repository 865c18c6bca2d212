/* job_tables.h - the tables of a job: job_ranks, job_blame, job_cause, job_whatif and
 * their kin. */
#ifndef REPORT_JOB_JOB_TABLES_H
#define REPORT_JOB_JOB_TABLES_H

#include "job/job.h"
#include "report/report_table.h"

struct arena;

enum { JOB_TABLES = 11 };

void job_tables(struct arena *perm, const struct job *j,
                struct report_table to[JOB_TABLES]);

#endif
