/* pipeline_parts.h - the kinds of pipeline files, one function each; pipeline_json.c
 * puts them in order. */
#ifndef EXPORT_PIPELINE_PARTS_H
#define EXPORT_PIPELINE_PARTS_H

#include "export/json_tree.h"
#include "export/pipeline_files.h"
#include "export/pipeline_source.h"

#include <cjson/cJSON.h>

void pipeline_put_manifest(struct pipeline_files *f, const struct pipeline_source *s);
void pipeline_put_metadata(struct pipeline_files *f, struct arena tmp,
                           const struct pipeline_source *s);
void pipeline_put_tables(struct pipeline_files *f, struct arena tmp,
                         const struct pipeline_source *s);
void pipeline_put_metrics(struct pipeline_files *f, struct arena tmp,
                          const struct pipeline_source *s);
void pipeline_put_tree_data(struct pipeline_files *f, struct arena tmp,
                            const struct pipeline_source *s);
void pipeline_put_system(struct pipeline_files *f, const struct pipeline_source *s);
void pipeline_put_fusion(struct pipeline_files *f, struct arena tmp,
                         const struct pipeline_source *s);
void pipeline_put_priorities(struct pipeline_files *f, struct arena tmp,
                             const struct pipeline_source *s);
/* Tables of our own, which the reference does not have: own_tables/. */
void pipeline_put_own_tables(struct pipeline_files *f, const struct pipeline_source *s);
void pipeline_put_validation(struct pipeline_files *f, const struct pipeline_source *s);

#endif
