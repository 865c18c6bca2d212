/* family_sheets.h - one table per family of performance models.
 *
 * As in the reference, a sheet holds every event whose name is in the family, including
 * both an operator and its inner variant, and calls that launched nothing. So its sum
 * has no meaning. Operators in operators without end would list all below them each:
 * the rows of a trace together list so many kernels, and deeper ones are left out. */
#ifndef OPS_FAMILY_SHEETS_H
#define OPS_FAMILY_SHEETS_H

#include "ops/op_groups.h"

struct family_sheet {
    struct str name; /* "GEMM", "CONV_fwd" */
    struct op_calls calls;
    struct op_groups groups;
    const char **params; /* keys in the order of first appearance */
    int n_params;
};

struct family_sheets {
    struct family_sheet *rows; /* none is empty; the order of the report */
    int n;
    int64_t left_out; /* calls nested too deep */
};

struct family_sheets family_sheets_build(struct arena *perm, struct arena tmp,
                                         const struct trace_view *v,
                                         struct cost_cache *costs,
                                         const struct device_spec *device);

#endif
