/* job_gates.h - what `tracefolio job --fail-on` compares.
 *
 *   slowdown>1.15             the run over the run without late ranks
 *   straggler>5%              what one rank alone costs, of the run
 *   missing>0                 ranks without a trace
 *   busbw(all-reduce)<120     GB/s, of the largest message
 *
 * A figure that is not known is not evaluated. */
#ifndef REPORT_JOB_JOB_GATES_H
#define REPORT_JOB_JOB_GATES_H

#include "base/err.h"
#include "job/job.h"

enum job_measure { MEASURE_SLOWDOWN, MEASURE_STRAGGLER, MEASURE_MISSING, MEASURE_BUS };

struct job_gate {
    const char *text; /* as typed */
    enum job_measure measure;
    enum collective_kind kind; /* of MEASURE_BUS */
    bool below;                /* fails below the limit, not above */
    double limit;
};

MUST_CHECK bool job_gate_read(const char *text, struct job_gate *g, struct err *e);

/* Whether it holds; *value is what was measured, NaN: not known, which holds. */
bool job_gate_holds(const struct job_gate *g, const struct job *j, double *value);

#endif
