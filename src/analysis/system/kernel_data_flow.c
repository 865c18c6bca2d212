#include "analysis/system/kernel_data_flow.h"

#include "analysis/facts/row_args.h"
#include "ops/trace_view.h"
#include "perf/perf_model.h"

#include <math.h>
#include <string.h>

enum { KNOWN_BITS = 9 };

struct known_flow {
    const struct perf_cost *cost;
    double read_frac, channels;
};

struct flow_index flow_index_build(struct arena *a, const struct op_tables *t)
{
    const struct launch_link *l = &t->view->launch;
    struct flow_index x = {&t->models, l,
                           arena_take_raw(a, sizeof *x.row_of, 4, l->n_all),
                           arena_new(a, struct known_flow, 1 << KNOWN_BITS)};
    memset(x.row_of, 0xff, (size_t)l->n_all * sizeof *x.row_of);
    for (int32_t r = 0; r < t->models.n; r++)
        for (int32_t k = 0; k < t->models.rows[r].n_kernels; k++)
            x.row_of[launch_place(l, t->models.rows[r].kernels[k])] = r;
    return x;
}

/* The fraction of a call's bytes that it reads; the parameters identify the kind of
 * model. */
static double read_frac(const struct perf_cost *c)
{
    double m = cost_number(c, "M"), n = cost_number(c, "N"), k = cost_number(c, "K");
    double in = m * k + k * n, all = in + m * n;
    if (all > 0)
        return in / all;
    if (cost_text(c, "num_input_elems").n) /* a reduction */
        return 1;
    return cost_text(c, "shape_in2").n ? 2.0 / 3.0 : 0.5;
}

/* What the parameters of a cost say; many calls share one. */
static const struct known_flow *known_flow_of(const struct flow_index *x,
                                              const struct perf_cost *cost)
{
    uint64_t mixed = (uint64_t)(uintptr_t)cost * 0x9e3779b97f4a7c15u;
    struct known_flow *known = &x->known[mixed >> (64 - KNOWN_BITS)];
    if (known->cost != cost)
        *known = (struct known_flow){cost, read_frac(cost),
                                     cost_number(cost, "num_channels")};
    return known;
}

struct kernel_flow kernel_flow_of(const struct flow_index *x,
                                  const struct event_store *s, event_id gpu)
{
    struct kernel_flow none = {(double)NAN, (double)NAN, (double)NAN, false, 0, 0, 0};
    int32_t call = flow_call_of(x, gpu);
    const struct op_call_row *r = call < 0 ? NULL : &x->calls->rows[call];
    if (!r || !r->cost || r->cost->status != PERF_OK || isnan(r->cost->byte))
        return none;
    double all_ns = 0;
    for (int32_t k = 0; k < r->n_kernels; k++)
        all_ns += (double)store_dur_ns(s, r->kernels[k]);
    double part =
        all_ns > 0 ? (double)store_dur_ns(s, gpu) / all_ns : 1.0 / r->n_kernels;
    const struct known_flow *known = known_flow_of(x, r->cost);
    double in = known->read_frac * r->cost->byte, out = r->cost->byte - in;
    return (struct kernel_flow){.in_byte = part * in,
                                .out_byte = part * out,
                                .flop = part * r->cost->flop,
                                .modelled = true,
                                .call_in_byte = in,
                                .call_out_byte = out,
                                .channels = known->channels};
}
