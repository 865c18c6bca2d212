/* pipeline_json.h - the data files of the analysis, one document each.
 *
 * Names, places and fields are those of analysis.md 1.3 to 1.11. Documents are cJSON
 * trees, category tables are report tables. For other programs only: people read the
 * pages. */
#ifndef EXPORT_PIPELINE_JSON_H
#define EXPORT_PIPELINE_JSON_H

#include "export/pipeline_files.h"
#include "export/pipeline_source.h"

struct pipeline_files pipeline_files_build(struct arena *perm, struct arena tmp,
                                           const struct pipeline_source *s);
#endif
