/* table_case.h - for tests only: a short notation for table cells, and for a row. */
#ifndef REPORT_TABLE_CASE_H
#define REPORT_TABLE_CASE_H

#include "base/arena.h"
#include "report/table_fields.h"

/* Each is one line of an array of cells. */
/* clang-format off */
#define TEXT(lit) { CELL_TEXT, { .text = { (lit), sizeof(lit) - 1 } } }
#define NAME(lit) { CELL_NAME, { .text = { (lit), sizeof(lit) - 1 } } }
#define INT(v)    { CELL_INT, { .i = (v) } }
#define REAL(v)   { CELL_REAL, { .r = (v) } }
#define BOOL(v)   { CELL_BOOL, { .b = (v) } }
#define NONE      { CELL_NONE, { .i = 0 } }
/* clang-format on */

static inline struct str cell_shown(struct arena *tmp, const struct cell *c)
{
    switch (c->kind) {
    case CELL_INT:
        return str_printf(tmp, "%lld", (long long)c->as.i);
    case CELL_REAL:
        return str_printf(tmp, "%g", c->as.r);
    case CELL_BOOL:
        return c->as.b ? S("yes") : S("no");
    case CELL_NONE:
        return S("-");
    default:
        return c->as.text;
    }
}

/* "title=value ...": no two values are to be the same, so that each is seen under its
 * own title. */
static inline const char *row_shown(struct arena *tmp, const struct report_table *t,
                                    ptrdiff_t row)
{
    struct str line = {0};
    const struct cell *cells = row < t->n_rows ? table_row(t, row, tmp) : NULL;
    for (ptrdiff_t k = 0; cells && k < t->n_columns; k++) {
        struct str value = cell_shown(tmp, &cells[k]);
        line = str_printf(tmp, "%.*s%s%.*s=%.*s", STRF(line), k ? " " : "",
                          STRF(t->columns[k].title), STRF(value));
    }
    return str_c(tmp, line);
}

/* The same of the members of a struct that has no others inside. */
static inline const char *members_shown(struct arena *tmp, const struct description *d,
                                        const void *of)
{
    struct table_field *list = arena_new(tmp, struct table_field, d->n);
    for (int k = 0; k < d->n; k++)
        list[k] = (struct table_field){.f = d->fields[k], .meaning = ""};
    struct table_fields all = {d->bytes, d->n, list};
    struct report_table t =
        table_told(tmp, "members", "", &all, TABLE_ITEMS(of, 1), NULL);
    return row_shown(tmp, &t, 0);
}

#endif
