#include "analysis/facts/model_use.h"

#include "analysis/model/finding.h"
#include "analysis/model/name_match.h"
#include "base/arena.h"
#include "base/duration.h"
#include "ops/op_tables.h"
#include "ops/trace_view.h"
#include "perf/call_cost.h"

#include <stdio.h>
#include <stdlib.h>

static const double ENOUGH_PCT = 60;
static const double MATRIX_PCT = 90; /* of the time of matrix work alone */

enum { TYPES = 16 }; /* of matrix work; a device has about ten */

struct used_type {
    struct str spec;
    double peak, flop, again; /* again: recomputed */
};

struct step_use {
    double flop, at_peak_ms, again_ms; /* again: recomputed */
};

struct using
{
    const struct op_tables *t;
    struct step_use *steps; /* by step; NULL: there are none */
    struct used_type types[TYPES];
    int n;
    int64_t kernel_ns, covered_ns;
    const uint8_t *recomputed;      /* by event; NULL: nothing is */
    bool by_gradients;              /* gradients count for forward convolutions, too */
    int64_t matrix_ns, no_model_ns; /* of categories that multiply; without a model */
};

/* Where it began; -1: in no step. */
static int32_t step_of(const struct using *u, const struct op_call_row *call)
{
    const struct trace_view *v = u->t->view;
    return u->steps ? trace_step_at(&v->steps, v->s->start_ns[call->kernels[0]]) : -1;
}

static bool is_steady(const struct using *u, int32_t step)
{
    return step >= 0 && u->t->view->steps.rows[step].steady;
}

/* The dense peak; 0: unknown. */
static double peak_of(const struct device_spec *d, struct str spec)
{
    double sheet = device_sheet_peak(d, spec);
    return sheet > 0 ? sheet : device_type_peak(d, spec);
}

/* NULL: no peak is known for it. */
static struct used_type *type_of(struct using *u, struct str spec)
{
    for (int i = 0; i < u->n; i++)
        if (str_eq(u->types[i].spec, spec))
            return &u->types[i];
    double peak = u->t->device && u->n < TYPES ? peak_of(u->t->device, spec) : 0;
    if (!(peak > 0))
        return NULL;
    u->types[u->n] = (struct used_type){.spec = spec, .peak = peak};
    return &u->types[u->n++];
}

/* Figures above the peak are wrong; above what is usually achieved, but not above the
 * data sheet's peak, they are not. */
static bool is_wrong(const struct using *u, const struct work_efficiency *e,
                     struct str spec)
{
    const double ERROR = 1.1; /* of clocks and events, as of efficiencies */
    double sheet = u->t->device ? device_sheet_peak(u->t->device, spec) : 0;
    return e->anomaly && e->bound == BOUND_COMPUTE &&
           !(e->tflop_per_s <= ERROR * sheet);
}

static void add_to_step(struct step_use *s, double flop, double peak, bool again)
{
    double ms = flop / peak / 1e9;
    s->flop += again ? 0 : flop;
    s->at_peak_ms += again ? 0 : ms;
    s->again_ms += again ? ms : 0;
}

static bool has_flop(const struct op_call_row *call)
{
    const struct perf_cost *c = call->cost;
    return c && c->status == PERF_OK && c->flop >= 0 && isfinite(c->flop);
}

static bool is_weight_gradient(const struct work_row *r)
{
    return name_has(r->name, "convolution_backward_weight");
}

/* Traces of before 2022 have no strides, without which the result of a convolution has
 * no size. Its gradient has that size. */
static bool is_forward_unsized(const struct work_row *r, const struct op_call_row *call)
{
    return r->category == WORK_CONVOLUTION && !has_flop(call) &&
           !name_has(r->name, "backward");
}

/* The gradient of the weights takes as many products as the convolution: it can count
 * for both where each has one. */
static bool gradients_tell_forward(const struct category_result *of)
{
    int64_t forward = 0, gradients = 0;
    for (int32_t i = 0; i < of->n_rows; i++) {
        const struct op_call_row *first = of->rows[i].group->first;
        forward += is_forward_unsized(&of->rows[i], first) ? of->rows[i].count : 0;
        gradients +=
            is_weight_gradient(&of->rows[i]) && has_flop(first) ? of->rows[i].count : 0;
    }
    return forward > 0 && forward == gradients;
}

/* Of the model, however few products an algorithm makes of them: for how many of these
 * one stands. */
static double model_products(const struct using *u, const struct work_row *r,
                             const struct perf_cost *c)
{
    double products = u->by_gradients && is_weight_gradient(r) ? 2 : 1;
    for (int k = 0; k < c->n_params; k++)
        if (str_eq(str_of(c->params[k].key), S("winograd_saving"))) {
            char saving[16];
            snprintf(saving, sizeof saving, "%.*s", (int)c->params[k].n,
                     c->params[k].text);
            products *= strtod(saving, NULL);
        }
    return products;
}

/* False: this call has none. */
static bool add_flop(struct using *u, const struct work_row *r,
                     const struct op_call_row *call, int32_t step)
{
    const struct perf_cost *c = call->cost;
    if (!has_flop(call))
        return u->by_gradients && is_forward_unsized(r, call);
    struct str spec = r->efficiency.by_tf32 ? S("matrix_tf32") : c->compute_spec;
    if (is_wrong(u, &r->efficiency, spec))
        return false;
    if (!(c->flop > 0) || !str_starts(c->compute_spec, S("matrix_")))
        return true;
    double flop = c->flop * model_products(u, r, c);
    struct used_type *type = type_of(u, spec);
    bool again = call->recompute ||
                 (u->recomputed && call->event >= 0 && u->recomputed[call->event]);
    if (type && step >= 0)
        add_to_step(&u->steps[step], flop, type->peak, again);
    if (type && (!u->steps || is_steady(u, step)))
        *(again ? &type->again : &type->flop) += flop;
    return type != NULL;
}

