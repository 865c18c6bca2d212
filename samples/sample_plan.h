/* sample_plan.h - everything that decides the bytes of one trace.
 *
 * Made once from the options; the same plan without one defect shows what that defect
 * costs. */
#ifndef SAMPLE_PLAN_H
#define SAMPLE_PLAN_H

#include "defect.h"
#include "simulator.h"

/* Fraction of the roofline each class of operator reaches. */
struct efficiency {
    double gemm, attention, norm, elementwise, triton, reduce, softmax, conv,
        batch_norm, moe;
};

/* What a second GPU does: the last layers, after the first or beside it. */
enum second_gpu { SECOND_NONE, SECOND_TURNS, SECOND_BESIDE, SECOND_UNEVEN };

struct sample_plan {
    enum workload_kind kind;
    const struct sample_device *device;
    uint64_t seed;
    int64_t layers, steps, batch, seq;
    int64_t hidden, heads, kv_heads, head_dim, ffn, vocab; /* of the language models */
    int64_t kv_len, experts, topk, expert_ffn;
    bool merged_projections;       /* one product for q, k, v and one for gate and up */
    uint64_t defects, fixed, near; /* bit per enum defect; fixed: in the plan, but as
                                      the fix leaves it; near: just not one */
    double host_scale;
    struct efficiency eff;
    bool python, shapes, hostile, empty;
    int rank, world;
    enum second_gpu second;
};

static inline bool plan_has(const struct sample_plan *p, enum defect d)
{
    return p->defects >> d & ~(p->fixed >> d) & 1;
}

/* Planted, but just short of what makes it one. */
static inline bool plan_near(const struct sample_plan *p, enum defect d)
{
    return p->near >> d & 1;
}

/* The workload of the defect, whether it is fixed or not. */
static inline bool plan_planted(const struct sample_plan *p, enum defect d)
{
    return p->defects >> d & 1;
}

/* The defect when it is planted, for struct kernel. */
static inline enum defect plan_mark(const struct sample_plan *p, enum defect d)
{
    return plan_has(p, d) ? d : DEFECT_NONE;
}

/* The efficiency of work that a defect makes slow. */
static inline double plan_eff(const struct sample_plan *p, enum defect d, double slow,
                              double usual)
{
    return plan_has(p, d) ? slow : usual;
}

/* The same work without this mistake. */
void plan_fix(struct sample_plan *p, enum defect d);

struct sample_options;

MUST_CHECK bool plan_make(const struct sample_options *o, struct sample_plan *p,
                          struct err *e);

#endif
