/* write_folder.h - the report in every format requested, in one folder.
 *
 * Writers read only the report. A second thread finishes the workbook while the first
 * writes the pages; then both share the rest. The bytes are the same with one thread.
 */
#ifndef WRITE_FOLDER_H
#define WRITE_FOLDER_H

#include "commands/options.h"

#include "base/arena.h"
#include "render/markdown/markdown_style.h"
#include "report/report.h"

struct ci_run;
struct early;
struct pipeline_source;
struct publish;
struct replay_set;
struct single_file;
struct theme;
struct trace_result;

struct folder_content {
    const struct report *report;
    const struct theme *theme;
    const struct replay_set *replay;    /* may hold no package */
    const struct pipeline_source *data; /* of the data files of the analysis */
    struct early *early;                /* begun before, finished here */
    struct single_file *single;         /* also receives the pages; may be NULL */
    const struct ci_run *ci;            /* has taken the report */
    struct markdown_style markdown;
    struct str notes; /* of the user, in markdown; may be empty */
};

/* `tmp2` is scratch memory for the second thread. */
MUST_CHECK bool folder_write(const struct options *o, const struct folder_content *c,
                             const struct publish *p, struct arena *perm,
                             struct arena tmp, struct arena tmp2, struct err *e);

#endif
