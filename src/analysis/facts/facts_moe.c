/* Facts of mixtures of experts: tokens per expert, and which work is routing. */
#include "analysis/facts/fact_maker.h"

#include "analysis/facts/work_category.h"
#include "analysis/model/name_match.h"

#include <math.h>

/* From the model, else from shapes: tokens of the first tensor, experts of the second,
 * and of the last matrix the experts of a token. */
static void add_tokens(struct fact_maker *m, struct work_row *r,
                       const struct row_args *args)
{
    const struct perf_cost *c = r->group->cost;
    double tokens = cost_number(c, "num_tokens"),
           experts = cost_number(c, "num_experts"), topk = cost_number(c, "topk");
    if (isnan(tokens) || isnan(experts) || isnan(topk)) {
        const struct row_arg *last = NULL;
        for (int i = 2; i < args->n; i++)
            if (args->at[i].rank == 2)
                last = &args->at[i];
        if (!last || args->at[0].rank < 2 || args->at[1].rank < 3 ||
            last->dim[0] != args->at[0].dim[0])
            return;
        tokens = (double)args->at[0].dim[0];
        experts = (double)args->at[1].dim[0];
        topk = (double)last->dim[1];
    }
    work_set(m->perm, r, FACT("tokens", tokens), FACT("experts", experts),
             FACT("topk", topk));
    if (experts > 0)
        work_set(m->perm, r, FACT("tokens_per_expert", tokens * topk / experts));
}

/* A product, an activation by itself, and another product. */
static bool unfused(const struct work_row *r)
{
    enum { NOTHING, PRODUCT, ACTIVATION } seen = NOTHING;
    if (name_is(r->group->first->category, "MoE_unfused"))
        return true;
    for (int32_t i = 0; i < r->group->n_kernels; i++) {
        struct str name = r->group->kernels[i].name;
        bool product = kernel_label_of(name) == KERNEL_MOE_GEMM;
        if (product && seen == ACTIVATION)
            return true;
        if (product)
            seen = PRODUCT;
        else if (seen == PRODUCT && name_has(name, "silu|gelu|relu|act_and_mul|swiglu"))
            seen = ACTIVATION;
    }
    return false;
}

void facts_moe_row(struct fact_maker *m, struct work_row *r,
                   const struct row_args *args)
{
    bool narrow =
        name_has(cost_text(r->group->cost, "weight_dtype"), "fp4|float4|int4");
    for (int i = 1; i < args->n && i < 3; i++)
        narrow = narrow || name_has(args->at[i].type, "float4|int4");
    work_set(m->perm, r, FACT("moe_class", moe_class(r->name)),
             FACT("narrow_weights", narrow), FACT("moe_unfused", unfused(r)));
    add_tokens(m, r, args);
}

void facts_moe_category(struct fact_maker *m, struct category_result *c)
{
    static const struct kind_keys kinds[] = {{S_INIT("routing"), .ms = "routing_ms"},
                                             {S_INIT("expert"), .ms = "expert_ms"},
                                             {S_INIT("fused"), .ms = "fused_ms"}};
    SET_KINDS(m, c, "moe_class", kinds);
    if (c->time_ms > 0)
        work_set(m->perm, c,
                 FACT("routing_pct",
                      100 * work_category_number(c, "routing_ms") / c->time_ms));
}
