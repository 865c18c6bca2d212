/* job_pages.h - the site of a job: its pages, their style sheet and script. */
#ifndef RENDER_PAGE_JOB_PAGES_H
#define RENDER_PAGE_JOB_PAGES_H

#include "base/arena.h"
#include "render/folder/publish.h"
#include "render/text/job_words.h"

struct theme;

MUST_CHECK bool job_pages_write(const struct job_words *w, const struct theme *theme,
                                const struct publish *p, struct arena tmp,
                                struct arena tmp2, struct err *e);

#endif
