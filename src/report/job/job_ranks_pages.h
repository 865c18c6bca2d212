/* job_ranks_pages.h - the pages of where the time of ranks and of steps goes. */
#ifndef REPORT_JOB_JOB_RANKS_PAGES_H
#define REPORT_JOB_JOB_RANKS_PAGES_H

struct job_maker;

void job_ranks_page(struct job_maker *m);
void job_steps_page(struct job_maker *m);

#endif
