/* kernels.html: one row for each distinct kernel, by what launched it. */
#include "render/site_context.h"

#include "base/arena.h"
#include "report/report_numbers.h"

enum { NAME_CHARS = 90 };

static void add_row(cJSON *rows, const struct report_kernel *k, struct arena tmp)
{
    cJSON *row = cJSON_CreateObject();
    ctx_text(row, "row_id", k->id);
    page_name(row, "name_html", k->name, NAME_CHARS, tmp);
    ctx_text(row, "library", S(""));
    page_category(row, "category", k->category, k->category);
    ctx_format(row, "launches", "%lld", (long long)k->count);
    ctx_ms(row, "total", k->total_ms, tmp);
    ctx_sort_key(row, "total_v", k->total_ms);
    ctx_pct(row, "share", k->share_pct, tmp);
    ctx_sort_key(row, "share_v", k->share_pct);
    ctx_fixed(row, "mean", k->mean_us, 2);
    ctx_sort_key(row, "mean_v", k->mean_us);
    ctx_fixed(row, "p95", k->p95_us, 2);
    ctx_sort_key(row, "p95_v", k->p95_us);
    cJSON *ops = cJSON_AddArrayToObject(row, "operations");
    if (k->op.n) {
        cJSON *op = cJSON_CreateObject();
        ctx_text(op, "name", str_trim(k->op).n ? k->op : S("(no name)"));
        ctx_text(op, "link", S("operations.html"));
        cJSON_AddItemToArray(ops, op);
    }
    cJSON_AddItemToArray(rows, row);
}

static bool write_part(struct site *s, int part, struct arena tmp, struct err *e)
{
    const struct report *r = s->r;
    cJSON *c = ctx_page(s, "kernels.html", S("Kernels"),
                        "Which kernels run, how often, and who launches them?", tmp);
    int from = (part - 1) * SITE_TABLE_ROWS;
    int to =
        from + SITE_TABLE_ROWS < r->n_kernels ? from + SITE_TABLE_ROWS : r->n_kernels;
    double ten_pct = 0, left_pct = 0;
    int first = r->n_kernels < 10 ? r->n_kernels : 10;
    for (int i = 0; i < r->n_kernels; i++) {
        ten_pct += i < first ? r->kernels[i].share_pct : 0;
        left_pct += i >= to ? r->kernels[i].share_pct : 0;
    }
    if (r->n_kernels)
        ctx_format(
            c, "answer",
            "%d kernels by operation; the first %.*s take %.*s %% of kernel time.",
            r->n_kernels, STRF(number_word(&tmp, first)),
            STRF(number_pct(&tmp, ten_pct)));
    else
        ctx_text(c, "answer", S("No kernels to show."));
    if (!r->n_kernels)
        ctx_text(
            c, "no_kernels",
            S("This trace has no device work: it was recorded on a machine without a "
              "GPU, or without device activity. Record with ProfilerActivity.CUDA."));
    if (part == 1 && r->n_kernels)
        ctx_chart(c, "figure", s, CHART_DURATIONS, -1, tmp);
    ctx_bool(c, "has_rows", r->n_kernels > 0);
    ctx_bool(c, "has_grid", false);
    ctx_text(c, "order", S("by total time, descending"));
    cJSON *units = cJSON_AddObjectToObject(c, "units");
    ctx_text(units, "total", S("ms"));
    ctx_text(units, "mean", S("µs"));
    cJSON *rows = cJSON_AddArrayToObject(c, "rows");
    for (int i = from; i < to; i++)
        add_row(rows, &r->kernels[i], tmp);
    ctx_pager(c, "kernels", part, r->n_kernels, left_pct, "kernel time", tmp);
    if (site_offers(s, "perf_report_csvs/kernel_summary.csv")) {
        cJSON *csv = cJSON_AddObjectToObject(c, "csv");
        ctx_text(csv, "href", S("perf_report_csvs/kernel_summary.csv"));
        ctx_text(csv, "name", S("kernel_summary.csv"));
        ctx_text(csv, "size", S("CSV"));
    }
    return ctx_write(s, str_c(&tmp, site_part_name(&tmp, "kernels", part)),
                     "kernels.html", c, tmp, e);
}

bool site_kernels(struct site *s, struct arena tmp, struct err *e)
{
    int parts = (s->r->n_kernels + SITE_TABLE_ROWS - 1) / SITE_TABLE_ROWS;
    for (int part = 1; part <= (parts ? parts : 1); part++)
        if (!write_part(s, part, tmp, e))
            return false;
    return true;
}
