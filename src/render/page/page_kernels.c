/* kernels.html: one row for each distinct kernel, by what launched it. */
#include "render/page/row_context.h"

#include "analysis/model/number_text.h"
#include "base/arena.h"

static bool write_part(struct site *s, int part, struct arena tmp, struct err *e)
{
    const struct report *r = s->r;
    cJSON *c = ctx_page(s, "kernels.html"), *rows = json_put_array(c, "rows");
    int from = (part - 1) * SITE_TABLE_ROWS, to = report_listed(from + SITE_TABLE_ROWS);
    int first = r->n_kernels < 10 ? r->n_kernels : 10;
    double first_pct = 0, left_pct = 0;
    int backlog = 0;
    for (int i = 0; i < r->n_kernels; i++) {
        double pct = r->kernels[i].backlog ? 0 : r->kernels[i].share_pct;
        first_pct += i < first ? pct : 0;
        left_pct += i >= to ? pct : 0;
        backlog += r->kernels[i].backlog;
        if (i >= from && i < to)
            kernel_row(rows, r, &r->kernels[i]);
    }
    json_put(c, json_bool("has_rows", r->n_kernels > 0),
             json_bool("one", r->n_kernels == 1), json_bool("many", r->n_kernels > 1),
             context_some("backlog", backlog), F(r, n_kernels), M("first", first),
             M("first_pct", first_pct));
    if (part == 1 && r->n_kernels)
        ctx_chart(c, "figure", s, CHART_DURATIONS, -1, tmp);
    ctx_pager(c, "kernels", part, r->n_kernels, left_pct, tmp);
    ctx_csv(c, s, "kernel_summary");
    return ctx_write(s, str_c(&tmp, site_part_name(&tmp, "kernels", part)),
                     "kernels.html", c, tmp, e);
}

bool site_kernels(struct site *s, struct arena tmp, struct err *e)
{
    int parts =
        (report_listed(s->r->n_kernels) + SITE_TABLE_ROWS - 1) / SITE_TABLE_ROWS;
    for (int part = 1; part <= (parts ? parts : 1); part++)
        if (!write_part(s, part, tmp, e))
            return false;
    return true;
}
