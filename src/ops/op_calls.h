/* op_calls.h - calls as the tables count them: one row each, with their device work.
 *
 * Two views of the same trace, as the reference has them. Launchers: the operator (or
 * bare runtime call) right above each kernel. Modelled calls: the outermost operator
 * that a performance model describes, else the launcher, and a synthetic row for device
 * work that neither covers. Counts of the two differ; their total time does not. */
#ifndef OPS_OP_CALLS_H
#define OPS_OP_CALLS_H

#include "ops/op_cost.h"

struct op_call_row {
    event_id event; /* the operator or runtime call; of a synthetic row its parent */
    int32_t uid;    /* the reference's UID; synthetic rows count on after the file */
    struct str name;
    struct str category;
    int64_t direct_ns;       /* union of the row's kernels: its time in every table */
    int64_t subtree_ns;      /* union of all device work below, communication too */
    const event_id *kernels; /* its device work */
    const struct perf_cost *cost; /* NULL: no model, or the model failed */
    int32_t n_kernels;
    bool has_model; /* its own, or that of the forward operator */
    bool synthetic, backward, recompute;
};

struct op_calls {
    struct op_call_row *rows;
    int32_t n;
};

/* Rows in the order of their start. Device work that counts as communication is left
 * out, as is what no call launched. */
struct op_calls calls_of_launchers(struct arena *perm, struct arena tmp,
                                   const struct trace_view *v);

/* Rows in the order of the walk, then synthetic ones. `launchers` tells categories. */
struct op_calls calls_of_models(struct arena *perm, struct arena tmp,
                                const struct trace_view *v, struct cost_cache *costs,
                                const struct op_calls *launchers);

/* The category of an event: by name, else by the first kernel it launched itself. */
struct category_index {
    const struct trace_view *v;
    int32_t *row_of; /* by row of details: row of launchers; -1 */
    const struct op_calls *launchers;
};
struct category_index category_index_build(struct arena *a, const struct trace_view *v,
                                           const struct op_calls *launchers);
struct str category_of(const struct category_index *c, event_id i, struct str name);

#endif
