/* job_gates.h - what `tracefolio job --fail-on` compares.
 *
 *   slowdown>1.15             the run over the run without late ranks
 *   straggler>5%              what one rank alone costs, of the run
 *   missing>0                 ranks without a trace
 *   busbw(all-reduce)<120     GB/s, of the largest message
 *   warn: missing>0           fails no build
 *
 * A figure that is not known is not evaluated. */
#ifndef REPORT_JOB_JOB_GATES_H
#define REPORT_JOB_JOB_GATES_H

#include "base/err.h"
#include "compare/gate.h"
#include "job/job.h"
#include "report/job/job_compare.h"

enum job_measure { MEASURE_SLOWDOWN, MEASURE_STRAGGLER, MEASURE_MISSING, MEASURE_BUS };

struct job_gate {
    struct gate_expr of;
    enum job_measure measure;
    enum collective_kind kind; /* of MEASURE_BUS */
};

MUST_CHECK bool job_gate_read(const char *text, struct job_gate *g, struct err *e);

/* Lent by `g`. */
struct gate_result job_gate(struct arena *perm, const struct job_gate *g,
                            const struct job *j);

/* Conditions on how a job differs from another: --fail-on of
 * `compare` with two jobs.
 *
 * `regression` is of computing, mean of the ranks; `regression(wall)` of a step or the
 * run; `regression(category:NAME)` of a part of the mean rank's time: compute,
 * transfer, wait, copy, idle; `setup`; `new-finding` is a rank that is newly late. A
 * job is seen once a side: what is below the floors of one capture a side is not
 * evaluated. */
/* False if the text is not a condition, or one of captures alone. */
MUST_CHECK bool job_compare_gate_read(const char *text, struct gate_expr *g,
                                      struct err *e);

struct gate_result job_compare_gate(struct arena *perm, const struct gate_expr *g,
                                    const struct job_comparison *c);

#endif
