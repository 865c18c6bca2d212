#include "ops/op_tables.h"

#include "base/arena.h"
#include "ops/op_parts.h"

struct op_tables op_tables_start(struct arena *perm, struct arena tmp,
                                 const struct trace_view *v,
                                 const struct device_spec *device)
{
    return (struct op_tables){
        .view = v, .device = device, .launchers = calls_of_launchers(perm, tmp, v)};
}

/* By row of unified: the row that judges most of its first call. */
static const int32_t *rows_of_longest_parts(struct arena *perm, struct arena tmp,
                                            const struct op_tables *t,
                                            const int32_t *part_of)
{
    const struct op_groups *gs = &t->judged, *whole = &t->unified;
    int32_t *row_of_call = arena_take_raw(&tmp, sizeof *row_of_call, 4, gs->calls.n);
    int32_t *rows = arena_take_raw(perm, sizeof *rows, 4, whole->n);
    for (int32_t g = 0; g < gs->n; g++)
        for (int32_t k = 0; k < gs->places[g].n; k++)
            row_of_call[gs->members[gs->places[g].at + k]] = g;
    for (int32_t g = 0; g < whole->n; g++)
        rows[g] = row_of_call[part_of[whole->members[whole->places[g].at]]];
    return rows;
}

void op_tables_of_models(struct arena *perm, struct arena tmp, struct op_tables *t,
                         struct cost_cache *costs)
{
    enum { JUDGED_MAX = 4096 };
    t->models = calls_of_models(perm, tmp, t->view, costs, &t->launchers);
    t->unified = groups_build(perm, tmp, t->view, &t->models, BY_ARGUMENTS, t->device);
    struct op_parts parts = calls_in_parts(perm, tmp, t->view, &t->models);
    if (!parts.part_of) {
        t->n_distinct = t->unified.n;
        t->judged = groups_fold(perm, tmp, &t->unified, JUDGED_MAX, &t->judged_of);
        return;
    }
    struct op_groups all =
        groups_build(perm, tmp, t->view, &parts.calls, BY_ARGUMENTS, t->device);
    const int32_t *folded;
    t->n_distinct = all.n;
    t->judged = groups_fold(perm, tmp, &all, JUDGED_MAX, &folded);
    t->judged_of = rows_of_longest_parts(perm, tmp, t, parts.part_of);
}

void op_tables_of_launchers(struct arena *perm, struct arena tmp, struct op_tables *t)
{
    const struct op_calls *calls = &t->launchers;
    t->facts = trace_facts_of(tmp, t->view, calls);
    t->traits = work_traits_of(perm, tmp, t->view, calls);
    t->fill = device_fill_of(perm, tmp, t->view,
                             t->device ? t->device->compute_units : 0);
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
    device_fill_rows(perm, tmp, &t->fill, t->view, &t->kernels);
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
