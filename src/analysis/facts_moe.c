/* Facts of mixtures of experts: tokens an expert gets, and what is routing. */
#include "analysis/row_facts.h"

#include "analysis/name_match.h"
#include "analysis/work_category.h"

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
    work_set_number(m->perm, r, "tokens", tokens);
    work_set_number(m->perm, r, "experts", experts);
    work_set_number(m->perm, r, "topk", topk);
    if (experts > 0)
        work_set_number(m->perm, r, "tokens_per_expert", tokens * topk / experts);
}

static bool unfused(const struct work_row *r)
{
    int in_a_row = 0;
    if (name_is(r->group->first->category, "MoE_unfused"))
        return true;
    for (int32_t i = 0; i < r->group->n_kernels; i++)
        in_a_row += kernel_label_of(r->group->kernels[i].name) == KERNEL_MOE_GEMM;
    return in_a_row >= 2;
}

void facts_moe_row(struct fact_maker *m, struct work_row *r,
                   const struct row_args *args)
{
    bool narrow =
        name_has(cost_text(r->group->cost, "weight_dtype"), "fp4|float4|int4");
    for (int i = 1; i < args->n && i < 3; i++)
        narrow = narrow || name_has(args->at[i].type, "float4|int4");
    work_set_text(m->perm, r, "moe_class", moe_class(r->group->first->name));
    work_set_number(m->perm, r, "narrow_weights", narrow);
    work_set_number(m->perm, r, "moe_unfused", unfused(r));
    add_tokens(m, r, args);
}

void facts_moe_category(struct fact_maker *m, struct category_result *c)
{
    double routing_ms = rows_of_kind(c, "moe_class", S("routing")).ms;
    work_category_set_number(m->perm, c, "routing_ms", routing_ms);
    work_category_set_number(m->perm, c, "expert_ms",
                             rows_of_kind(c, "moe_class", S("expert")).ms);
    work_category_set_number(m->perm, c, "fused_ms",
                             rows_of_kind(c, "moe_class", S("fused")).ms);
    if (c->time_ms > 0)
        work_category_set_number(m->perm, c, "routing_pct",
                                 100 * routing_ms / c->time_ms);
}
