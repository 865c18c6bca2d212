/* Operations with their arguments: rows of unified_perf_summary with what the analysis
 * says. */
#include "base/out.h"
#include "report/report_parts.h"

#include <math.h>
#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double percentile_95(double *values, int64_t n)
{
    if (n == 0)
        return (double)NAN;
    qsort(values, (size_t)n, sizeof *values, by_value);
    return values[(95 * n + 99) / 100 - 1]; /* nearest rank */
}

static double group_p95_us(struct arena tmp, const struct op_groups *gs,
                           const struct op_group *g)
{
    double *us = arena_take_raw(&tmp, sizeof *us, 8, g->n);
    for (int32_t k = 0; k < g->n; k++)
        us[k] = (double)gs->calls.rows[g->members[k]].direct_ns / 1e3;
    return percentile_95(us, g->n);
}

/* Process and thread are left out: their numbers change from run to run. */
static struct str identity(struct out *o, const struct event_store *s,
                           const struct op_group *g)
{
    o->n = 0;
    out_str(o, g->first->name);
    out_char(o, 0);
    out_str(o, g->first->category);
    out_char(o, g->first->recompute ? 2 : 1);
    if (g->texts) {
        const name_id texts[] = {g->texts->dims, g->texts->types, g->texts->strides,
                                 g->texts->concrete};
        for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
            out_str(o, pool_text(&s->names, texts[k]));
            out_char(o, 0);
        }
    }
    return out_view(o);
}

static void fill_kernels(struct arena *perm, const struct op_group *g,
                         struct report_op *op)
{
    op->n_kernels = g->n_kernels;
    op->kernels = arena_new(perm, struct str, g->n_kernels);
    op->kernel_us = arena_new(perm, double, g->n_kernels);
    for (int k = 0; k < g->n_kernels; k++) { /* the group's are shortest first */
        op->kernels[k] = g->kernels[g->n_kernels - 1 - k].name;
        op->kernel_us[k] = g->kernels[g->n_kernels - 1 - k].mean_us;
    }
}

static void fill_group(struct arena *perm, const struct op_group *g,
                       struct report_op *op)
{
    const struct sample_stats *us = &g->direct_us;
    op->name = g->first->name;
    op->category = -1;
    op->finding = -1;
    op->count = g->n;
    op->total_ms = us->sum / 1e3;
    op->share_pct = isnan(g->share_pct) ? 0.0 : g->share_pct;
    op->cumulative_pct = isnan(g->cumulative_pct) ? 0.0 : g->cumulative_pct;
    op->mean_us = us->mean;
    op->median_us = us->median;
    op->min_us = us->min;
    op->max_us = us->max;
    op->spread_pct = us->mean > 0.0 ? 100.0 * us->std / us->mean : (double)NAN;
    op->gflop = g->gflop;
    op->mib = g->byte / (1024.0 * 1024.0);
    op->flop_per_byte = g->flop_per_byte;
    op->tflop_per_s = g->tflop_per_s.mean;
    op->tb_per_s = g->tb_per_s.mean;
    op->efficiency_pct = (double)NAN;
    op->compute_spec = g->compute_spec;
    op->has_model = g->cost != NULL;
    fill_kernels(perm, g, op);
}

static void fill_work(const struct work_row *w, struct report_op *op)
{
    op->args = w->args;
    op->efficiency_pct = w->efficiency.percent;
    op->bound = w->efficiency.bound == BOUND_COMPUTE  ? REPORT_BOUND_COMPUTE
                : w->efficiency.bound == BOUND_MEMORY ? REPORT_BOUND_MEMORY
                                                      : REPORT_BOUND_NONE;
    op->anomaly = w->efficiency.anomaly;
    op->high_variance = w->high_variance;
    op->modules = w->module_chain;
    op->n_modules = w->n_modules;
}

/* Which operations a category has, in their order: by time. */
static void list_ops(struct arena *perm, struct report *r)
{
    for (int c = 0; c < r->n_categories; c++)
        r->categories[c].ops = arena_new(perm, int, r->categories[c].operations);
    for (int i = 0; i < r->n_ops; i++)
        if (r->ops[i].category >= 0) {
            struct report_category *c = &r->categories[r->ops[i].category];
            c->ops[c->n_ops++] = i;
        }
}

void report_ops_fill(const struct report_source *s, struct arena tmp, struct report *r)
{
    const struct op_groups *gs = &s->t->unified;
    struct out scratch;
    out_memory(&scratch);
    struct id_set ids = id_set_make(s->perm, gs->n);
    /* Without host operations the rows would be launch calls: the sheet is left out
     * too. */
    r->n_ops = s->t->view->has_cpu_op ? gs->n : 0;
    r->ops = arena_new(s->perm, struct report_op, r->n_ops);
    for (int32_t i = 0; i < r->n_ops; i++) {
        fill_group(s->perm, &gs->rows[i], &r->ops[i]);
        r->ops[i].p95_us = group_p95_us(tmp, gs, &gs->rows[i]);
        r->ops[i].id =
            id_take(&ids, "op", identity(&scratch, s->t->view->s, &gs->rows[i]));
    }
    out_free(&scratch);
    for (int c = 0; c < WORK_CATEGORIES; c++) {
        const struct category_result *cat = &s->a->categories[c];
        int index = report_category_index(r, (enum work_category)c);
        for (int32_t k = 0; k < cat->n_rows && r->n_ops; k++) {
            struct report_op *op = &r->ops[cat->rows[k].group - gs->rows];
            fill_work(&cat->rows[k], op);
            op->category = index;
        }
    }
    list_ops(s->perm, r);
}

void report_top_fill(const struct report_source *s, struct report *r)
{
    const struct analysis *a = s->a;
    r->n_top = a->n_top;
    r->top = arena_new(s->perm, struct report_top_op, a->n_top);
    for (int k = 0; k < a->n_top; k++) {
        const struct top_operation *t = &a->top[k];
        r->top[k] = (struct report_top_op){
            .rank = t->rank,
            .name = t->name,
            .category = work_category_display(t->category),
            .mixed = t->mixed,
            .slot = figure_slot_of(work_category_name(t->category)),
            .time_ms = t->time_ms,
            .compute_pct = t->compute_pct,
            .total_pct = t->total_pct,
            .count = t->count,
            .op = -1,
        };
        for (int i = 0; i < r->n_ops && r->top[k].op < 0; i++)
            for (int u = 0; u < t->n_unified; u++)
                if (str_eq(r->ops[i].name, t->unified_names[u]))
                    r->top[k].op = i;
    }
}
