/* Facts of normalizations, and the fallback model for those without one. */
#include "analysis/facts/fact_maker.h"

#include "analysis/facts/work_category.h"
#include "ops/op_tables.h"

#include <math.h>

/* How often x or what has its shape is read or written. Forward reads x and writes y;
 * backward reads x and dy and writes dx. Of the parts that SyncBatchNorm is made of,
 * some only sum up, and one reads no x at all: 0. */
static int passes_over(struct str op, bool backward)
{
    if (str_has(op, S("gather_stats")))
        return 0;
    if (str_has(op, S("batch_norm_stats")))
        return 1;
    return backward && !str_has(op, S("backward_reduce")) ? 3 : 2;
}

/* With four vectors of statistics and weights in the forward pass. Eight and twelve
 * operations per element, for information only: bytes are the bound. */
static void add_fallback(struct fact_maker *m, struct work_row *r,
                         const struct row_args *args)
{
    const struct row_arg *x = NULL;
    for (int i = 0; i < args->n && !x; i++)
        if (args->at[i].rank > 0)
            x = &args->at[i];
    if (!x || r->group->has_model || !isnan(r->efficiency.percent) || !(r->mean_us > 0))
        return;
    double size = row_type_bytes(x->type), n = (double)row_arg_elements(x);
    bool backward = work_is_backward(r->group->first->category, r->name);
    double channels = x->rank > 1 ? (double)x->dim[1] : (double)x->dim[0];
    int passes = passes_over(r->name, backward);
    double bytes = passes * n * size + (backward ? 0 : 4 * channels * 4);
    if (!passes || !(bytes > 0))
        return;
    r->efficiency = efficiency_of_bytes(bytes, (backward ? 12 : 8) * n, r->mean_us,
                                        m->a->tables->device);
    work_set(m->perm, r, FACT("fallback_model", 1));
}

void facts_norm_row(struct fact_maker *m, struct work_row *r,
                    const struct row_args *args)
{
    work_set(m->perm, r, FACT("norm_type", norm_type(r->name)));
    add_fallback(m, r, args);
}

void facts_norm_category(struct fact_maker *m, struct category_result *c)
{
    static const struct kind_keys kinds[] = {
        {S_INIT("batch_norm"), .compute_pct = "batch_norm_pct"},
        {S_INIT("layer_norm"), .compute_pct = "layer_norm_pct"},
        {S_INIT("group_norm"), .compute_pct = "group_norm_pct"},
        {S_INIT("instance_norm"), .compute_pct = "instance_norm_pct"},
        {S_INIT("rms_norm"), .compute_pct = "rms_norm_pct"},
        {S_INIT("other_norm"), .compute_pct = "other_norm_pct"}};
    SET_KINDS(m, c, "norm_type", kinds);
    work_set(m->perm, c,
             FACT("convolution_pct", m->a->categories[WORK_CONVOLUTION].compute_pct));
    if (isnan(work_category_number(c, "baseline_pct")) && m->a->tables->device)
        set_baseline(m, c, ASSUMED_BASELINE_PCT, true);
}
