#include "ops/op_tables.h"

struct op_tables op_tables_build(struct arena *perm, struct arena tmp,
                                 const struct trace_view *v, struct cost_cache *costs,
                                 const struct device_spec *device)
{
    struct op_tables t = {.view = v, .device = device};
    t.launchers = calls_of_launchers(perm, tmp, v);
    t.models = calls_of_models(perm, tmp, v, costs, &t.launchers);
    t.by_category = op_summary_build(perm, tmp, &t.launchers, BY_CATEGORY);
    t.by_name = op_summary_build(perm, tmp, &t.launchers, BY_NAME);
    t.unique_args = groups_build(perm, tmp, v, &t.launchers, BY_ARGUMENTS, device);
    t.unified = groups_build(perm, tmp, v, &t.models, BY_ARGUMENTS, device);
    t.families = family_sheets_build(perm, tmp, v, costs, device);
    t.kernels = kernel_tables_build(perm, tmp, v, &t.launchers);
    t.collectives = collective_table_build(perm, tmp, v);
    return t;
}
