/* report_build.h - tables and findings to the report model.
 *
 * The last stage that sees rows of ops/ and analysis/; it decides every word and number
 * that the writers show. All memory is that of `perm`. */
#ifndef REPORT_REPORT_BUILD_H
#define REPORT_REPORT_BUILD_H

#include "analysis/finding.h"
#include "report/report.h"
#include "report/sheets.h"

struct tree_index;

/* What the tables do not hold. */
struct report_options {
    struct str run_label;    /* empty: made from the trace's file name */
    struct str trace_path;   /* as the user typed it; only its last part is shown */
    struct str tool_version; /* "tracefolio 0.1.0" */
    struct str report_id, input_digest;
    struct str model;              /* what the user calls it; empty: inferred */
    const struct tree_index *tree; /* NULL: modules from the rows alone */
};

struct report report_build(struct arena *perm, struct arena tmp,
                           const struct op_tables *t, const struct analysis *a,
                           const struct sheets *s, const struct report_options *o);

#endif
