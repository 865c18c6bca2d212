/* operations.html: one row for each distinct (operation, arguments). */
#include "render/op_rows.h"

#include "base/arena.h"
#include "report/report_numbers.h"

#include <stdlib.h>

#define COUNT_PAGE "operations-by-count.html"

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

static void add_order(cJSON *c, const char *order, const char *href, const char *title)
{
    ctx_text(c, "order", str_of(order));
    cJSON *orders = cJSON_AddArrayToObject(c, "orders");
    if (!href)
        return;
    cJSON *other = cJSON_CreateObject();
    ctx_text(other, "href", str_of(href));
    ctx_text(other, "title", str_of(title));
    cJSON_AddItemToArray(orders, other);
}

/* Where a few rows are in view at once, no other order is missed. */
static bool has_count_page(const struct report *r)
{
    enum { ROWS_FROM = 8 };
    return r->n_ops >= ROWS_FROM;
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
    bool other = has_count_page(r);
    add_order(c, "by total time, descending", other ? COUNT_PAGE : NULL,
              "In order by launches");
    ctx_text(c, "by_count", other ? S(COUNT_PAGE) : S(""));
    op_units(c);
    cJSON *rows = cJSON_AddArrayToObject(c, "rows");
    for (int i = from; i < to; i++)
        op_row(rows, s, i, true, tmp);
    ctx_pager(c, "operations", part, r->n_ops,
              to ? 100.0 - r->ops[to - 1].cumulative_pct : 0.0, "kernel time", tmp);
    ctx_text(c, "rows_file", S("operations"));
    op_csv(c, s);
    return ctx_write(s, str_c(&tmp, site_part_name(&tmp, "operations", part)),
                     "operations.html", c, tmp, e);
}

/* ---- the other order, for who has no script ---- */

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
    int64_t launches = 0, shown = 0;
    for (int i = 0; i < r->n_ops; i++) {
        list[i] = (struct counted){r->ops[i].count, i};
        launches += r->ops[i].count;
    }
    qsort(list, (size_t)r->n_ops, sizeof *list, by_count);
    int n = r->n_ops < SITE_TABLE_ROWS ? r->n_ops : SITE_TABLE_ROWS;
    cJSON *c = ctx_page(s, "operations.html", S("Operations by launches"),
                        "Which operations, with which arguments, run most often?", tmp);
    ctx_bool(c, "has_rows", true);
    ctx_bool(c, "whole", n == r->n_ops);
    ctx_text(c, "rows_file", S("operations"));
    add_order(c, "by launches, descending", "operations.html",
              "In order by total time");
    ctx_text(c, "by_time", S("operations.html"));
    op_units(c);
    cJSON *rows = cJSON_AddArrayToObject(c, "rows");
    for (int k = 0; k < n; k++) {
        op_row(rows, s, list[k].op, false, tmp);
        shown += list[k].count;
    }
    int first = n < 10 ? n : 10;
    int64_t most = 0;
    for (int k = 0; k < first; k++)
        most += list[k].count;
    ctx_format(c, "answer",
               "%lld launches; the first %.*s operations have %.*s %% of them.",
               (long long)launches, STRF(number_word(&tmp, first)),
               STRF(number_pct(&tmp, 100.0 * (double)most / (double)launches)));
    if (n < r->n_ops)
        ctx_format(c, "fold",
                   "%d more operations, %lld launches, are on the pages by time",
                   r->n_ops - n, (long long)(launches - shown));
    op_csv(c, s);
    return ctx_write_folder(s, COUNT_PAGE, "operations.html", c, tmp, e);
}

bool site_operations(struct site *s, struct arena tmp, struct err *e)
{
    if (s->folder && has_count_page(s->r) && !write_by_count(s, tmp, e))
        return false;
    int parts = (s->r->n_ops + SITE_TABLE_ROWS - 1) / SITE_TABLE_ROWS;
    for (int part = 1; part <= (parts ? parts : 1); part++)
        if (!write_part(s, part, tmp, e))
            return false;
    return true;
}
