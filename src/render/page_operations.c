/* operations.html: one row for each distinct (operation, arguments). */
#include "render/site_context.h"

#include "base/arena.h"
#include "report/report_figures.h"
#include "report/report_numbers.h"

#include <math.h>

enum { NAME_CHARS = 80, ARGS_CHARS = 120 };

static void add_row(cJSON *rows, const struct report *r, const struct report_op *op,
                    struct arena tmp)
{
    const struct report_category *g =
        op->category >= 0 ? &r->categories[op->category] : NULL;
    cJSON *row = cJSON_CreateObject();
    ctx_text(row, "row_id", op->id);
    page_name(row, "name_html", op->name, NAME_CHARS, tmp);
    page_name(row, "args_html", op->args, ARGS_CHARS, tmp);
    page_category(row, "category", g ? g->id : S("communication"),
                  g ? g->label : S("Communication"));
    ctx_format(row, "launches", "%lld", (long long)op->count);
    ctx_ms(row, "total", op->total_ms, tmp);
    ctx_sort_key(row, "total_v", op->total_ms);
    ctx_pct(row, "share", op->share_pct, tmp);
    ctx_sort_key(row, "share_v", op->share_pct);
    ctx_pct(row, "cumulative", op->cumulative_pct, tmp);
    ctx_fixed(row, "mean", op->mean_us, 2);
    ctx_sort_key(row, "mean_v", op->mean_us);
    ctx_fixed(row, "p95", op->p95_us, 2);
    ctx_sort_key(row, "p95_v", op->p95_us);
    ctx_fixed(row, "spread", op->spread_pct, 1);
    ctx_fixed(row, "intensity", op->flop_per_byte, 2);
    ctx_fixed(row, "tflops", op->tflop_per_s, 2);
    ctx_fixed(row, "tbs", op->tb_per_s, 3);
    if (isnan(op->efficiency_pct) && !op->has_model) {
        ctx_bool(row, "no_model", true);
        ctx_text(row, "efficiency", S(""));
    } else {
        ctx_bool(row, "no_model", false);
        ctx_pct(row, "efficiency", op->efficiency_pct, tmp);
    }
    ctx_sort_key(row, "efficiency_v", op->efficiency_pct);
    ctx_bool(row, "anomaly", op->anomaly);
    ctx_text(row, "bound", bound_word(op->bound));
    ctx_format(row, "kernels", "%d", op->n_kernels);
    cJSON_AddItemToArray(rows, row);
}

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
    if (part == 1 && r->n_ops > 1) {
        struct report_figure pareto = figure_pareto(&tmp, r, -1);
        page_figure(c, "figure", &pareto, s->theme, tmp);
    }
    ctx_bool(c, "has_rows", r->n_ops > 0);
    ctx_text(c, "order", S("by total time, descending"));
    cJSON *units = cJSON_AddObjectToObject(c, "units");
    ctx_text(units, "total", S("ms"));
    ctx_text(units, "mean", S("µs"));
    cJSON *rows = cJSON_AddArrayToObject(c, "rows");
    for (int i = from; i < to; i++)
        add_row(rows, r, &r->ops[i], tmp);
    ctx_pager(c, "operations", part, r->n_ops,
              to ? 100.0 - r->ops[to - 1].cumulative_pct : 0.0, "kernel time", tmp);
    if (r->n_ops) {
        cJSON *csv = cJSON_AddObjectToObject(c, "csv");
        ctx_text(csv, "href", S("perf_report_csvs/unified_perf_summary.csv"));
        ctx_text(csv, "name", S("unified_perf_summary.csv"));
        ctx_text(csv, "size", S("CSV"));
    }
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
