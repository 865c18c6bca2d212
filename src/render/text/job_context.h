/* job_context.h - a job as templates read it. templates/job.html and
 * templates/md/job_fair.md list the keys. */
#ifndef RENDER_TEXT_JOB_CONTEXT_H
#define RENDER_TEXT_JOB_CONTEXT_H

#include "report/job/job_document.h"

struct cJSON;

/* title, question and sections, without charts. Whoever takes either deletes it with
 * cJSON_Delete. */
struct cJSON *job_page_context(const struct job_page *p);

/* pages[], and of a single job what the short report has. */
struct cJSON *job_context(struct arena *tmp, const struct job_document *d);

#endif
