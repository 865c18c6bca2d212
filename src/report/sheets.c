#include "report/sheets.h"

#include "report/sheets_parts.h"

enum { FIXED_SHEETS = 15 };

/* In place of the tables of device work. */
static void add_host_sheets(struct arena *perm, const struct op_tables *t,
                            struct sheets *s)
{
    if (t->host->n_operators)
        s->tables[s->n++] = sheet_host_operators(perm, t);
    if (t->host->n_modules)
        s->tables[s->n++] = sheet_host_modules(perm, t);
    if (t->host->n_threads)
        s->tables[s->n++] = sheet_host_threads(perm, t);
}

struct sheets sheets_build(struct arena *perm, struct arena tmp,
                           const struct op_tables *t)
{
    (void)tmp;
    struct sheets s = {
        .tables = arena_new(perm, struct report_table, FIXED_SHEETS + t->families.n)};
    s.tables[s.n++] = sheet_timeline(perm, t);
    if (t->launchers.n && t->facts.has_cpu_op) {
        s.tables[s.n++] = sheet_by_category(perm, t);
        s.tables[s.n++] = sheet_by_name(perm, t);
        s.tables[s.n++] = sheet_unique_args(perm, t);
    }
    if (t->unified.n > t->unified.n_unlinked && t->facts.has_cpu_op) {
        s.own_of = arena_take_raw(perm, sizeof *s.own_of, 4, t->unified.n);
        s.tables[s.n++] = sheet_unified(perm, t, &s.own_rows, s.own_of);
    }
    if (t->host) {
        add_host_sheets(perm, t, &s);
        return s;
    }
    for (int f = 0; f < t->families.n; f++)
        s.tables[s.n++] = sheet_family(perm, t, &t->families.rows[f]);
    if (t->kernels.n)
        s.tables[s.n++] = sheet_kernels(perm, t);
    s.tables[s.n++] = sheet_histogram(perm, t);
    s.tables[s.n++] = sheet_short_kernels(perm, t);
    if (t->collectives.n)
        s.tables[s.n++] = sheet_collectives(perm, t);
    return s;
}

void sheets_keep(struct arena *perm, struct sheets *s)
{
    for (ptrdiff_t i = 0; i < s->n; i++)
        s->tables[i] = table_with_cells(perm, &s->tables[i]);
    s->own_rows = table_with_cells(perm, &s->own_rows);
}
