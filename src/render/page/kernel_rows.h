/* kernel_rows.h - what the table of kernels says of each besides its times: where it
 * comes from, and what is known of the operations that it runs for. */
#ifndef RENDER_PAGE_KERNEL_ROWS_H
#define RENDER_PAGE_KERNEL_ROWS_H

#include "base/described.h"
#include "report/report.h"

struct kernel_line {
    struct str shown, full; /* full: empty where `shown` is all of it */
    struct str library;     /* empty: unknown */
    int finding;            /* the first about an operation that it runs for; or -1 */
    int op;                 /* of report.ops, the first that it runs for; or -1 */
    /* Of the operations that it alone runs for, if they take half of its time; else NaN
     * and BOUND_NONE. */
    double efficiency_pct;
    enum roofline_bound bound;
};

DESCRIBED(kernel_line);

struct kernel_lines {
    const struct kernel_line *at;                  /* by report.kernels */
    bool has_library, has_efficiency, has_finding; /* any of them */
};

struct kernel_lines kernel_lines_make(struct arena *perm, struct arena tmp,
                                      const struct report *r);

#endif
