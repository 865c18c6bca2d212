#include "report/table_build.h"

#include <assert.h>
#include <math.h>

struct table_build table_begin(struct arena *a, struct str name, const char *purpose,
                               ptrdiff_t rows)
{
    struct table_build b = {.arena = a, .cap_rows = rows};
    b.t.name = name;
    b.t.purpose = str_of(purpose);
    return b;
}

void add_column(struct table_build *b, struct str title, enum column_unit unit,
                const char *meaning)
{
    assert(b->n_cells == 0);
    arena_grow(b->arena, b->t.columns, b->t.n_columns);
    b->t.columns[b->t.n_columns++] =
        (struct table_column){title, str_of(meaning), unit};
}

struct table_build table_of(struct arena *a, const char *name, const char *purpose,
                            ptrdiff_t rows, const struct table_heading *columns, int n)
{
    struct table_build b = table_begin(a, str_of(name), purpose, rows);
    for (int i = 0; i < n; i++)
        add_column(&b, str_of(columns[i].title), UNIT_NONE, columns[i].meaning);
    return b;
}

static void put(struct table_build *b, struct cell c)
{
    if (!b->t.cells)
        b->t.cells = arena_take_raw(b->arena, sizeof c, _Alignof(struct cell),
                                    b->cap_rows * b->t.n_columns);
    assert(b->n_cells < b->cap_rows * b->t.n_columns);
    b->t.cells[b->n_cells++] = c;
}

void put_cell(struct table_build *b, const struct cell *c)
{
    put(b, *c);
}

void put_none(struct table_build *b)
{
    put(b, (struct cell){.kind = CELL_NONE});
}

void put_text(struct table_build *b, struct str text)
{
    put(b, (struct cell){.kind = CELL_TEXT, .as.text = text});
}

void put_name(struct table_build *b, struct str text)
{
    put(b, (struct cell){.kind = CELL_NAME, .as.text = text});
}

void put_int(struct table_build *b, int64_t v)
{
    put(b, (struct cell){.kind = CELL_INT, .as.i = v});
}

void put_real(struct table_build *b, double v)
{
    if (isfinite(v))
        put(b, (struct cell){.kind = CELL_REAL, .as.r = v});
    else
        put_none(b);
}

void put_bool(struct table_build *b, bool v)
{
    put(b, (struct cell){.kind = CELL_BOOL, .as.b = v});
}

struct report_table table_done(struct table_build *b)
{
    assert(b->t.n_columns && b->n_cells % b->t.n_columns == 0);
    b->t.n_rows = b->n_cells / b->t.n_columns;
    return b->t;
}

struct report_table table_of_rows(struct table_build *b, const void *of,
                                  void (*put_row)(struct table_build *b, const void *of,
                                                  ptrdiff_t row))
{
    assert(b->t.n_columns && b->n_cells == 0);
    b->t.of = of;
    b->t.put_row = put_row;
    b->t.n_rows = b->cap_rows;
    return b->t;
}

const struct cell *table_row(const struct report_table *t, ptrdiff_t row,
                             struct arena *tmp)
{
    if (!t->put_row)
        return table_cell(t, row, 0);
    struct table_build b = {
        .arena = tmp, .cap_rows = 1, .t = {.n_columns = t->n_columns}};
    t->put_row(&b, t->of, row);
    assert(b.n_cells == t->n_columns);
    return b.t.cells;
}

struct report_table table_part(struct arena *perm, const struct report_table *t,
                               ptrdiff_t from, ptrdiff_t most)
{
    ptrdiff_t n = t->n_rows - from < most ? t->n_rows - from : most;
    struct table_build b = {.arena = perm, .cap_rows = n, .t = *t};
    if (t->cells)
        b.t.cells = table_cell(t, from, 0);
    for (ptrdiff_t row = from; t->put_row && row < from + n; row++)
        t->put_row(&b, t->of, row);
    b.t.put_row = NULL;
    b.t.n_rows = n;
    return b.t;
}

struct report_table table_with_cells(struct arena *perm, const struct report_table *t)
{
    return table_part(perm, t, 0, t->n_rows);
}
