/* pipeline_write.h - writes the analysis's data files into the folder. */
#ifndef RENDER_FOLDER_PIPELINE_WRITE_H
#define RENDER_FOLDER_PIPELINE_WRITE_H

#include "base/err.h"
#include "export/pipeline_files.h"
#include "report/report.h"

struct arena;
struct gate_results;
struct publish;

enum pipeline_kind { PIPELINE_TREES = 1, PIPELINE_TABLES = 2 };

/* Documents, tables or both (enum pipeline_kind), and report.json with the documents.
 */
MUST_CHECK bool pipeline_write(const struct pipeline_files *f, const struct report *r,
                               const struct gate_results *gates, unsigned kinds,
                               const struct publish *p, struct arena tmp,
                               struct err *e);

#endif
