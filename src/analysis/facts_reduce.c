/* Facts of reductions: what is reduced to. */
#include "analysis/row_facts.h"

#include "analysis/work_category.h"

void facts_reduce_row(struct fact_maker *m, struct work_row *r,
                      const struct row_args *args)
{
    struct str first = r->group->n_kernels > 0 ? r->group->kernels[0].name : S("");
    work_set_text(m->perm, r, "reduce_class",
                  reduce_class(r->group->first->name, first));
    const struct device_spec *d = m->a->tables->device;
    if (!str_eq(work_text(r, "reduce_class"), S("softmax")) || r->group->has_model ||
        !d || args->n == 0 || d->memory_gb_per_s <= 0)
        return;
    double byte =
        2 * (double)row_arg_elements(&args->at[0]) * row_type_bytes(args->at[0].type);
    work_set_number(m->perm, r, "streaming_ms",
                    byte / (d->memory_gb_per_s * 1e6) * (double)r->count);
}

void facts_reduce_category(struct fact_maker *m, struct category_result *c)
{
    struct kind_sum s = rows_of_kind(c, "reduce_class", S("softmax"));
    work_category_set_number(m->perm, c, "softmax_count", (double)s.count);
}
