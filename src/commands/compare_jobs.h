/* compare_jobs.h - inputs of `tracefolio compare` that are jobs of many ranks: two of
 * them compared as jobs, and a rank of one as any other capture.
 *
 * A job is the folder that `tracefolio job` wrote, or what it would be made of: a
 * folder of captures, of reports or of traces, or a pack of captures. */
#ifndef COMPARE_JOBS_H
#define COMPARE_JOBS_H

#include "commands/options.h"

struct arena;

bool path_is_job(const char *path, struct arena tmp);

/* "JOB:rank=7": the path of the job in perm, and the rank. False: it is not such a
 * text, or the path of a file. */
bool path_names_rank(const char *path, struct arena *perm, const char **job, int *rank);

/* The file to read for a rank of a job: its capture or trace; a pack of captures for
 * one that is in it. */
MUST_CHECK bool job_rank_find(const char *job, int rank, struct arena *perm,
                              struct arena tmp, const char **file, struct err *e);

/* Both sides are one job each: writes the comparison. */
MUST_CHECK bool compare_jobs_run(const struct options *o, struct err *e);

/* Whether both sides are. A job against what is none is an error. */
MUST_CHECK bool compare_is_of_jobs(const struct options *o, bool *of_jobs,
                                   struct err *e);

#endif
