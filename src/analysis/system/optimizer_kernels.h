/* optimizer_kernels.h - what an optimizer launches in its step, and to set gradients to
 * zero, by the annotations that PyTorch puts around both: "Optimizer.step#AdamW.step",
 * "Optimizer.zero_grad#AdamW.zero_grad". */
#ifndef ANALYSIS_SYSTEM_OPTIMIZER_KERNELS_H
#define ANALYSIS_SYSTEM_OPTIMIZER_KERNELS_H

#include "analysis/system/launched_within.h"

struct analysis;
struct finding;

enum optimizer_part { OPTIMIZER_STEP, OPTIMIZER_ZERO_GRAD };

/* Kernels and, of zeros, fills. */
struct launched optimizer_kernels_find(struct arena *a, const struct trace_view *v,
                                       enum optimizer_part part);

/* What a fused form leaves out of `n` kernels, from and to, of their time. It reads
 * parameters, gradients and moments once; the formula step by step moves them two to
 * three times, and a kernel of a few microseconds is mostly its start. */
void optimizer_parts(int32_t n, double total_ms, double *low, double *high);

/* Of the operators that steps of the optimizer call, in all steps: list operators,
 * checks of types (`aten::result_type`), others that launch device work, and of these
 * such that join the rows of a sparse gradient (`aten::coalesce`), one a parameter. */
struct optimizer_calls {
    int64_t steps, foreach, checks, single, sparse;
    struct str name; /* "AdamW", of the first; empty without steps */
};

struct optimizer_calls optimizer_calls_of(struct arena tmp, const struct trace_view *v);

/* Idle time between the launches of an optimizer that runs operator by operator. */
bool is_late_optimizer(const struct finding *f);

/* Gradients that are set to zero by kernels: without them they would be freed, and the
 * backward pass would write where it now adds. */
void zeroed_gradients_finding(struct arena *perm, struct arena tmp, struct analysis *a);

/* Kernels of a step that goes through its parameters operator by operator, if they take
 * their time and no other finding tells of them: the device may well be busy with them,
 * and without shapes they are no chain. After fusion. */
void optimizer_loop_finding(struct arena *perm, struct arena tmp, struct analysis *a);

/* The findings that ask for the fused form, or to free gradients, because launches come
 * late: their kernels go with them. Where fusion has a finding of its own, that one
 * tells. */
void optimizer_claim_kernels(struct arena *perm, struct arena tmp, struct analysis *a);

#endif
