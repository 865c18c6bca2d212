/* op_case.h - for tests only: an operation of a report, with its own row and group that
 * the test may change. */
#ifndef REPORT_OP_CASE_H
#define REPORT_OP_CASE_H

#include "report/report.h"

#include <assert.h>

enum { OP_CASES_MAX = 2048 };

static struct work_row op_case_rows[OP_CASES_MAX];
static struct op_group op_case_groups[OP_CASES_MAX];

static inline struct report_op op_case(struct str name, double time_ms,
                                       double efficiency_pct)
{
    static int n;
    assert(n < OP_CASES_MAX);
    struct op_group *group = &op_case_groups[n];
    struct work_row *row = &op_case_rows[n++];
    *row = (struct work_row){.group = group,
                             .name = name,
                             .time_ms = time_ms,
                             .efficiency.percent = efficiency_pct};
    return (struct report_op){
        .row = row, .group = group, .category = -1, .finding = -1};
}

/* What op_case made, for the test to change. */
static inline struct work_row *op_case_row(const struct report_op *op)
{
    return &op_case_rows[op->row - op_case_rows];
}

static inline struct op_group *op_case_group(const struct report_op *op)
{
    return &op_case_groups[op->group - op_case_groups];
}

#endif
