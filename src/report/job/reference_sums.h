/* reference_sums.h - the tables of the reference that sum up; for reference_tables. */
#ifndef REPORT_JOB_REFERENCE_SUMS_H
#define REPORT_JOB_REFERENCE_SUMS_H

#include "report/job/reference_parts.h"

/* Sums by kind and by rank, and of ranks. */
struct report_table reference_summary(struct reference *m, const int32_t *places,
                                      int32_t n);
struct report_table reference_long_summary(struct reference *m);
struct report_table reference_stragglers(struct reference *m, const int32_t *places,
                                         int32_t n);

#endif
