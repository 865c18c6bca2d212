#include "render/page/row_context.h"

#include "base/arena.h"
#include "render/text/html_text.h"

#include <math.h>

static struct str row_href(struct arena *a, const char *stem, int index, struct str id)
{
    if (index >= REPORT_LISTED_MOST)
        return str_printf(a, "%s.html", stem); /* it is in the CSV file alone */
    struct str page = site_part_name(a, stem, index / SITE_TABLE_ROWS + 1);
    return str_printf(a, "%.*s#%.*s", STRF(page), STRF(id));
}

struct str op_href(struct arena *a, const struct report *r, int index)
{
    return row_href(a, "operations", index, r->ops[index].id);
}

struct str kernel_href(struct arena *a, const struct report *r, int index)
{
    return row_href(a, "kernels", index, r->kernels[index].id);
}

struct str finding_rank(const struct report_finding *f)
{
    return f->of->informational ? S("note") : f->rank;
}

struct json_member op_category(const struct report *r, int category)
{
    const struct report_category *g = category >= 0 ? &r->categories[category] : NULL;
    return ctx_category("category", r, g ? g->id : S("communication"),
                        g ? g->label : S("Communication"));
}

static void add_numbers(cJSON *row, const struct report_op *op)
{
    json_put(
        row, F(op->row, count), M("total_ms", op->row->time_ms), F(op, share_pct),
        F(op, cumulative_pct), F(op->row, mean_us), F(op, p95_us),
        M("spread_pct", report_op_spread_pct(op)), F(op->group, flop_per_byte),
        M("tflop_per_s", op->group->tflop_per_s.mean),
        M("tb_per_s", op->group->tb_per_s.mean),
        M("efficiency_pct", op->row->efficiency.percent),
        json_bool("no_model", isnan(op->row->efficiency.percent) && !op->group->cost),
        json_bool("anomaly", op->row->efficiency.anomaly),
        M("bound", bound_word(op->row->efficiency.bound)), F(op->group, n_kernels));
}

cJSON *op_row(cJSON *list, const struct report *r, int index, struct arena tmp)
{
    const struct report_op *op = &r->ops[index];
    cJSON *row = context_push(list);
    int n = op->group->n_kernels; /* the longest is the last */
    /* The name is the permalink, unless it needs a fold: a link may not hold one. */
    struct str brief = name_short(&tmp, op->row->name, OP_NAME_CHARS);
    json_put(row, M("op_id", op->id), M("href", op_href(&tmp, r, index)),
             F(op->row, name), json_bool("folds", !str_eq(brief, op->row->name)),
             F(op->row, args), M("kernel", n ? op->group->kernels[n - 1].name : S("")),
             op_category(r, op->category), F(op, kit));
    add_numbers(row, op);
    if (op->finding < 0)
        return row;
    const struct report_finding *f = &r->findings[op->finding];
    json_put(json_put_object(row, "finding"), M("rank", finding_rank(f)), F(f, anchor));
    return row;
}

struct str kernel_op(const struct report_kernel *k)
{
    return k->op.n && !str_trim(k->op).n ? S("(no name)") : k->op;
}

struct json_member kernel_category(const struct report *r, enum work_category c)
{
    return ctx_category("category", r, work_category_name(c), work_category_display(c));
}

void kernel_row(cJSON *list, const struct report *r, const struct report_kernel *k)
{
    json_row(list, M("kernel_id", k->id), F(k, name), kernel_category(r, k->work),
             F(k, count), F(k, total_ms), F(k, share_pct), F(k, mean_us), F(k, p95_us),
             M("op", kernel_op(k)), F(k, backlog));
}

void ctx_csv(cJSON *context, const struct site *s, const char *table)
{
    bool there = false;
    for (ptrdiff_t k = 0; k < s->r->n_tables; k++)
        there |= str_eq(s->r->tables[k].name, str_of(table)) && s->r->tables[k].n_rows;
    if (!s->o->csv || !there)
        return;
    struct str name = str_printf(s->perm, "%s.csv", table);
    json_put(json_put_object(context, "csv"),
             M("href", str_printf(s->perm, "perf_report_csvs/%.*s", STRF(name))),
             M("name", name));
}
