/* Facts of generated kernels: their class and operators, by name. */
#include "analysis/row_facts.h"

#include "analysis/name_match.h"
#include "analysis/work_category.h"
#include "store/name_pool.h"

/* "add_mul" of "triton_poi_fused_add_mul_12": behind the class and "fused", without the
 * number at the end. */
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
    work_set_text(m->perm, r, "triton_class", triton_class(r->group->first->name));
    work_set_text(m->perm, r, "triton_ops", ops_of(r->group->first->name));
}

void facts_triton_category(struct fact_maker *m, struct category_result *c)
{
    static const struct {
        const char *key;
        struct str kind;
    } kinds[] = {{"pointwise_count", S_INIT("pointwise")},
                 {"reduction_count", S_INIT("reduction")},
                 {"persistent_count", S_INIT("persistent")},
                 {"template_count", S_INIT("template")},
                 {"other_count", S_INIT("other")}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        work_category_set_number(m->perm, c, kinds[i].key,
                                 rows_of_kind(c, "triton_class", kinds[i].kind).rows);
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
    work_category_set_number(m->perm, c, "distinct_kernels", names.n);
    pool_close(&names);
    work_category_set_number(m->perm, c, "compute_bound_count", compute);
    work_category_set_number(m->perm, c, "memory_bound_count", memory);
    if (ms > 0)
        work_category_set_number(m->perm, c, "weighted_mean_us", weighted / ms);
}
