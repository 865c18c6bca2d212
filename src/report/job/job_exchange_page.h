/* job_exchange_page.h - who sends how much to whom in all-to-all-v. */
#ifndef REPORT_JOB_JOB_EXCHANGE_PAGE_H
#define REPORT_JOB_JOB_EXCHANGE_PAGE_H

struct job_maker;
struct job_page;

/* Adds a section to the page if the job has all-to-all-v. */
void job_exchange_section(struct job_maker *m, struct job_page *p);

#endif
