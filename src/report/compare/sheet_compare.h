/* sheet_compare.h - two performance reports, sheet by sheet: the reference tool's
 * comparison.
 *
 * A full outer join of the same sheet of both sides on its key columns. For each
 * compared column D: `D__TAG_diff` is candidate minus reference and `D__TAG_pct` 100
 * diff / reference. Sheets of calls are split into rows of both sides, only of the
 * reference, and only of the candidate. Lent: the tables of both sides. */
#ifndef REPORT_COMPARE_SHEET_COMPARE_H
#define REPORT_COMPARE_SHEET_COMPARE_H

#include "report/compare/sheet_lookup.h"

struct sheet_side {
    struct str tag; /* names the side in titles and file names; tags differ */
    struct sheets sheets;
};

struct sheets sheet_compare(struct arena *perm, struct arena tmp,
                            const struct sheet_side *reference,
                            const struct sheet_side *candidate);

/* Names of the sheets that a comparison reads, each once. */
int sheet_sources(void);
struct str sheet_source(int i);

#endif
