#include "ops/op_tables.h"

struct op_tables op_tables_start(struct arena *perm, struct arena tmp,
                                 const struct trace_view *v,
                                 const struct device_spec *device)
{
    return (struct op_tables){
        .view = v, .device = device, .launchers = calls_of_launchers(perm, tmp, v)};
}

void op_tables_of_models(struct arena *perm, struct arena tmp, struct op_tables *t,
                         struct cost_cache *costs)
{
    enum { JUDGED_MAX = 4096 };
    t->models = calls_of_models(perm, tmp, t->view, costs, &t->launchers);
    t->unified = groups_build(perm, tmp, t->view, &t->models, BY_ARGUMENTS, t->device);
    t->judged = groups_fold(perm, tmp, &t->unified, JUDGED_MAX, &t->judged_of);
}

void op_tables_of_launchers(struct arena *perm, struct arena tmp, struct op_tables *t)
{
    const struct op_calls *calls = &t->launchers;
    t->facts = trace_facts_of(tmp, t->view, calls);
    t->traits = work_traits_of(perm, tmp, t->view, calls);
    t->by_name = op_summary_build(perm, tmp, calls, BY_NAME);
}

void op_tables_of_families(struct arena *perm, struct arena tmp, struct op_tables *t,
                           struct cost_cache *costs)
{
    t->families = family_sheets_build(perm, tmp, t->view, costs, t->device);
}

void op_tables_of_sheets(struct arena *perm, struct arena tmp, struct op_tables *t)
{
    const struct op_calls *calls = &t->launchers;
    t->by_category = op_summary_build(perm, tmp, calls, BY_CATEGORY);
    t->unique_args = groups_build(perm, tmp, t->view, calls, BY_ARGUMENTS, t->device);
    t->kernels = kernel_tables_build(perm, tmp, t->view, calls);
    t->collectives = collective_table_build(perm, tmp, t->view);
}

struct op_tables op_tables_build(struct arena *perm, struct arena tmp,
                                 const struct trace_view *v, struct cost_cache *costs,
                                 const struct device_spec *device)
{
    struct op_tables t = op_tables_start(perm, tmp, v, device);
    op_tables_of_models(perm, tmp, &t, costs);
    op_tables_of_families(perm, tmp, &t, costs);
    op_tables_of_launchers(perm, tmp, &t);
    op_tables_of_sheets(perm, tmp, &t);
    return t;
}
