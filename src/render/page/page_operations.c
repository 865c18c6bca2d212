/* operations.html: one row for each distinct (operation, arguments). */
#include "render/page/row_context.h"

#include "analysis/model/number_text.h"
#include "base/arena.h"

#include <stdlib.h>

enum { FIRST = 10 };

/* When few enough rows to see at once, nobody needs another order. */
static bool has_count_page(const struct report *r)
{
    enum { ROWS_FROM = 8 };
    return r->n_ops >= ROWS_FROM;
}

static bool write_part(struct site *s, int part, struct arena tmp, struct err *e)
{
    const struct report *r = s->r;
    cJSON *c = ctx_page(s, "operations.html");
    cJSON *rows = json_put_array(c, "rows");
    int from = (part - 1) * SITE_TABLE_ROWS, unlisted = 0;
    int to = report_listed(from + SITE_TABLE_ROWS < r->n_ops ? from + SITE_TABLE_ROWS
                                                             : r->n_ops);
    int first = r->n_ops < FIRST ? r->n_ops : FIRST, stands_for = 0;
    for (int i = 0; i < first; i++)
        stands_for += work_row_shapes(r->ops[i].row);
    json_put(c, json_bool("has_rows", r->n_ops > 0), json_bool("one", r->n_ops == 1),
             json_bool("many", r->n_ops > 1), M("n_ops", r->n_distinct_ops),
             M("first", first),
             context_some("stands_for", stands_for > first ? stands_for : 0),
             M("first_pct", first ? r->ops[first - 1].cumulative_pct : 0.0));
    if (part == 1 && r->n_ops > 1)
        ctx_chart(c, "figure", s, CHART_OPERATIONS, -1, tmp);
    json_put(c, json_bool("here", true), json_bool("by_count", has_count_page(r)));
    const struct op_part *parts = op_parts(&tmp, r);
    op_columns_all(c);
    for (int i = from; i < to; i++)
        op_table_row(rows, r, i, parts, tmp);
    for (int i = report_listed(r->n_ops); i < r->n_ops; i++)
        unlisted += work_row_shapes(r->ops[i].row);
    ctx_pager(c, "operations", part, report_listed(r->n_ops), unlisted,
              to ? 100.0 - r->ops[to - 1].cumulative_pct : 0.0, tmp);
    ctx_csv(c, s, "unified_perf_summary", tmp);
    return ctx_write(s, str_c(&tmp, site_part_name(&tmp, "operations", part)),
                     "operations.html", c, tmp, e);
}

struct counted {
    int64_t count;
    int op;
};

static int by_count(const void *a, const void *b)
{
    const struct counted *x = a, *y = b;
    return x->count != y->count ? (x->count > y->count ? -1 : 1) : x->op - y->op;
}

static bool write_by_count(struct site *s, struct arena tmp, struct err *e)
{
    const struct report *r = s->r;
    struct counted *list = arena_new(&tmp, struct counted, r->n_ops);
    int64_t launches = 0, shown = 0, most = 0;
    for (int i = 0; i < r->n_ops; i++)
        list[i] = (struct counted){r->ops[i].row->count, i};
    qsort(list, (size_t)r->n_ops, sizeof *list, by_count);
    cJSON *c = ctx_page(s, "operations.html");
    cJSON *rows = json_put_array(c, "rows");
    const struct op_part *parts = op_parts(&tmp, r);
    op_columns_all(c);
    for (int k = 0; k < r->n_ops; k++) {
        launches += list[k].count;
        shown += k < SITE_COUNT_ROWS ? list[k].count : 0;
        most += k < FIRST ? list[k].count : 0;
        if (k < SITE_COUNT_ROWS)
            op_table_row(rows, r, list[k].op, parts, tmp);
    }
    json_put(c, json_bool("has_rows", true), json_bool("by_time", true),
             json_bool("whole", r->n_ops <= SITE_COUNT_ROWS), M("launches", launches),
             M("first", r->n_ops < FIRST ? r->n_ops : FIRST),
             M("most_pct", 100.0 * (double)most / (double)launches),
             context_some("left", r->n_ops - SITE_COUNT_ROWS),
             M("left_launches", (double)(launches - shown)));
    ctx_csv(c, s, "unified_perf_summary", tmp);
    return ctx_write_folder(s, "operations-by-count.html", "operations.html", c, tmp,
                            e);
}

bool site_operations(struct site *s, struct arena tmp, struct err *e)
{
    if (s->folder && has_count_page(s->r) && !write_by_count(s, tmp, e))
        return false;
    int parts = (report_listed(s->r->n_ops) + SITE_TABLE_ROWS - 1) / SITE_TABLE_ROWS;
    for (int part = 1; part <= (parts ? parts : 1); part++)
        if (!write_part(s, part, tmp, e))
            return false;
    return true;
}
