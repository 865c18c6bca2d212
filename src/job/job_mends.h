/* job_mends.h - what nodes, roles and causes of lateness cost the run; adds to
 * j->mends.
 */
#ifndef JOB_JOB_MENDS_H
#define JOB_JOB_MENDS_H

#include "job/job_graph.h"

/* The last that is asked of a graph: its scales are other ones afterwards. */
void job_mend_together(struct job_graph *w);

#endif
