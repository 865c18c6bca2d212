/* pipeline_parts.h - the kinds of pipeline files, and what they share. */
#ifndef REPORT_PIPELINE_PARTS_H
#define REPORT_PIPELINE_PARTS_H

#include "report/json_tree.h"
#include "report/pipeline_json.h"

#include <cjson/cJSON.h>

/* A new document at `path`: an object to fill. */
cJSON *pipeline_add(struct pipeline_files *f, struct str path);
void pipeline_add_table(struct pipeline_files *f, struct str path,
                        const struct report_table *table);

/* The files of one kind each. */
void pipeline_put_manifest(struct pipeline_files *f, const struct pipeline_source *s);
void pipeline_put_metadata(struct pipeline_files *f, const struct pipeline_source *s);
void pipeline_put_tables(struct pipeline_files *f, struct arena tmp,
                         const struct pipeline_source *s);
void pipeline_put_metrics(struct pipeline_files *f, struct arena tmp,
                          const struct pipeline_source *s);
void pipeline_put_tree_data(struct pipeline_files *f, struct arena tmp,
                            const struct pipeline_source *s);
void pipeline_put_system(struct pipeline_files *f, const struct pipeline_source *s);
void pipeline_put_fusion(struct pipeline_files *f, const struct pipeline_source *s);
void pipeline_put_priorities(struct pipeline_files *f, struct arena tmp,
                             const struct pipeline_source *s);
void pipeline_put_validation(struct pipeline_files *f, const struct pipeline_source *s);

/* Categories of the compute tier that have rows or failed, the largest first, then
 * communication if it has rows. */
int pipeline_categories(const struct pipeline_source *s,
                        enum work_category list[WORK_CATEGORIES]);
bool pipeline_has_multi_kernel(const struct pipeline_source *s);
bool pipeline_has_fusion(const struct pipeline_source *s);
const char *pipeline_tier(enum work_category c);

void pipeline_put_utilization(cJSON *o, const struct report_timeline *t);
void pipeline_put_finding(cJSON *array, struct arena *scratch,
                          const struct pipeline_source *s, int finding);
void pipeline_put_impact(cJSON *o, const char *key, struct impact_range i);

/* Estimates and groups of them as the peer project makes them, for comparing. */
void pipeline_put_estimates(cJSON *o, struct arena tmp, const struct pipeline_source *s,
                            const struct category_result *only);
void pipeline_put_e_findings(cJSON *o, const char *key, struct arena tmp,
                             const struct pipeline_source *s,
                             const struct category_result *only);

struct str pipeline_bound(enum roofline_bound b); /* "compute", "memory", or empty */
struct str pipeline_status(enum analyser_status s);

#endif
