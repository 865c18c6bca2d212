/* job_markdown.h - the markdown files of a job: job_report.md in full, job_fair.md in a
 * page. */
#ifndef RENDER_MARKDOWN_JOB_MARKDOWN_H
#define RENDER_MARKDOWN_JOB_MARKDOWN_H

#include "base/arena.h"
#include "render/folder/publish.h"
#include "render/text/job_words.h"

MUST_CHECK bool job_markdown_write(const struct job_words *w, const struct publish *p,
                                   struct arena tmp, struct arena tmp2, struct err *e);

#endif
