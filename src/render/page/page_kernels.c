/* kernels.html: one row for each distinct kernel, by what launched it. */
#include "render/page/row_context.h"

#include "analysis/model/number_text.h"
#include "base/arena.h"
#include "ops/device_fill.h"
#include "report/fill_shown.h"

#include <stdlib.h>

enum { FIRST = 10, COUNT_PAGE_FROM = 8 };

/* Columns in the order of rows_file.h; a column without a value is left out. */
static void add_columns(cJSON *c, const struct kernel_lines *k, struct arena tmp)
{
    int n = 8 + k->has_library + 2 * k->has_efficiency + k->has_finding;
    cJSON *col = json_put_object(c, "col");
    json_put(col, json_bool("library", k->has_library),
             json_bool("efficiency", k->has_efficiency),
             json_bool("finding", k->has_finding), M("n", n), json_bool("more", n > 9));
    if (n < 12)
        json_put(c, M("cells", str_printf(&tmp, "0%s 2 3 4 5%s%s 9 10 11",
                                          k->has_library ? " 1" : "",
                                          k->has_efficiency ? " 6 7" : "",
                                          k->has_finding ? " 8" : "")));
}

static cJSON *page_of(const struct site *s, struct arena tmp)
{
    const struct report *r = s->r;
    cJSON *c = ctx_page(s, "kernels.html");
    int backlog = 0;
    for (int i = 0; i < r->n_kernels; i++)
        backlog += r->kernels[i].backlog;
    json_put(c, json_bool("has_rows", r->n_kernels > 0), F(r, n_kernels),
             json_bool("by_count", r->n_kernels >= COUNT_PAGE_FROM),
             M("first", r->n_kernels < FIRST ? r->n_kernels : FIRST),
             context_some("backlog", backlog));
    add_columns(c, &s->kernels, tmp);
    ctx_csv(c, s, "kernel_summary", tmp);
    return c;
}

enum { FILL_ROWS = 10 };

static void put_fill(cJSON *c, const struct site *s, struct arena tmp)
{
    const struct report_fill *f = &s->r->fill;
    cJSON *fill =
              context_lend(json_put_object(c, "fill"), shown_fill_fields(), f, s->r),
          *rows = json_put_array(fill, "rows");
    for (int i = 0; i < f->n && i < FILL_ROWS; i++) {
        int kernel = (int)(f->rows[i].kernel - s->r->kernels);
        cJSON *row = context_lend(context_push(rows), report_fill_row_fields(),
                                  &f->rows[i], s->r);
        json_put(row, context_name("shown", s->kernels.at[kernel].shown),
                 M("href", kernel_href(&tmp, s->r, kernel)));
    }
    bool precision = false, matrix = false, registers = f->of && f->of->says_sm,
         by_occupancy = f->of && f->of->all.occupancy_pct > 0;
    for (int i = 0; i < f->n && i < FILL_ROWS; i++) {
        precision |= f->rows[i].precision.n > 0;
        matrix |= f->rows[i].matrix.n > 0;
    }
    json_put(fill, context_some("left", f->n - FILL_ROWS),
             json_bool("has_precision", precision), json_bool("has_matrix", matrix),
             M("columns", 6 + by_occupancy + 2 * registers + precision + matrix));
    ctx_own_csv(fill, s, "launch_geometry", tmp);
}

static cJSON *part_of(const struct site *s, int part, struct arena tmp)
{
    const struct report *r = s->r;
    cJSON *c = page_of(s, tmp), *rows = json_put_array(c, "rows");
    int from = (part - 1) * SITE_TABLE_ROWS, to = report_listed(from + SITE_TABLE_ROWS);
    double first_pct = 0, left_pct = 0;
    for (int i = 0; i < r->n_kernels; i++) {
        double pct = r->kernels[i].backlog ? 0 : r->kernels[i].share_pct;
        first_pct += i < FIRST ? pct : 0;
        left_pct += i >= to ? pct : 0;
        if (i >= from && i < to)
            kernel_row(rows, s, i, tmp);
    }
    json_put(c, json_bool("here", true), json_bool("one", r->n_kernels == 1),
             json_bool("many", r->n_kernels > 1), M("first_pct", first_pct));
    if (part == 1 && r->n_kernels)
        ctx_chart(c, "figure", s, CHART_DURATIONS, -1, tmp);
    if (part == 1 && r->fill.n)
        put_fill(c, s, tmp);
    int listed = report_listed(r->n_kernels);
    ctx_pager(c, "kernels", part, listed, r->n_kernels - listed, left_pct, tmp);
    return c;
}

static bool write_part(struct site *s, int part, struct arena tmp, struct err *e)
{
    return ctx_write(s, str_c(&tmp, site_part_name(&tmp, "kernels", part)),
                     "kernels.html", part_of(s, part, tmp), tmp, e);
}

struct counted {
    int64_t count;
    int kernel;
};

static int by_count(const void *a, const void *b)
{
    const struct counted *x = a, *y = b;
    return x->count != y->count ? (x->count > y->count ? -1 : 1)
                                : x->kernel - y->kernel;
}

static cJSON *by_count_of(const struct site *s, struct arena tmp)
{
    const struct report *r = s->r;
    struct counted *list = arena_new(&tmp, struct counted, r->n_kernels);
    int64_t launches = 0, shown = 0, most = 0;
    for (int i = 0; i < r->n_kernels; i++)
        list[i] = (struct counted){r->kernels[i].count, i};
    qsort(list, (size_t)r->n_kernels, sizeof *list, by_count);
    cJSON *c = page_of(s, tmp), *rows = json_put_array(c, "rows");
    for (int k = 0; k < r->n_kernels; k++) {
        launches += list[k].count;
        shown += k < SITE_COUNT_ROWS ? list[k].count : 0;
        most += k < FIRST ? list[k].count : 0;
        if (k < SITE_COUNT_ROWS)
            kernel_row(rows, s, list[k].kernel, tmp);
    }
    json_put(c, json_bool("by_time", true),
             json_bool("whole", r->n_kernels <= SITE_COUNT_ROWS),
             M("launches", launches),
             M("most_pct", 100.0 * (double)most / (double)launches),
             context_some("left", r->n_kernels - SITE_COUNT_ROWS),
             M("left_launches", (double)(launches - shown)));
    return c;
}

bool site_kernels(struct site *s, struct arena tmp, struct err *e)
{
    if (s->folder && s->r->n_kernels >= COUNT_PAGE_FROM &&
        !ctx_write_folder(s, "kernels-by-count.html", "kernels.html",
                          by_count_of(s, tmp), tmp, e))
        return false;
    int parts =
        (report_listed(s->r->n_kernels) + SITE_TABLE_ROWS - 1) / SITE_TABLE_ROWS;
    for (int part = 1; part <= (parts ? parts : 1); part++)
        if (!write_part(s, part, tmp, e))
            return false;
    return true;
}
