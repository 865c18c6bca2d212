/* Facts of generated kernels: their class and operators, by name. */
#include "analysis/facts/fact_maker.h"

#include "analysis/facts/work_category.h"
#include "analysis/model/name_match.h"
#include "base/name_pool.h"

/* "add_mul" of "triton_poi_fused_add_mul_12": without the class, "fused" and the final
 * number. */
static struct str ops_of(struct str name)
{
    static const ptrdiff_t CLASS_BYTES = 11; /* triton_poi_ */
    if (str_eq(triton_class(name), S("other")))
        return S("");
    ptrdiff_t at = str_find(name, S("triton_"));
    name = at < 0 ? S("") : str_skip(name, at + CLASS_BYTES);
    if (str_starts(name, S("fused_")))
        name = str_skip(name, 6);
    ptrdiff_t n = name.n;
    while (n > 0 && name.p[n - 1] >= '0' && name.p[n - 1] <= '9')
        n--;
    return n > 0 && n < name.n && name.p[n - 1] == '_' ? str_head(name, n - 1) : name;
}

void facts_triton_row(struct fact_maker *m, struct work_row *r,
                      const struct row_args *args)
{
    (void)args;
    work_set(m->perm, r, FACT("triton_class", triton_class(r->name)),
             FACT("triton_ops", ops_of(r->name)));
}

void facts_triton_category(struct fact_maker *m, struct category_result *c)
{
    static const struct kind_keys kinds[] = {
        {S_INIT("pointwise"), .rows = "pointwise_count"},
        {S_INIT("reduction"), .rows = "reduction_count"},
        {S_INIT("persistent"), .rows = "persistent_count"},
        {S_INIT("template"), .rows = "template_count"},
        {S_INIT("other"), .rows = "other_count"}};
    SET_KINDS(m, c, "triton_class", kinds);
    int compute = 0, memory = 0;
    double weighted = 0, ms = 0;
    struct name_pool names;
    pool_open(&names);
    for (int32_t i = 0; i < c->n_rows; i++) {
        const struct work_row *r = &c->rows[i];
        compute += r->efficiency.flop_per_byte > 100;
        memory += r->efficiency.flop_per_byte < 50;
        weighted += r->mean_us * r->time_ms;
        ms += r->time_ms;
        for (int32_t k = 0; k < r->group->n_kernels; k++)
            pool_add(&names, r->group->kernels[k].name);
    }
    work_set(m->perm, c, FACT("distinct_kernels", names.n));
    pool_close(&names);
    work_set(m->perm, c, FACT("compute_bound_count", compute),
             FACT("memory_bound_count", memory));
    if (ms > 0)
        work_set(m->perm, c, FACT("weighted_mean_us", weighted / ms));
}
