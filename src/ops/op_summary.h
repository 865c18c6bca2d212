/* op_summary.h - launchers by name, and by category: where device time goes. */
#ifndef OPS_OP_SUMMARY_H
#define OPS_OP_SUMMARY_H

#include "ops/op_calls.h"

struct summary_row {
    struct str name; /* of the operator, or of the category */
    bool recompute;
    int64_t direct_ns, subtree_ns;
    int64_t count;          /* launchers */
    struct str *categories; /* distinct, ascending; NULL in a summary by category */
    int n_categories;
    double share_pct, cumulative_pct; /* of direct_ns over all rows */
};

struct op_summary {
    struct summary_row *rows; /* by time, longest first, then by name */
    int32_t n;
};

enum summary_by { BY_NAME, BY_CATEGORY };

struct op_summary op_summary_build(struct arena *perm, struct arena tmp,
                                   const struct op_calls *launchers,
                                   enum summary_by by);

#endif
