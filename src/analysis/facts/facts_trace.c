/* Facts of the trace as a whole, which gate advice. */
#include "analysis/facts/row_facts.h"

#include "analysis/facts/logits_read.h"
#include "analysis/facts/matrix_units.h"
#include "analysis/model/name_match.h"
#include "analysis/model/number_text.h"
#include "ops/op_tables.h"
#include "ops/phase_marks.h"
#include "ops/trace_view.h"

#include <math.h>

/* Rows of products and convolutions that run on kernels of this device's generation. */
static double native_kernels(const struct analysis *a)
{
    static const enum work_category of[] = {WORK_GEMM, WORK_CONVOLUTION};
    double generation = device_generation(&a->tables->facts);
    int n = 0;
    for (int k = 0; k < 2; k++)
        for (int32_t i = 0; i < a->categories[of[k]].n_rows; i++)
            n += work_number(&a->categories[of[k]].rows[i], "kernel_generation") >=
                 generation - fmod(generation, 10);
    return n;
}

/* Rows that draw samples of a distribution, as the choice of the next token does. */
static int draws(const struct analysis *a)
{
    int n = 0;
    for (int c = 0; c < WORK_CATEGORIES; c++)
        for (int32_t i = 0; i < a->categories[c].n_rows; i++)
            n += name_is(a->categories[c].rows[i].name,
                         "aten::exponential_|aten::multinomial");
    return n;
}

/* Of the time of matmuls, that on bf16 or fp16, %. */
static double narrow_matmuls_pct(const struct analysis *a)
{
    const struct category_result *c = &a->categories[WORK_GEMM];
    double narrow_ms = 0;
    for (int32_t i = 0; i < c->n_rows; i++)
        if (str_among(work_text(&c->rows[i], "dtype"), "bf16 fp16"))
            narrow_ms += c->rows[i].time_ms;
    return c->time_ms > 0 ? 100 * narrow_ms / c->time_ms : 0;
}

static double share_pct(int64_t ns, int64_t of_ns)
{
    return of_ns > 0 ? 100 * (double)ns / (double)of_ns : 0;
}

/* How many times as fast as FP32 on vector units; NaN: unknown, or there are none. */
static double rate_of(const struct device_spec *d, double matrix_peak)
{
    double vector = d ? device_peak(d, S("vector_fp32")) : 0;
    return vector > 0 && matrix_peak > 0 ? matrix_peak / vector : (double)NAN;
}

/* Tokens of a step, at the most, where a serving engine says that all steps decode; 0:
 * it does not. */
static double decode_tokens(struct arena tmp, const struct analysis *a)
{
    struct phase_marks host, device;
    double most = 0;
    phase_marks_find(&tmp, a->tables->view, &host, &device);
    const struct phase_marks *m = host.n ? &host : &device;
    for (int32_t k = 0; k < m->n; k++) {
        const struct step_load *load = &m->rows[k].load;
        if (m->rows[k].source != PHASES_BY_ENGINE || load->phase != PHASE_DECODE)
            return 0;
        most = fmax(most, fmax(load->requests[1], load->tokens[1])); /* NaN loses */
    }
    return most;
}

/* A product with weights has two FLOP for each of them and token, so that bandwidth
 * limits it below the device's FLOP a byte: an eighth, for weights of 4 bits and for
 * tokens that are drafted. */
static bool are_few(double tokens, const struct device_spec *d)
{
    double half = d ? matrix_peak_half(d) : 0, gb = d ? d->memory_gb_per_s : 0;
    return tokens > 0 && gb > 0 && 8 * tokens <= 1e3 * half / gb;
}

/* Boards with a link to their peers have its rate in the platform file, and systems on
 * a chip no link to a host. */
static bool is_over_pcie(const struct device_spec *d)
{
    return d && str_starts(d->arch, S("sm_")) && d->host_link_gb_per_s > 0 &&
           !(d->peer_link_gb_per_s > 0);
}

void facts_of_trace(struct arena *perm, struct analysis *a)
{
    const struct work_traits *w = &a->tables->traits;
    const struct trace_facts *f = &a->tables->facts;
    double steps = (double)f->step_ms.n;
    struct matrix_units units = matrix_units_of(a);
    const struct device_spec *d = a->tables->device;
    double tf32 = matrix_peak_tf32(d, device_generation(f));
    double tokens = decode_tokens(*perm, a);
    work_set(perm, a, FACT("replayed_pct", share_pct(w->replayed_ns, w->kernel_ns)),
             FACT("compiled_pct", share_pct(w->compiled_ns, w->kernel_ns)),
             FACT("fused_attention_pct", share_pct(w->attention_ns, w->kernel_ns)),
             FACT("fused_experts_pct", share_pct(w->experts_ns, w->kernel_ns)),
             FACT("training", w->training), FACT("pinned_copies", (double)w->n_pinned),
             FACT("pageable_copies", (double)w->n_pageable),
             FACT("other_device", f->kind.vendor.n > 0),
             FACT("shapes_recorded", f->has_shapes),
             FACT("strides_recorded", w->has_strides),
             FACT("repeated_pct", share_pct(w->repeated_ns, w->kernel_ns)),
             FACT("narrow_matmuls_pct", narrow_matmuls_pct(a)),
             FACT("kernels", (double)w->n_kernels),
             FACT("mean_kernel_us",
                  (double)w->kernel_ns / 1e3 / (double)(w->n_kernels + !w->n_kernels)),
             FACT("launches_per_step", (double)w->n_launches / fmax(1, steps)),
             FACT("steps", steps), FACT("generation", device_generation(f)),
             FACT("matrix_units", units.half), FACT("tf32_units", units.tf32),
             FACT("bf16_units", units.bf16), FACT("fp32_units", units.fp32),
             FACT("tf32_rate", rate_of(d, tf32)),
             FACT("half_rate", rate_of(d, matrix_peak_half(d))),
             FACT("native_kernels", native_kernels(a)), FACT("draws", draws(a)),
             FACT("logprob_vocabulary", logprob_vocabulary(a)),
             FACT("decode_tokens", tokens), FACT("few_tokens", are_few(tokens, d)),
             FACT("over_pcie", is_over_pcie(d)));
}
