/* analysis_run.h - rows to findings: every analyser, in the order of the report.
 *
 *   rows        analysis_rows       category, shares, efficiency, facts of each row
 *   system      system_analyse      idle time, copies, communication, fusion candidates
 *   patterns    pattern_host        symptoms -> advice, in Lua
 *   findings    analysis_findings   bottlenecks, claims, priorities, impact, order
 *
 * A part that fails is marked, named in the warnings, and left out; the rest stands. */
#ifndef ANALYSIS_ANALYSIS_RUN_H
#define ANALYSIS_ANALYSIS_RUN_H

#include "analysis/finding.h"

struct pattern_host;
struct tree_index; /* tree_index.h: Python frames, modules, chains and siblings */

struct analysis_options {
    double idle_threshold_pct; /* promote idle time from here; IDLE_THRESHOLD_PCT */
    bool no_system_impact;     /* claim no saving for what is no kernel */
};

/* Idle time above which a finding is made whatever its severity (analysis.md 4.1). */
#define IDLE_THRESHOLD_PCT 50.0

/* `patterns` may be NULL: built-in advice only for bottlenecks. */
struct analysis analysis_run(struct arena *perm, struct arena tmp,
                             const struct op_tables *t, const struct tree_index *tree,
                             struct pattern_host *patterns, struct analysis_options o);

/* Steps, in this order; each is a file of its own. */
void analysis_rows(struct arena *perm, struct arena tmp, struct analysis *a,
                   const struct tree_index *tree);
void system_analyse(struct arena *perm, struct arena tmp, struct analysis *a,
                    const struct tree_index *tree, double idle_threshold_pct);
void analysis_findings(struct arena *perm, struct arena tmp, struct analysis *a,
                       struct pattern_host *patterns);

#endif
