/* compare_tables.h - a comparison as tables: rows, classes, waterfall, steps, levels.
 *
 * Exact where they can be: whole nanoseconds, and sums that are those of both captures.
 */
#ifndef REPORT_COMPARE_COMPARE_TABLES_H
#define REPORT_COMPARE_COMPARE_TABLES_H

#include "compare/comparison.h"
#include "report/sheets.h"

struct sheets compare_tables(struct arena *perm, const struct comparison *c);

/* "(512, 8) bf16" would be its arguments; empty: none. Of the side that has the row. */
struct str compared_name(const struct compared_row *r);
struct str compared_args(const struct compared_row *r);

/* The module that its calls are made in; empty: unknown, or in several. */
struct str compared_module(const struct comparison *c, const struct compared_row *r);

/* "Yes", "No", "No (faster)" or "N/A": whether the hardware explains a difference. */
struct str explained_word(enum explained e);

#endif
