/* write_folder.h - the report in every format that was asked for, into one folder.
 *
 * Writers read the report and nothing else. What is slow and apart from the pages, the
 * pictures above all, is written on a thread of its own, after the workbook that began
 * before; the bytes do not depend on it. */
#ifndef WRITE_FOLDER_H
#define WRITE_FOLDER_H

#include "options.h"

#include "base/arena.h"
#include "render/markdown_style.h"
#include "report/report.h"

struct book;
struct cut_plan;
struct event_store;
struct pipeline_files;
struct publish;
struct replay_set;
struct single_file;
struct theme;

struct folder_content {
    struct report *report; /* gets the names of the charts' files */
    const struct theme *theme;
    const struct replay_set *replay;       /* may hold no package */
    const struct pipeline_files *pipeline; /* data files of the analysis */
    struct book *book;                     /* begun; ends here */
    const struct cut_plan *cuts;           /* small traces of the longest gaps */
    const struct event_store *store;       /* that they are cut from */
    struct single_file *single;            /* gets the pages too; NULL: no */
    struct markdown_style markdown;
};

/* `tmp2` is the scratch of the second thread. */
MUST_CHECK bool folder_write(const struct options *o, const struct folder_content *c,
                             const struct publish *p, struct arena *perm,
                             struct arena tmp, struct arena tmp2, struct err *e);

#endif
