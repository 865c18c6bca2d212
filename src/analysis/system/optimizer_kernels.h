/* optimizer_kernels.h - the kernels that an optimizer's step launches, by the
 * annotation that PyTorch puts around it: "Optimizer.step#AdamW.step". */
#ifndef ANALYSIS_SYSTEM_OPTIMIZER_KERNELS_H
#define ANALYSIS_SYSTEM_OPTIMIZER_KERNELS_H

#include "ops/trace_view.h"

struct analysis;
struct finding;

struct optimizer_kernels {
    event_id *at; /* in the order of the file */
    int32_t n;
    int64_t total_ns;
};

struct optimizer_kernels optimizer_kernels_find(struct arena *a,
                                                const struct trace_view *v);

/* What a fused form leaves out of `n` kernels, from and to, of their time. It reads
 * parameters, gradients and moments once; the formula step by step moves them two to
 * three times, and a kernel of a few microseconds is mostly its start. */
void optimizer_parts(int32_t n, double total_ms, double *low, double *high);

/* Idle time between the launches of an optimizer that runs operator by operator. */
bool is_late_optimizer(const struct finding *f);

/* The finding that asks for the fused form because launches come late: its kernels go
 * with them. Where fusion has a finding of its own, that one tells. */
void optimizer_claim_kernels(struct arena *perm, struct arena tmp, struct analysis *a);

#endif
