/* Facts of convolutions: their kind, and how much of their time converts layouts. */
#include "analysis/facts/fact_maker.h"

#include "analysis/facts/matrix_facts.h"
#include "analysis/facts/search_trials.h"
#include "analysis/model/name_match.h"
#include "ops/op_tables.h"
#include "ops/trace_view.h"

#include <math.h>

struct conv {
    int64_t x[ROW_RANK_MAX], w[ROW_RANK_MAX], dilation[ROW_RANK_MAX];
    int x_rank, w_rank, n_dilation;
    double groups;
    bool transposed;
};

/* From the model's parameters, or from shapes without a model. In a backward call the
 * gradient comes first, so x and w are the second and third. */
static struct conv conv_of(const struct work_row *r, const struct row_args *args)
{
    const struct perf_cost *p = r->group->cost;
    struct conv c = {.groups = cost_number(p, "groups"),
                     .transposed = cost_number(p, "transposed_conv") > 0};
    c.x_rank = cost_dims(p, "input_shape", c.x);
    c.w_rank = cost_dims(p, "filter_shape", c.w);
    c.n_dilation = cost_dims(p, "dilation", c.dilation);
    if (c.w_rank > 0)
        return c;
    int first = name_has(r->name, "backward") ? 1 : 0;
    if (args->n > first + 1 && args->at[first + 1].rank > 2) {
        const struct row_arg *x = &args->at[first], *w = x + 1;
        c.x_rank = x->rank;
        c.w_rank = w->rank;
        for (int i = 0; i < ROW_RANK_MAX; i++) {
            c.x[i] = x->dim[i];
            c.w[i] = w->dim[i];
        }
    }
    return c;
}

static struct str class_of(const struct conv *c)
{
    int64_t widest = 1;
    for (int i = 2; i < c->w_rank; i++)
        widest = c->w[i] > widest ? c->w[i] : widest;
    if (c->transposed)
        return S("transposed");
    if (c->x_rank > 1 && c->x[1] > 1 &&
        (c->groups == (double)c->x[1] || (c->w_rank > 1 && c->w[1] == 1)))
        return S("depthwise");
    if (widest == 1)
        return S("pointwise");
    return widest >= 5 ? S("large") : S("standard");
}

static void add_helpers(struct fact_maker *m, struct work_row *r)
{
    const struct op_group *g = r->group;
    double helper_us = 0, all_us = kernels_total_us(g);
    double transpose_us = kernels_labelled(g, KERNEL_TRANSPOSE).us;
    for (int32_t i = 0; i < g->n_kernels; i++) {
        enum kernel_label l = kernel_label_of(g->kernels[i].name);
        if (l != KERNEL_TRANSPOSE && (l == KERNEL_ELEMENTWISE || l == KERNEL_MEMSET ||
                                      name_has(g->kernels[i].name, "SubTensorOp|fill")))
            helper_us += g->kernels[i].total_us;
    }
    if (all_us <= 0)
        return;
    work_set(m->perm, r, FACT("helper_ms", helper_us / 1e3),
             FACT("helper_pct", 100 * helper_us / all_us),
             FACT("main_ms", (all_us - helper_us - transpose_us) / 1e3));
    double rest_ms = r->time_ms - transpose_us / 1e3;
    if (rest_ms > 0)
        work_set(m->perm, r,
                 FACT("main_pct", r->efficiency.percent * r->time_ms / rest_ms));
}

/* PyTorch's own way where no library takes a convolution (im2col.cuh, vol2col.cuh). */
static bool unfolds(const struct op_group *g)
{
    static const char *const kernels[] = {"im2col_kernel", "col2im_", "vol2col_kernel",
                                          "vol2im_kernel"};
    for (int32_t i = 0; i < g->n_kernels; i++)
        for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
            if (str_has(g->kernels[i].name, str_of(kernels[k])))
                return true;
    return false;
}

