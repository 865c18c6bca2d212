#include "report/compare/sheet_lookup.h"

#include <math.h>

const struct report_table *sheet_named(const struct sheets *s, struct str name)
{
    for (ptrdiff_t i = 0; i < s->n; i++)
        if (str_eq(s->tables[i].name, name))
            return &s->tables[i];
    return NULL;
}

ptrdiff_t sheet_column(const struct report_table *t, struct str title)
{
    for (ptrdiff_t k = 0; k < t->n_columns; k++)
        if (str_eq(t->columns[k].title, title))
            return k;
    return -1;
}

double cell_number(const struct cell *c)
{
    return c->kind == CELL_INT    ? (double)c->as.i
           : c->kind == CELL_REAL ? c->as.r
                                  : (double)NAN;
}
