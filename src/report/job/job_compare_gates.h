/* job_compare_gates.h - conditions on how a job differs from another: --fail-on of
 * `compare` with two jobs.
 *
 * `regression` is of computing, mean of the ranks; `regression(wall)` of a step or the
 * run; `regression(category:NAME)` of a part of the mean rank's time: compute,
 * transfer, wait, copy, idle; `setup`; `new-finding` is a rank that is newly late. A
 * job is seen once a side: what is below the floors of one capture a side is not
 * evaluated. */
#ifndef REPORT_JOB_JOB_COMPARE_GATES_H
#define REPORT_JOB_JOB_COMPARE_GATES_H

#include "compare/gate.h"
#include "report/job/job_compare.h"

/* False if the text is not a condition, or one of captures alone. */
MUST_CHECK bool job_compare_gate_read(const char *text, struct gate_expr *g,
                                      struct err *e);

struct gate_result job_compare_gate(struct arena *perm, const struct gate_expr *g,
                                    const struct job_comparison *c);

#endif
