/* job_words.h - what the pages of a job, or of a comparison of two, say: pages with
 * sections of sentences, from templates/words/NAME.txt. Its first comment says how its
 * lines begin. Names of a trace stay in their line. */
#ifndef RENDER_TEXT_JOB_WORDS_H
#define RENDER_TEXT_JOB_WORDS_H

#include "report/job/job_shown.h"

#include "base/err.h"

struct words_section {
    struct str id, title;
    struct str *paras; /* sentences without their full stop */
    int n_paras;
    const struct job_shown *shown; /* NULL: only words */
    struct str caption;            /* of its table */
};

struct words_page {
    struct str file, title, question;
    bool
        under; /* another page leads to it: not in the list of pages, nor in markdown */
    struct words_section *sections;
    int n_sections;
};

struct job_words {
    const struct job_document *d;
    struct words_page *pages;
    int n_pages;
};

MUST_CHECK bool job_words_read(struct arena *perm, struct arena tmp,
                               const struct job_document *d, struct job_words *w,
                               struct err *e);

#endif
