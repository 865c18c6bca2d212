/* kernels.html: one row for each distinct kernel, by what launched it. */
#include "render/kernel_rows.h"

#include "base/arena.h"
#include "report/report_numbers.h"

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
        kernel_row(rows, &r->kernels[i], tmp);
    ctx_pager(c, "kernels", part, r->n_kernels, left_pct, "kernel time", tmp);
    ctx_text(c, "rows_file", S("kernels"));
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
