/* job_outline_read.h - the outline of a job from its job.json. */
#ifndef EXPORT_JOB_OUTLINE_READ_H
#define EXPORT_JOB_OUTLINE_READ_H

#include "base/err.h"
#include "report/job/job_outline.h"

struct arena;
struct cJSON;

/* Copies texts; `path` names the file in errors. What is missing or of the wrong kind
 * in `root` is an error. */
MUST_CHECK bool job_outline_read(struct arena *perm, const struct cJSON *root,
                                 const char *path, struct job_outline *o,
                                 struct err *e);

#endif
