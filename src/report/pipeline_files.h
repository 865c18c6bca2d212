/* pipeline_files.h - data files to write: a path and a document or a table each.
 *
 * What the writer needs to know of pipeline_json.h. The trees are the list's, until
 * pipeline_files_close. */
#ifndef REPORT_PIPELINE_FILES_H
#define REPORT_PIPELINE_FILES_H

#include "report/report_table.h"

struct arena;
struct cJSON;

struct pipeline_file {
    struct str path;                  /* in the folder: "metadata/model_info.json" */
    struct cJSON *tree;               /* or */
    const struct report_table *table; /* a CSV file */
};

struct pipeline_files {
    struct pipeline_file *at;
    int n, cap;
    struct arena *perm;
};

void pipeline_files_close(struct pipeline_files *f);

#endif
