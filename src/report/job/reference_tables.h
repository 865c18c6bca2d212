/* reference_tables.h - the tables of collectives that the reference tool makes of all
 * ranks, under its names and with its rules.
 *
 * They match collectives by their place among those of a group name, know only what
 * kernels say of themselves, and take the clocks as recorded. Wide columns, one a rank,
 * are left out above 1,024 ranks. */
#ifndef REPORT_JOB_REFERENCE_TABLES_H
#define REPORT_JOB_REFERENCE_TABLES_H

#include "job/job.h"
#include "report/report_table.h"

struct arena;

enum { REFERENCE_TABLES = 8 };

/* nccl_summary_implicit_sync, nccl_summary_long, nccl_long, nccl_implicit_sync,
 * straggler_summary; where there is an all-to-all-v nccl_all2allv,
 * nccl_summary_all2allv and, if its splits are recorded, nccl_all2allv_heatmap. Returns
 * how many. */
int job_reference_tables(struct arena *perm, struct arena tmp, const struct job *j,
                         struct report_table to[REFERENCE_TABLES]);

#endif