void facts_conv_row(struct fact_maker *m, struct work_row *r,
                    const struct row_args *args)
{
    struct conv c = conv_of(r, args);
    add_helpers(m, r);
    if (unfolds(r->group))
        work_set(m->perm, r, FACT("unfolds", 1));
    matrix_facts_row(m, r);
    if (c.w_rank < 3)
        return;
    work_set(m->perm, r, FACT("conv_class", class_of(&c)),
             FACT("conv_rank", c.w_rank - 2), FACT("groups", c.groups));
    double in = (double)c.w[c.transposed ? 0 : 1],
           out = (double)c.w[!c.transposed ? 0 : 1];
    work_set(m->perm, r, FACT("in_channels", c.transposed ? in : in * c.groups),
             FACT("out_channels", c.transposed ? out * c.groups : out));
    bool dilated = false, asymmetric = false;
    for (int i = 0; i < c.n_dilation; i++)
        dilated = dilated || c.dilation[i] > 1;
    for (int i = 3; i < c.w_rank; i++)
        asymmetric = asymmetric || c.w[i] != c.w[2];
    work_set(m->perm, r, FACT("dilated", dilated), FACT("asymmetric", asymmetric),
             FACT("input_shape", cost_text(r->group->cost, "input_shape")),
             FACT("filter_shape", cost_text(r->group->cost, "filter_shape")));
}

/* Spatial dimensions by the operator that the user called, where no shapes tell; NaN.
 */
static double rank_by_name(const struct fact_maker *m, const struct work_row *r)
{
    const struct trace_view *v = m->a->tables->view;
    for (event_id i = r->group->first->event; i >= 0; i = tree_parent(&v->tree, i)) {
        struct str name = store_name(v->s, i);
        if (v->s->cat[i] != CAT_CPU_OP)
            continue;
        for (int k = 1; k <= 3; k++)
            if (str_has(name, str_of((const char *[]){"1d", "2d", "3d"}[k - 1])) &&
                str_starts(name, S("aten::conv")))
                return k;
    }
    return (double)NAN;
}

/* Time of the convolutions of each number of spatial dimensions, which decides on the
 * memory format that PyTorch has for them. */
static double layout_rank(const struct fact_maker *m, const struct category_result *c)
{
    enum { MOST = 3 };
    double converts_us[MOST + 1] = {0}, all_ms[MOST + 1] = {0};
    int first = 0;
    for (int32_t i = 0; i < c->n_rows; i++) {
        double rank = work_number(&c->rows[i], "conv_rank");
        rank = isnan(rank) ? rank_by_name(m, &c->rows[i]) : rank;
        if (!(rank >= 1 && rank <= MOST))
            continue;
        converts_us[(int)rank] +=
            kernels_labelled(c->rows[i].group, KERNEL_TRANSPOSE).us;
        all_ms[(int)rank] += c->rows[i].time_ms;
    }
    for (int k = 1; k <= MOST; k++)
        if (converts_us[k] > converts_us[first] ||
            (converts_us[k] == converts_us[first] && all_ms[k] > all_ms[first]))
            first = k;
    return first;
}

void facts_conv_category(struct fact_maker *m, struct category_result *c)
{
    double transpose_us = 0, all_us = 0, helper_ms = 0;
    int64_t count = 0;
    for (int32_t i = 0; i < c->n_rows; i++) {
        struct kernel_sum s = kernels_labelled(c->rows[i].group, KERNEL_TRANSPOSE);
        double h = work_number(&c->rows[i], "helper_ms");
        transpose_us += s.us;
        count += s.count;
        all_us += kernels_total_us(c->rows[i].group);
        helper_ms += isnan(h) ? 0 : h;
    }
    work_set(m->perm, c, FACT("transpose_ms", transpose_us / 1e3),
             FACT("transpose_count", (double)count), FACT("helper_ms", helper_ms),
             FACT("conv_layout_rank", layout_rank(m, c)));
    facts_search_trials(m, c);
    if (all_us > 0)
        work_set(m->perm, c,
                 FACT("transpose_overhead_pct", 100 * transpose_us / all_us));
}
