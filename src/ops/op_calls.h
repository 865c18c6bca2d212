/* op_calls.h - calls as the tables count them: one row each, with their device work.
 *
 * Two views of the trace, as in the reference. Launchers: the operator (or bare runtime
 * call) directly above each kernel. Modelled calls: the outermost operator that a
 * performance model describes, or else the launcher, with a synthetic row for device
 * work that neither covers. Their counts differ; their total times do not. */
#ifndef OPS_OP_CALLS_H
#define OPS_OP_CALLS_H

#include "ops/op_row.h"

struct arena;
struct cost_cache;
struct trace_view;

struct op_calls {
    struct op_call_row *rows;
    int32_t n;
};

/* Rows in order of start. Leaves out communication and device work without a launch
 * call. */
struct op_calls calls_of_launchers(struct arena *perm, struct arena tmp,
                                   const struct trace_view *v);

/* Rows in the order of the walk, then synthetic ones, then those of device work without
 * a launch call that counts. Categories are from `launchers`. */
struct op_calls calls_of_models(struct arena *perm, struct arena tmp,
                                const struct trace_view *v, struct cost_cache *costs,
                                const struct op_calls *launchers);

/* Rows of some events, of which there are far fewer than of all. */
struct event_rows {
    struct bit_rows *has; /* by row of details */
    int32_t *row;         /* of those that have one */
};

/* The category of an event: by name, else by the first kernel it launched itself. */
struct category_index {
    const struct trace_view *v;
    struct event_rows rows; /* of launchers */
    const struct op_calls *launchers;
};
struct category_index category_index_build(struct arena *a, const struct trace_view *v,
                                           const struct op_calls *launchers);
struct str category_of(const struct category_index *c, int32_t i, struct str name);

#endif
