#include "report/job/job_pages.h"

#include <math.h>
#include <stdlib.h>

struct job_shown *job_shown_at(struct arena *perm, struct job_document *d,
                               struct str name)
{
    for (int i = 0; i < d->n_shown; i++)
        if (str_eq(d->shown[i].name, name))
            return &d->shown[i];
    arena_grow(perm, d->shown, d->n_shown);
    d->shown[d->n_shown] = (struct job_shown){.name = name};
    return &d->shown[d->n_shown++];
}

void job_figure(struct job_maker *m, const char *name, struct report_figure f)
{
    struct report_figure *kept = arena_new(m->perm, struct report_figure, 1);
    *kept = f;
    job_shown_at(m->perm, m->d, str_of(name))->figure = kept;
}

/* What rounds to nothing has no sign. */
struct str job_ns_text(struct arena *a, int64_t ns)
{
    return llabs(ns) < 500 ? S("0.000") : str_printf(a, "%.3f", (double)ns / 1e6);
}

struct str job_real_text(struct arena *a, double v, int decimals)
{
    double shown = fabs(v) * pow(10, decimals) < 0.5 ? 0 : v; /* without a sign */
    return isfinite(v) ? str_printf(a, "%.*f", decimals, shown) : S("-");
}

static bool is_unknown(const struct field *f, int64_t v)
{
    return v < 0 && (f->unit == FIELD_UNIT_KNOWN || f->unit == FIELD_UNIT_BYTES);
}

static struct str cell_text(struct arena *a, const struct told_column *c,
                            const struct described *in)
{
    struct field_value v = field_value(&c->of, in);
    switch (v.kind) {
    case FIELD_REAL:
        return job_real_text(a, v.real, c->decimals);
    case FIELD_TEXT:
        return v.text.n ? v.text : S("-");
    case FIELD_I32:
    case FIELD_I64:
        return c->of.unit == FIELD_UNIT_NS ? job_ns_text(a, v.whole)
               : is_unknown(&c->of, v.whole)
                   ? S("-")
                   : str_printf(a, "%lld", (long long)v.whole);
    default:
        return S("");
    }
}

struct job_table *job_table_sized(struct arena *perm, int64_t rows, int rows_max,
                                  int n_columns, struct str csv)
{
    struct job_table *t = arena_new(perm, struct job_table, 1);
    t->csv = csv;
    t->n_columns = n_columns;
    t->n_rows = (int)(rows < rows_max ? rows : rows_max);
    t->n_left_out = rows - t->n_rows;
    t->columns = arena_new(perm, struct job_column, n_columns);
    t->cells = arena_new(perm, struct job_cell, (ptrdiff_t)t->n_rows * n_columns);
    return t;
}

struct job_table *job_table(struct job_maker *m, struct str name, const char *csv,
                            struct told_columns columns, struct field_items rows,
                            const void *whole, int more)
{
    struct job_table *t =
        job_table_sized(m->perm, rows.n, m->rows_max ? m->rows_max : JOB_TABLE_ROWS,
                        columns.n + more, str_of(csv));
    t->n_told = columns.n;
    for (int k = 0; k < columns.n; k++) {
        const char *title = columns.all[k].title;
        bool numeric = title[0] == '#';
        t->columns[k] = (struct job_column){str_of(title + numeric), numeric};
    }
    for (int i = 0; i < t->n_rows; i++)
        for (int k = 0; k < columns.n; k++) {
            const struct told_column *c = &columns.all[k];
            struct described in = {field_item(&rows, i), whole, m->perm};
            struct job_cell *to = job_cell(t, i, k);
            to->text = cell_text(m->perm, c, &in);
            if (c->link.name)
                to->href = field_value(&c->link, &in).text;
        }
    job_shown_at(m->perm, m->d, name)->table = t;
    return t;
}

struct told_columns columns_without(struct arena *perm, struct told_columns c, int k)
{
    struct told_column *left = arena_new(perm, struct told_column, c.n - 1);
    for (int i = 0; i < c.n - 1; i++)
        left[i] = c.all[i < k ? i : i + 1];
    return (struct told_columns){left, c.n - 1};
}

int job_title(struct job_table *t, int k, struct str title)
{
    int at = t->n_told + k;
    t->columns[at] = (struct job_column){title, true};
    return at;
}

void job_heat(struct job_cell *cells, const double *value, int n, double most)
{
    for (int i = 0; most > 0 && i < n; i++)
        cells[i].heat = value[i] > 0 ? (int)ceil(JOB_HEATS * value[i] / most - 0.5) : 0;
}
