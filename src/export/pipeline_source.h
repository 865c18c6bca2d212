/* pipeline_source.h - the input of the analysis's data files, and what several kinds of
 * them need from it. */
#ifndef EXPORT_PIPELINE_SOURCE_H
#define EXPORT_PIPELINE_SOURCE_H

#include "analysis/model/finding.h"
#include "export/json_tree.h"
#include "report/report.h"
#include "report/sheets.h"

struct cJSON;
struct tree_index;

/* The request as recorded in run_config.json. Texts from the user; no paths. */
struct pipeline_options {
    const char *const *extensions; /* only the last part of each path is written */
    int n_extensions;
    struct str formats;    /* "site,md,csv" */
    struct str fair_style; /* "standard", "jarvis" */
    bool include_unlinked, include_backlog, detect_recompute, no_system_impact,
        no_markers;
    double idle_threshold_pct;
};

struct pipeline_source {
    const struct op_tables *t;
    const struct analysis *a;
    const struct report *r; /* with its detail */
    const struct sheets *sheets;
    const struct tree_index *tree; /* NULL: no tree data */
    const struct pipeline_options *o;
};

/* Categories of the compute tier that have rows or failed, the largest first, then
 * communication if it has rows. */
int pipeline_categories(const struct pipeline_source *s,
                        enum work_category list[WORK_CATEGORIES]);
bool pipeline_has_multi_kernel(const struct pipeline_source *s);
bool pipeline_has_fusion(const struct pipeline_source *s);

struct str pipeline_tier(enum work_category c);
struct str pipeline_status(enum analyser_status s);

/* An argument as shown in the cells of tables; empty if absent. */
struct str pipeline_cell(struct arena *a, const struct value *v);

/* The sheet of this name; NULL: none. */
const struct report_table *pipeline_sheet(const struct pipeline_source *s,
                                          const char *name);
#endif
