/* job_inputs.h - the captures of a job: from traces, capture files, packs of them,
 * folders and lists. */
#ifndef JOB_INPUTS_H
#define JOB_INPUTS_H

#include "base/arena.h"
#include "commands/options.h"

/* The files that the arguments name, sorted: a file, a folder (the captures or traces
 * in it, and the captures of reports in its folders), a pattern with * or ?, or @FILE
 * with one of these a line. */
struct job_files {
    const char **paths;
    int n;
};

MUST_CHECK bool job_files_find(struct arena *perm, const char *const *args, int n,
                               struct job_files *files, struct err *e);

/* The rank that --rank or --rank-regex gives a trace; -1: it is for the trace to say.
 */
MUST_CHECK bool job_rank_asked(const char *path, const struct options *o, int *rank,
                               struct err *e);

/* The capture of one trace; texts in perm. */
struct trace_result;
struct capture;
MUST_CHECK bool job_trace_open(const char *path, const struct options *o,
                               struct arena *perm, struct arena tmp,
                               struct trace_result *t, struct capture *c,
                               struct err *e);

/* --share: takes away what is not to leave. */
void job_redact(struct arena *perm, struct capture *c, const struct options *o);

#endif