static bool multiplies(enum work_category c)
{
    return c == WORK_GEMM || c == WORK_SDPA_FWD || c == WORK_SDPA_BWD ||
           c == WORK_MOE_FUSED || c == WORK_CONVOLUTION;
}

static void add_call(struct using *u, const struct work_row *r,
                     const struct op_call_row *call)
{
    int64_t ns = call->direct_ns;
    int32_t step = step_of(u, call);
    if (u->steps && step < 0)
        return;
    bool has_model = add_flop(u, r, call, step), matrix = multiplies(r->category);
    if (u->steps && !is_steady(u, step))
        return;
    u->kernel_ns += ns;
    u->covered_ns += has_model ? ns : 0;
    u->matrix_ns += matrix ? ns : 0;
    u->no_model_ns += matrix && !has_model ? ns : 0;
}

static void add_rows(struct using *u, const struct category_result *of)
{
    for (int32_t i = 0; i < of->n_rows; i++) {
        const struct op_group *g = of->rows[i].group;
        for (int32_t k = 0; k < g->n; k++) {
            const struct op_call_row *call = &u->t->judged.calls.rows[g->members[k]];
            if (call->n_kernels)
                add_call(u, &of->rows[i], call);
        }
    }
}

static double steady_ms(const struct trace_steps *t)
{
    int64_t ns = 0;
    for (int32_t i = 0; i < t->n; i++)
        ns += t->rows[i].steady ? t->rows[i].dur_ns : 0;
    return ms_of(ns);
}

static struct model_use used(const struct using *u, double time_ms, int64_t n_steps,
                             int n_devices)
{
    const double none = (double)NAN;
    struct model_use m = {none,
                          none,
                          none,
                          none,
                          .peak_tflop_per_s = none,
                          .tflop = none,
                          .tflop_per_s = none};
    double at_peak_ms = 0, again_ms = 0, most_ms = 0, flop = 0;
    for (int i = 0; i < u->n; i++) {
        const struct used_type *t = &u->types[i];
        double ms = t->flop / t->peak / 1e9;
        flop += t->flop;
        at_peak_ms += ms;
        again_ms += t->again / t->peak / 1e9;
        if (ms <= most_ms)
            continue;
        most_ms = ms;
        m.type = str_skip(t->spec, S("matrix_").n);
        m.peak_tflop_per_s = t->peak;
    }
    if (!(at_peak_ms + again_ms > 0 && time_ms > 0))
        return m;
    double of_ms = time_ms * n_devices;
    m.used_pct = 100 * (at_peak_ms + again_ms) / of_ms;
    m.mfu_pct = 100 * at_peak_ms / of_ms;
    if (again_ms > 0)
        m.hfu_pct = m.used_pct;
    m.covered_pct = 100 * (double)u->covered_ns / (double)u->kernel_ns;
    m.lower_bound =
        m.covered_pct < ENOUGH_PCT ||
        100 * (double)u->no_model_ns > (100 - MATRIX_PCT) * (double)u->matrix_ns;
    m.type_pct = 100 * most_ms / at_peak_ms;
    m.tflop_per_s = flop / time_ms / 1e9;
    m.n_steps = n_steps;
    m.n_devices = n_devices;
    m.time_ms = time_ms / (double)(n_steps ? n_steps : 1);
    m.tflop = flop / 1e12 / (double)(n_steps ? n_steps : 1);
    return m;
}

static struct model_use_step of_step(const struct using *u, int32_t k, int n_devices,
                                     bool marks_recompute)
{
    const double none = (double)NAN;
    const struct trace_step *t = &u->t->view->steps.rows[k];
    const struct step_use *s = &u->steps[k];
    double ms = ms_of(t->dur_ns), pct = 100 / ms / n_devices;
    return (struct model_use_step){
        .number = t->number >= 0 ? t->number : k + 1,
        .steady = t->steady,
        .time_ms = ms,
        .tflop = s->flop / 1e12,
        .tflop_per_s = s->flop / ms / 1e9,
        .mfu_pct = pct * s->at_peak_ms,
        .hfu_pct = marks_recompute ? pct * (s->at_peak_ms + s->again_ms) : none};
}

static void put_steps(struct arena *perm, const struct using *u, struct model_use *m)
{
    const struct trace_steps *t = &u->t->view->steps;
    if (isnan(m->used_pct) || !u->steps || t->n < 2)
        return;
    m->steps = arena_new(perm, struct model_use_step, t->n);
    for (int32_t k = 0; k < t->n; k++)
        if (t->rows[k].dur_ns > 0)
            m->steps[m->n++] = of_step(u, k, m->n_devices, !isnan(m->hfu_pct));
}

struct model_use model_use_of(struct arena *perm, const struct analysis *a)
{
    const struct trace_view *v = a->tables->view;
    struct using u = {.t = a->tables,
                      .recomputed = a->recomputed,
                      .by_gradients =
                          gradients_tell_forward(&a->categories[WORK_CONVOLUTION])};
    int n_devices = v->devices && v->devices->n > 1 ? v->devices->n : 1;
    if (v->steps.n_steady)
        u.steps = arena_new(perm, struct step_use, v->steps.n);
    for (int k = 0; k < a->n_by_time; k++)
        add_rows(&u, &a->categories[a->by_time[k]]);
    struct model_use m =
        used(&u, v->steps.n_steady ? steady_ms(&v->steps) : a->total_ms,
             v->steps.n_steady, n_devices);
    put_steps(perm, &u, &m);
    return m;
}
