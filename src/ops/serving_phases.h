/* serving_phases.h - prefill and decode apart, where the trace tells them.
 *
 * A step lasts from the first device work that it launched to the end of the last; what
 * is launched beside the host's marks is of neither. Steps share no time: one that
 * begins early begins where the one before ends. So the phases and what is of neither
 * add up to the window. Times are whole ns. */
#ifndef OPS_SERVING_PHASES_H
#define OPS_SERVING_PHASES_H

#include "ops/op_tables.h"
#include "ops/phase_marks.h"

enum { PHASE_KERNELS_MOST = 5 };

/* Of the steps that name it. */
struct phase_amount {
    double least, most, sum;
    int32_t n;
};

struct phase_kernel {
    int32_t row; /* of kernel_tables.rows; from kernel_tables.n on a copy or memset */
    int64_t n, total_ns;
};

struct phase_totals {
    int32_t n_steps;
    int64_t wall_ns, busy_ns, least_ns, most_ns;
    /* Between steps of the phase with no other between them; and from the start of one
     * to that of the next. */
    int64_t between_ns, between_busy_ns, apart_ns;
    int32_t n_apart;
    struct phase_amount requests[2], tokens[2], seen[2]; /* step_annotation.h */
    int64_t work_ns;      /* device events that begin in it, summed */
    int64_t *category_ns; /* the same by category; behind them, of none */
    struct phase_kernel kernels[PHASE_KERNELS_MOST]; /* by time, longest first */
    int32_t n_kernels;
};

struct serving_phases {
    enum phase_source source;
    struct phase_totals of[STEP_PHASES]; /* PHASE_NONE: what is of neither */
};

/* category: of each device event, as kernel_class_of_events has it. */
struct serving_phases serving_phases_build(struct arena *perm, struct arena tmp,
                                           const struct op_tables *t,
                                           const int8_t *category, int n_categories);

#endif
