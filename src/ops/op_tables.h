/* op_tables.h - all rows of one trace, from which tables, findings and pages are made.
 */
#ifndef OPS_OP_TABLES_H
#define OPS_OP_TABLES_H

#include "ops/collective_table.h"
#include "ops/device_fill.h"
#include "ops/family_sheets.h"
#include "ops/host_profile.h"
#include "ops/kernel_table.h"
#include "ops/op_groups.h"
#include "ops/op_summary.h"
#include "ops/trace_facts.h"
#include "ops/work_traits.h"

struct op_tables {
    const struct trace_view *view;
    const struct device_spec *device; /* NULL: no roofline */
    struct trace_facts facts;
    struct work_traits traits;
    struct device_fill fill;
    struct op_calls launchers, models;
    struct op_summary by_category, by_name;
    struct op_groups unique_args; /* of launchers */
    struct op_groups unified;     /* of models */
    /* What is judged and reported: the rows of unified, those of no one kind in parts
     * (op_parts.h); of thousands, groups_fold makes a few. `judged_of`: by row of
     * unified, of its longest part; NULL: as there. */
    struct op_groups judged;
    const int32_t *judged_of;
    int32_t n_distinct; /* before folding */
    struct family_sheets families;
    struct kernel_tables kernels;
    struct collective_table collectives;
    const struct host_profile *host; /* of a trace without device work; else NULL */
};

/* The launcher calls. Two independent halves are made from them: one evaluates models,
 * the other counts. `costs` stays open for the run. */
struct op_tables op_tables_start(struct arena *perm, struct arena tmp,
                                 const struct trace_view *v,
                                 const struct device_spec *device);
void op_tables_of_models(struct arena *perm, struct arena tmp, struct op_tables *t,
                         struct cost_cache *costs);
void op_tables_of_launchers(struct arena *perm, struct arena tmp, struct op_tables *t);

/* The same for what reports alone show: `families`, and the rest. */
void op_tables_of_families(struct arena *perm, struct arena tmp, struct op_tables *t,
                           struct cost_cache *costs);
void op_tables_of_sheets(struct arena *perm, struct arena tmp, struct op_tables *t);

/* All of it. */
struct op_tables op_tables_build(struct arena *perm, struct arena tmp,
                                 const struct trace_view *v, struct cost_cache *costs,
                                 const struct device_spec *device);

#endif
