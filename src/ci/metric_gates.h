/* metric_gates.h - gates on a report: its findings by severity, and any number of
 * summary.json.
 *
 * Waived findings do not count. A metric that is not there, or that a failed check
 * makes worthless, is not evaluated. */
#ifndef CI_METRIC_GATES_H
#define CI_METRIC_GATES_H

#include "base/err.h"
#include "ci/run_summary.h"

/* Those of a report alone: a severity or a metric. */
MUST_CHECK bool report_gates_read(struct arena *perm, const char *const *texts, int n,
                                  struct gate_expr **gates, struct err *e);

/* Whether summary.json has the figure, or may have: "window.busy_pct". */
MUST_CHECK bool report_figure_read(struct arena tmp, const char *name, struct err *e);

struct gate_result metric_gate(struct arena *perm, const struct gate_expr *g,
                               const struct cJSON *summary);

/* A severity or a metric. */
struct gate_result report_gate(struct arena *perm, const struct gate_expr *g,
                               const struct cJSON *summary);

/* Whether the finding of summary.json is at least that severe, and not waived. */
bool gate_trips_on(const struct gate_expr *g, const struct cJSON *finding);

/* The exit status of all gates, and on standard error a line for each that did not pass
 * and for each finding behind it: false where one failed, or, if `require_all`, was not
 * evaluated. */
MUST_CHECK bool gates_tell(const struct gate_result *gates, int n,
                           const struct cJSON *summary, bool require_all,
                           struct err *e);

#endif
