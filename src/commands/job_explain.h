/* job_explain.h - why a late rank is late: its capture against that of a rank that does
 * the same and is not, in the words that analyze and compare have for it. */
#ifndef JOB_EXPLAIN_H
#define JOB_EXPLAIN_H

#include "commands/options.h"
#include "job/job.h"

/* Sets j->reasons of the rank that is named first, or of each if their causes differ;
 * of none that is named, of the rank that was late once; where nobody is late,
 * j->first_action. Without both captures, or where nothing accounts for most of it,
 * they stay empty. False if a capture that was read cannot be read again. */
MUST_CHECK bool job_explain(struct arena *perm, struct arena tmp, struct arena tmp2,
                            const struct options *o, struct job *j, struct err *e);

#endif
