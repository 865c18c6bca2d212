/* operations.html: one row for each distinct (operation, arguments). */
#include "render/op_rows.h"

#include "base/arena.h"
#include "report/report_numbers.h"

static void add_answer(cJSON *c, const struct report *r, struct arena tmp)
{
    int first = r->n_ops < 10 ? r->n_ops : 10;
    if (!r->n_ops)
        ctx_text(
            c, "no_operations",
            S("This trace has no operation that launched device work: it was recorded "
              "without host operations, or on a machine without a GPU. Record with "
              "ProfilerActivity.CPU and ProfilerActivity.CUDA."));
    if (r->n_ops == 1)
        ctx_text(c, "answer", S("One operation takes all kernel time."));
    else if (r->n_ops)
        ctx_format(
            c, "answer",
            "%d distinct operations; the first %.*s take %.*s %% of kernel time.",
            r->n_ops, STRF(number_word(&tmp, first)),
            STRF(number_pct(&tmp, r->ops[first - 1].cumulative_pct)));
    else
        ctx_text(c, "answer", S("No operations to show."));
}

static bool write_part(struct site *s, int part, struct arena tmp, struct err *e)
{
    const struct report *r = s->r;
    cJSON *c = ctx_page(s, "operations.html", S("Operations"),
                        "Which operations, with which arguments, cost what?", tmp);
    int from = (part - 1) * SITE_TABLE_ROWS;
    int to = from + SITE_TABLE_ROWS < r->n_ops ? from + SITE_TABLE_ROWS : r->n_ops;
    add_answer(c, r, tmp);
    if (part == 1 && r->n_ops > 1)
        ctx_chart(c, "figure", s, CHART_OPERATIONS, -1, tmp);
    ctx_bool(c, "has_rows", r->n_ops > 0);
    ctx_text(c, "order", S("by total time, descending"));
    op_units(c);
    cJSON *rows = cJSON_AddArrayToObject(c, "rows");
    for (int i = from; i < to; i++)
        op_row(rows, s, i, true, tmp);
    ctx_pager(c, "operations", part, r->n_ops,
              to ? 100.0 - r->ops[to - 1].cumulative_pct : 0.0, "kernel time", tmp);
    op_csv(c, s);
    return ctx_write(s, str_c(&tmp, site_part_name(&tmp, "operations", part)),
                     "operations.html", c, tmp, e);
}

bool site_operations(struct site *s, struct arena tmp, struct err *e)
{
    int parts = (s->r->n_ops + SITE_TABLE_ROWS - 1) / SITE_TABLE_ROWS;
    for (int part = 1; part <= (parts ? parts : 1); part++)
        if (!write_part(s, part, tmp, e))
            return false;
    return true;
}
