/* trace_analyse.h - one trace to its findings: read, link, tabulate, analyse.
 *
 * A result owns everything in it: events, rows, findings, Lua files and their memory.
 * Several can exist at once, as they share nothing. A result must not move between
 * trace_analyse and trace_close: its parts point into one another. */
#ifndef ANALYSIS_TRACE_ANALYSE_H
#define ANALYSIS_TRACE_ANALYSE_H

#include "analysis/analysis_run.h"
#include "analysis/lua/pattern_host.h"
#include "analysis/stack/tree_index.h"
#include "ops/op_cost.h"
#include "ops/op_tables.h"
#include "store/store_redact.h"
#include "tree/lend_plan.h"

struct trace_source {
    const char *path;
    bool from_fd; /* read `fd` in place of the path, which is then a label */
    int fd;       /* owned by the reader */
};

enum trace_stage { TRACE_READ, TRACE_LINK, TRACE_TABLES, TRACE_ANALYSE };

/* Bytes of memory that a run keeps, by content. */
struct memory_kept {
    ptrdiff_t store, trees, links, tables;
    int64_t events; /* elements of traceEvents */
};

struct trace_result {
    struct event_store store;
    struct trace_view view;
    struct pattern_host *patterns;
    struct op_tables tables;
    struct tree_index tree;
    struct analysis analysis;
    struct memory_kept kept;
    struct lent_counts lent; /* to graph launches, by options.lender */
    char lender_sha256[SHA256_HEX_BYTES];
    struct arena perm, perm2, patterns_perm; /* 2: of the second thread */
    char *perm_start, *perm2_start, *patterns_start;
    struct host_work *host;
};

struct trace_options {
    enum redact_level redact; /* what is removed before anything reads the trace */
    bool hide_shapes;         /* the same */
    const struct device_spec *device; /* NULL: no roofline; lent until trace_close */
    const struct pattern_source *patterns; /* the library */
    int n_patterns;
    const char *lender; /* the trace of a capture, for graph launches; may be NULL */
    const char *const *extensions; /* Lua files of the user's */
    int n_extensions;
    struct view_options view;
    struct analysis_options analysis;
    bool one_thread;
    bool for_report; /* also the tables and views that reports alone show */

    /* Asked as soon as the trace is read, if `device` is NULL: which it is, NULL for
     * none. False ends the run with e. May be NULL. */
    bool (*device_of)(void *context, const struct traced_device *recorded,
                      const struct device_spec **device, struct err *e);

    /* Either may be NULL. `stage` is called as each stage begins, with the result so
     * far; from TRACE_ANALYSE on its tables are complete. */
    store_progress *progress;
    void (*stage)(void *context, enum trace_stage stage, const struct trace_result *t);
    void *context;
};

/* False if the trace or an extension cannot be read; then there is nothing to close. */
MUST_CHECK bool trace_analyse(struct trace_result *t, const struct trace_source *source,
                              const struct trace_options *o, struct err *e);
void trace_close(struct trace_result *t);

/* For another thread, from TRACE_ANALYSE on: waits for the one that follows the host.
 * Of what it returns only idle time is known by then. */
const struct system_results *trace_idle(const struct trace_result *t);

#endif
