/* job_context.h - a job as templates read it. templates/job.html and
 * templates/md/job_fair.md list the keys. */
#ifndef RENDER_TEXT_JOB_CONTEXT_H
#define RENDER_TEXT_JOB_CONTEXT_H

#include "render/text/job_words.h"

struct cJSON;

/* Adds title, question and sections, without charts; returns the sections. */
struct cJSON *job_page_context(struct arena *tmp, struct cJSON *o,
                               const struct job_words *w, int page);

/* pages[], and of a single job what the short report has. Whoever takes it deletes it
 * with cJSON_Delete. */
struct cJSON *job_context(struct arena *tmp, const struct job_words *w);

#endif
