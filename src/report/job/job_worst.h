/* job_worst.h - the page of the collectives with most waiting: what each rank did
 * before and meanwhile, and the commands that cut the window out of the traces. */
#ifndef REPORT_JOB_JOB_WORST_H
#define REPORT_JOB_JOB_WORST_H

struct job_maker;

void job_worst_page(struct job_maker *m);

#endif
