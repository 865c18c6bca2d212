/* Facts of normalizations, and the fallback model for those that have none. */
#include "analysis/row_facts.h"

#include "analysis/work_category.h"

#include <math.h>

/* Forward reads x, writes y and touches four vectors of statistics and weights;
 * backward reads x and dy and writes dx. Eight and twelve operations an element, for
 * information: bytes alone bind. */
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
    bool backward = work_is_backward(r->group->first->category, r->group->first->name);
    double channels = x->rank > 1 ? (double)x->dim[1] : (double)x->dim[0];
    double bytes = backward ? 3 * n * size : 2 * n * size + 4 * channels * 4;
    if (!(bytes > 0))
        return;
    r->efficiency = efficiency_of_bytes(bytes, (backward ? 12 : 8) * n, r->mean_us,
                                        m->a->tables->device);
    work_set_number(m->perm, r, "fallback_model", 1);
}

void facts_norm_row(struct fact_maker *m, struct work_row *r,
                    const struct row_args *args)
{
    work_set_text(m->perm, r, "norm_type", norm_type(r->group->first->name));
    add_fallback(m, r, args);
}

void facts_norm_category(struct fact_maker *m, struct category_result *c)
{
    static const struct {
        const char *key;
        struct str type;
    } types[] = {{"batch_norm_pct", S_INIT("batch_norm")},
                 {"layer_norm_pct", S_INIT("layer_norm")},
                 {"group_norm_pct", S_INIT("group_norm")},
                 {"instance_norm_pct", S_INIT("instance_norm")},
                 {"rms_norm_pct", S_INIT("rms_norm")},
                 {"other_norm_pct", S_INIT("other_norm")}};
    double all_ms = m->a->computation_ms;
    for (size_t i = 0; i < sizeof types / sizeof *types && all_ms > 0; i++) {
        struct kind_sum s = rows_of_kind(c, "norm_type", types[i].type);
        work_category_set_number(m->perm, c, types[i].key, 100 * s.ms / all_ms);
    }
    work_category_set_number(m->perm, c, "convolution_pct",
                             m->a->categories[WORK_CONVOLUTION].compute_pct);
    if (!isnan(work_category_number(c, "baseline_pct")) || !m->a->tables->device)
        return;
    work_category_set_number(m->perm, c, "baseline_pct", 70);
    work_category_set_number(m->perm, c, "baseline_assumed", 1);
    for (int32_t i = 0; i < c->n_rows; i++) {
        work_set_number(m->perm, &c->rows[i], "baseline_pct", 70);
        work_set_number(m->perm, &c->rows[i], "baseline_assumed", 1);
    }
}
