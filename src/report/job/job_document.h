/* job_document.h - a job as pages of sections: what is said, charts and tables, for the
 * site and for markdown.
 *
 * Cells are text, at most JOB_TABLE_ROWS rows of most tables; the CSV files have the
 * rest.
 */
#ifndef REPORT_JOB_JOB_DOCUMENT_H
#define REPORT_JOB_JOB_DOCUMENT_H

#include "report/job/job_maker.h"

/* In perm, as it is large. */
struct job_document *job_document_make(struct arena *perm, struct arena tmp,
                                       const struct job_report *r);

#endif
