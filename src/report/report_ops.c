/* Operations with their arguments: rows of unified_perf_summary with what the analysis
 * says. */
#include "base/out.h"
#include "report/report_parts.h"

#include <math.h>

/* Process and thread are left out: their numbers change from run to run. */
static struct str identity(struct out *o, const struct op_groups *gs, int32_t row)
{
    const struct op_group *g = &gs->rows[row];
    o->n = 0;
    out_str(o, g->first->name);
    out_char(o, 0);
    out_str(o, g->first->category);
    out_char(o, g->first->recompute ? 2 : 1);
    struct args_text args = groups_texts(gs, row);
    const struct str texts[] = {args.dims, args.types, args.strides, args.concrete};
    for (size_t k = 0; args.any && k < sizeof texts / sizeof *texts; k++) {
        out_str(o, texts[k]);
        out_char(o, 0);
    }
    return out_view(o);
}

double report_op_spread_pct(const struct report_op *op)
{
    const struct sample_stats *us = &op->group->direct_us;
    return us->mean > 0.0 ? 100.0 * us->std / us->mean : (double)NAN;
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

/* Of kernel time, in which copies have no part. */
static void share_out(struct report *r)
{
    double all_ms = 0, sum_ms = 0;
    for (int i = 0; i < r->n_ops; i++)
        all_ms += r->ops[i].row->category == WORK_COPY ? 0 : r->ops[i].row->time_ms;
    for (int i = 0; i < r->n_ops && all_ms > 0; i++) {
        double ms = r->ops[i].row->category == WORK_COPY ? 0 : r->ops[i].row->time_ms;
        r->ops[i].share_pct = 100 * ms / all_ms;
        r->ops[i].cumulative_pct = 100 * (sum_ms += ms) / all_ms;
    }
}

void report_ops_fill(const struct report_source *s, struct report *r)
{
    const struct op_groups *gs = &s->t->judged;
    struct out scratch;
    out_memory(&scratch);
    struct id_set ids = id_set_make(s->perm, gs->n);
    r->n_ops = gs->n;
    r->n_distinct_ops = s->t->n_distinct;
    r->ops = arena_new(s->perm, struct report_op, r->n_ops);
    for (int32_t i = 0; i < r->n_ops; i++)
        r->ops[i] =
            (struct report_op){.id = id_take(&ids, "op", identity(&scratch, gs, i)),
                               .group = &gs->rows[i],
                               .p95_us = gs->rows[i].direct_p95_us,
                               .finding = -1};
    out_free(&scratch);
    for (int c = 0; c < WORK_CATEGORIES; c++) {
        const struct category_result *cat = &s->a->categories[c];
        int index = report_category_index(r, (enum work_category)c);
        for (int32_t k = 0; k < cat->n_rows && r->n_ops; k++) {
            struct report_op *op = &r->ops[cat->rows[k].group - gs->rows];
            op->row = &cat->rows[k];
            op->category = index;
        }
    }
    share_out(r);
    list_ops(s->perm, r);
}

void report_top_fill(const struct report_source *s, struct report *r)
{
    r->n_top = s->a->n_top;
    r->top = arena_new(s->perm, struct report_top_op, r->n_top);
    for (int k = 0; k < r->n_top; k++) {
        const struct top_operation *t = &s->a->top[k];
        struct report_top_op *to = &r->top[k];
        *to = (struct report_top_op){
            .of = t, .slot = figure_slot_of(work_category_name(t->category)), .op = -1};
        for (int i = 0; i < r->n_ops && to->op < 0; i++)
            for (int u = 0; u < t->n_unified; u++)
                if (str_eq(r->ops[i].row->name, t->unified_names[u]))
                    to->op = i;
    }
}
