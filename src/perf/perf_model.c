#include "perf/perf_model.h"

#include "base/arena.h"
#include "perf/cost.h"
#include "perf/op_names.h"

#include <math.h>

/* Where the models differ from the reference, which gives no value or crashes there:
 *   - concrete inputs recorded as values instead of texts are read all the same;
 *   - a figure too large for a double fails; above 2^53 it is rounded;
 *   - the fused convolution backward takes its forward from the call, not from a map
 * that outlives the trace;
 *   - an operand type of null gives no compute spec, and does not fail the row once a
 *     platform is chosen.
 * Everything else, however odd, matches the reference. */

const struct perf_model *perf_model_find(struct str op_name)
{
    const struct op_names *row = op_names_find(op_name);
    return row && row->model >= 0 ? &perf_models[row->model] : NULL;
}

const struct perf_model *perf_model_of_call(const struct op_call *call)
{
    const struct perf_model *m = perf_model_find(call->name);
    if (!m && triton_applies(call))
        m = &perf_models[MODEL_TRITON];
    return m;
}

struct str perf_model_id(const struct perf_model *m)
{
    return str_of(m->id);
}

struct str perf_model_backward_category(const struct perf_model *m)
{
    return str_of(m->backward_category);
}

bool perf_model_has_backward(const struct perf_model *m)
{
    return m->backward && m->backward_category;
}

struct str perf_family_name(int family)
{
    return family >= 0 && family < PERF_FAMILIES ? str_of(perf_families[family])
                                                 : S("");
}

int perf_model_family(const struct perf_model *m)
{
    return m->family;
}

static struct str compute_spec(struct arena *perm, enum perf_unit unit,
                               struct str precision)
{
    if (unit == UNIT_NONE || precision.n == 0)
        return S("");
    return str_printf(perm, "%s_%.*s", unit == UNIT_MATRIX ? "matrix" : "vector",
                      STRF(precision));
}

void perf_cost_of(struct arena *perm, const struct perf_model *m,
                  const struct op_call *call, enum perf_direction direction,
                  struct perf_cost *out)
{
    struct op_args a = {
        .perm = perm, .call = call, .model = m, .backward = direction == PERF_BACKWARD};
    struct perf_param params[PARAMS_MAX];
    struct cost c = {.params = {perm, params, 0},
                     .flop = (double)NAN,
                     .byte = (double)NAN,
                     .precision = S("")};
    m->cost(&a, &c);
    /* Checked only now: arguments that do not fit fail before a model declines. */
    if (a.backward && !m->backward)
        args_drop(&a);
    args_need(&a, isfinite(c.flop));
    *out = (struct perf_cost){.status = a.status, .byte = (double)NAN};
    if (a.status != PERF_OK)
        return;
    out->flop = c.flop + 0.0; /* no negative zero */
    out->byte = isfinite(c.byte) ? c.byte + 0.0 : (double)NAN;
    out->compute_spec = compute_spec(perm, m->unit, c.precision);
    out->params = arena_new(perm, struct perf_param, c.params.n);
    out->n_params = c.params.n;
    for (int i = 0; i < c.params.n; i++)
        out->params[i] = params[i];
}

struct str perf_category(struct str op_name, struct str first_kernel)
{
    const struct op_names *row = op_names_find(op_name);
    if (row)
        return str_of(row->model >= 0 ? perf_models[row->model].category
                                      : row->category);
    if (str_starts(op_name, S("triton")))
        return S("triton");
    if (str_starts(op_name, S("record_param_comms")))
        return S("record_param_comms");
    if (!str_starts(first_kernel, S("void at::native")))
        return S("other");
    if (str_has(first_kernel, S("elementwise")))
        return S("elementwise");
    if (str_has(first_kernel, S("reduce")))
        return S("reduce");
    if (str_has(first_kernel, S("multi_tensor_apply")))
        return S("multi_tensor_apply");
    return S("other");
}
