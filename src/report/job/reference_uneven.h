/* reference_uneven.h - the reference's tables of all-to-all-v; for reference_tables. */
#ifndef REPORT_JOB_REFERENCE_UNEVEN_H
#define REPORT_JOB_REFERENCE_UNEVEN_H

#include "report/job/reference_parts.h"

enum { UNEVEN_TABLES = 3 };

/* nccl_all2allv, nccl_summary_all2allv, and nccl_all2allv_heatmap if splits are
 * recorded. Returns how many; 0: there is no all-to-all-v. */
int reference_uneven(struct reference *m, struct report_table to[UNEVEN_TABLES]);

#endif
