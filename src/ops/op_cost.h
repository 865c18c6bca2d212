/* op_cost.h - the cost of calls, evaluated once for each distinct call.
 *
 * Knows which parts of a call a performance model reads. Owns its tables until
 * cost_cache_close; costs are in the arena passed to open. */
#ifndef OPS_OP_COST_H
#define OPS_OP_COST_H

#include "ops/trace_view.h"
#include "perf/perf_model.h"

/* Models from extensions, consulted before the built-in ones. */
struct cost_override {
    void *context;
    /* The extension's model of a call, or NULL. Lent for the run. */
    const struct perf_model *(*find)(void *context, const struct op_call *call);
};

enum { RECENT_MODELS = 512 };

struct cost_cache {
    struct arena *perm, tmp; /* tmp: for one call at a time */
    const struct trace_view *v;
    const struct cost_override
        *override; /* NULL: none; set before the first question */
    struct name_pool keys;
    const struct perf_cost **cost; /* by key; NULL: not evaluated */
    int32_t cost_cap;
    struct name_pool model_keys;
    const struct perf_model **model; /* by model key */
    int32_t n_models, model_cap;
    struct recent_model { /* asked for again and again */
        int32_t name, texts;
        bool known;
        const struct perf_model *model;
    } recent[RECENT_MODELS];
    uint8_t *reads_note;   /* by name: whether its model reads annotations */
    struct str spec;       /* of the last cost: most have the same */
    event_id *annotations; /* by start */
    int64_t *ends;         /* the latest end of each and of all before it */
    int32_t n_annotations;
};

void cost_cache_open(struct cost_cache *c, struct arena *perm,
                     const struct trace_view *v);
void cost_cache_close(struct cost_cache *c);

/* The model of an operator event, or NULL. */
const struct perf_model *cost_model(struct cost_cache *c, event_id i);

/* The cost of a call whose device work is `kernels`, by start. Lent for the run. As the
 * reference has it, or an extension. */
const struct perf_cost *cost_of(struct cost_cache *c, event_id i, enum perf_direction d,
                                const event_id *kernels, int32_t n);

/* The same for a call without a usable cost: by a model of our own, or with what the
 * trace does not record assumed. `reference` is what cost_of gave, or NULL; it is what
 * comes back where we know no better. */
const struct perf_cost *cost_of_own(struct cost_cache *c, event_id i,
                                    enum perf_direction d, const event_id *kernels,
                                    int32_t n, const struct perf_cost *reference);

#endif
