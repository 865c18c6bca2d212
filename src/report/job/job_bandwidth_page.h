/* job_bandwidth_page.h - the page of transfers: rates by size, fits and peaks. */
#ifndef REPORT_JOB_JOB_BANDWIDTH_PAGE_H
#define REPORT_JOB_JOB_BANDWIDTH_PAGE_H

struct job_maker;

void job_bandwidth_page(struct job_maker *m);

#endif
