/* Facts of reductions: what they reduce to. */
#include "analysis/facts/fact_maker.h"

#include "analysis/facts/work_category.h"
#include "ops/op_tables.h"

void facts_reduce_row(struct fact_maker *m, struct work_row *r,
                      const struct row_args *args)
{
    struct str first = r->group->n_kernels > 0 ? r->group->kernels[0].name : S("");
    work_set(m->perm, r, FACT("reduce_class", reduce_class(r->name, first)));
    const struct device_spec *d = m->a->tables->device;
    if (!str_eq(work_text(r, "reduce_class"), S("softmax")) || r->group->has_model ||
        !d || args->n == 0 || d->memory_gb_per_s <= 0)
        return;
    double byte =
        2 * (double)row_arg_elements(&args->at[0]) * row_type_bytes(args->at[0].type);
    work_set(
        m->perm, r,
        FACT("streaming_ms", byte / (d->memory_gb_per_s * 1e6) * (double)r->count));
}

void facts_reduce_category(struct fact_maker *m, struct category_result *c)
{
    static const struct kind_keys kinds[] = {
        {S_INIT("softmax"), .calls = "softmax_count"}};
    SET_KINDS(m, c, "reduce_class", kinds);
}
