/* analysis_run.h - rows to findings: every analyser, in the order of the report.
 *
 *   rows        analysis_rows       category, shares, efficiency, facts of each row
 *   system      system_analyse      idle time, copies, communication, fusion candidates
 *   views       run_views           what a report shows of the run, if asked for
 *   patterns    pattern_host        symptoms -> advice, in Lua
 *   findings    analysis_findings   bottlenecks, claims, priorities, savings, order
 *
 * A part that fails is marked, named in the warnings, and left out; the rest is kept.
 *  */
#ifndef ANALYSIS_ANALYSIS_RUN_H
#define ANALYSIS_ANALYSIS_RUN_H

#include "analysis/model/finding.h"
#include "base/arena.h"

struct host_work;
struct pattern_host;
struct schedule;   /* whatif/schedule.h: from which savings are replayed */
struct tree_index; /* tree_index.h: Python frames, modules, chains and siblings */
struct trace_view;

/* What needs the events and their tree alone, not their rows: idle time, followed to
 * the host, and the views of the run if they are wanted. The tree may still be made
 * when it is opened, but not when it is started. */
struct host_work *host_work_open(struct arena *perm, const struct trace_view *v,
                                 const struct tree_index *tree, bool views);

/* On a thread of its own or at once; `perm` and `tmp` are then its own until
 * analysis_run returns. */
void host_work_start(struct host_work *h, bool own_thread, struct arena *perm,
                     struct arena tmp);

/* Waits until all of that is done; any number of threads may. Of what it returns only
 * idle time is known by then. */
const struct system_results *host_work_wait(struct host_work *h);

/* After analysis_run; nobody waits any more. */
void host_work_close(struct host_work *h);

struct analysis_options {
    double idle_threshold_pct; /* promote idle time from here; IDLE_THRESHOLD_PCT */
    bool no_system_impact;     /* claim savings for kernels only */

    struct host_work *host; /* started before; NULL: done here, and the views, too, */
    bool views;             /* if these are wanted */
};

/* Idle time above which there is a finding, whatever its severity (analysis.md 4.1). */
#define IDLE_THRESHOLD_PCT 50.0

/* Without `patterns` (NULL), bottlenecks get the built-in advice only. */
struct analysis analysis_run(struct arena *perm, struct arena tmp,
                             const struct op_tables *t, const struct tree_index *tree,
                             struct pattern_host *patterns, struct analysis_options o);

/* The steps in order, one file each. */
void analysis_rows(struct arena *perm, struct arena tmp, struct analysis *a,
                   const struct tree_index *tree);
void analysis_findings(struct arena *perm, struct arena tmp, struct analysis *a,
                       struct pattern_host *patterns, const struct schedule *o);

#endif
