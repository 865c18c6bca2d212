/* pipeline_files.h - data files to write: a path and a document or a table each.
 *
 * The list owns the trees until pipeline_files_close. */
#ifndef EXPORT_PIPELINE_FILES_H
#define EXPORT_PIPELINE_FILES_H

#include "report/report_table.h"

struct arena;
struct cJSON;
struct description;
struct pipeline_source;

struct pipeline_file {
    struct str path;                  /* in the folder: "metadata/model_info.json" */
    struct cJSON *tree;               /* or */
    const struct report_table *table; /* a CSV file */
};

struct pipeline_files {
    struct pipeline_file *at;
    int n;
    struct arena *perm, *tmp;
    const struct pipeline_source *source; /* the whole of what is described */
};

/* A new document at `path`: an object to fill. */
struct cJSON *pipeline_add(struct pipeline_files *f, struct str path);
/* A described struct as a document. */
void pipeline_tell(struct pipeline_files *f, struct str path,
                   const struct description *d, const void *of);
void pipeline_add_table(struct pipeline_files *f, struct str path,
                        const struct report_table *table);
void pipeline_files_close(struct pipeline_files *f);

#endif
