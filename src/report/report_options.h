/* report_options.h - inputs of a report that are not in the tables. */
#ifndef REPORT_REPORT_OPTIONS_H
#define REPORT_REPORT_OPTIONS_H

#include "base/str.h"

struct gate_result;
struct replay_set;
struct report;
struct tree_index;
struct waiver;

struct report_options {
    struct str share_level;  /* "partner"; empty: internal */
    struct str run_label;    /* empty: made from the trace's file name */
    struct str trace_path;   /* as the user typed it; only its last part is shown */
    struct str tool_version; /* "tracefolio 1.0.0" */
    struct str report_id, input_digest;
    bool platform_found;             /* by the trace, not given by the user */
    struct str model;                /* the user's name for it; empty: inferred */
    const struct tree_index *tree;   /* NULL: modules from the rows alone */
    const struct replay_set *replay; /* the packages that are written; NULL: none */
    const struct str *excerpts;      /* by idle gap, its excerpt's file or empty;
                                        NULL: none */
    const struct waiver *waivers;    /* that hold on the day of the run */
    int n_waivers;
    struct compiled_link *links; /* of compiled regions, settled; NULL: none */
    int32_t n_links;
};

#endif
