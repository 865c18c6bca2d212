/* sheet_lookup.h - sheets, columns and numbers by what they are called. */
#ifndef REPORT_COMPARE_SHEET_LOOKUP_H
#define REPORT_COMPARE_SHEET_LOOKUP_H

#include "report/sheets.h"

/* The sheet of a name, or NULL. */
const struct report_table *sheet_named(const struct sheets *s, struct str name);

/* The column of a title, or -1. */
ptrdiff_t sheet_column(const struct report_table *t, struct str title);

/* A number of a cell; NaN: it holds none. */
double cell_number(const struct cell *c);

#endif
