/* pipeline_json.h - the data files of the analysis, one document each.
 *
 * Names, places and fields are those of analysis.md 1.3 to 1.11. Documents are cJSON
 * trees, category tables are report tables. Only what is wanted by another program is
 * here: people read the pages. */
#ifndef REPORT_PIPELINE_JSON_H
#define REPORT_PIPELINE_JSON_H

#include "analysis/finding.h"
#include "report/pipeline_files.h"
#include "report/report.h"
#include "report/sheets.h"

struct tree_index;

/* What was asked for, as run_config.json tells it. Texts of the user; no paths. */
struct pipeline_options {
    const char *const *extensions; /* only their last parts are written */
    int n_extensions;
    struct str formats;    /* "site,md,csv" */
    struct str fair_style; /* "standard", "jarvis" */
    bool include_unlinked, detect_recompute, no_system_impact, no_markers;
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

struct pipeline_files pipeline_files_build(struct arena *perm, struct arena tmp,
                                           const struct pipeline_source *s);
#endif
