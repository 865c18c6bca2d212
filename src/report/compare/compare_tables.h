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

struct str bar_word(enum bar_kind kind); /* "kernels" */

struct field_items;

/* How much kernel time a level of matching explains. */
struct compared_level {
    struct str level;
    int rows;
    double share_pct[2]; /* of each side's */
};
/* Those that have rows; in `a`. */
struct field_items compare_levels(struct arena *a, const struct comparison *c);

/* NaN of nothing. */
double compare_share_pct(int64_t part, int64_t whole);

/* "Yes", "No", "No (faster)" or "N/A": whether the hardware explains a difference. */
struct str explained_word(enum explained e);

#endif
