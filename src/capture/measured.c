#include "capture/measured.h"

#include "analysis/facts/model_use.h"
#include "analysis/model/counters.h"
#include "analysis/model/number_text.h"
#include "analysis/stack/compiled.h"
#include "analysis/stack/layers.h"
#include "analysis/stack/memory_peak.h"
#include "analysis/system/comm_sizes.h"
#include "base/arena.h"
#include "capture/capture.h"
#include "ops/op_tables.h"

#include <math.h>

static const struct meaning {
    struct str name, title;
    int decimals;
} meanings[MEASURED_ALL] = {
    [MEASURED_MFU] = {S_INIT("mfu_pct"), S_INIT("Model FLOP utilisation, %"), 2},
    [MEASURED_HFU] = {S_INIT("hfu_pct"), S_INIT("The same with recomputation, %"), 2},
    [MEASURED_COVERED] = {S_INIT("mfu_covered_pct"),
                          S_INIT("Kernel time that models cover, %"), 1},
    [MEASURED_FILL] = {S_INIT("few_blocks_pct"),
                       S_INIT("Kernel time with too few blocks for the device, %"), 1},
    [MEASURED_MEMORY] = {S_INIT("memory_peak_bytes"),
                         S_INIT("Allocated at the peak, GiB"), 3},
    [MEASURED_BUS] = {S_INIT("best_bus_gb_per_s"),
                      S_INIT("Best collective on the bus, GB/s"), 2},
    [MEASURED_SM] = {S_INIT("sm_active_pct"), S_INIT("SM activity beside kernels, %"),
                     1},
    [MEASURED_POWER] = {S_INIT("power_w"), S_INIT("Power, W"), 1},
    [MEASURED_STEP] = {S_INIT("step_j"), S_INIT("Energy of a step, J"), 2},
    [MEASURED_LAYER] = {S_INIT("layer_ms"), S_INIT("A call of a layer, mean, ms"), 4},
    [MEASURED_BREAKS] = {S_INIT("compiled_breaks"),
                         S_INIT("Breaks between compiled calls, a step"), 1},
    [MEASURED_BREAK] = {S_INIT("compiled_break_ms"),
                        S_INIT("Host time in these breaks, ms a step"), 3},
    [MEASURED_AGAIN] = {S_INIT("recompiled_frames"),
                        S_INIT("Frames compiled more than once"), 0}};

struct str measure_name(enum measure m)
{
    return meanings[m].name;
}

struct str measure_title(enum measure m)
{
    return meanings[m].title;
}

struct str measure_text(struct arena *a, enum measure m, double value)
{
    if (isnan(value))
        return S("not known");
    double of = m == MEASURED_MEMORY ? value / (double)(1 << 30) : value;
    return number_fixed(a, of, meanings[m].decimals);
}

static void put(struct capture *c, enum measure m, double value)
{
    if (isfinite(value))
        c->measured[c->n_measured++] =
            (struct capture_measure){meanings[m].name, value};
}

static void keep_layers(struct arena *perm, const struct layers *l, struct capture *c)
{
    c->n_layers = !l ? 0 : l->n < CAPTURE_LAYERS_MAX ? l->n : CAPTURE_LAYERS_MAX;
    c->layers = arena_new(perm, struct capture_layer, c->n_layers);
    for (int32_t k = 0; k < c->n_layers; k++) {
        const struct layer *r = &l->rows[k];
        c->layers[k] = (struct capture_layer){.class = r->class,
                                              .name = r->name,
                                              .calls = r->calls,
                                              .forward_ns = r->forward_ns,
                                              .backward_ns = r->backward_ns,
                                              .idle_ns = r->idle_ns};
    }
}

static void keep_compiled(struct arena *perm, const struct compiled *of,
                          struct capture *c)
{
    int32_t most[COMPILED_KINDS] = {0};
    c->n_compiled = 0;
    c->compiled = arena_new(perm, struct capture_code, of ? of->n : 0);
    for (int32_t k = 0; of && k < of->n; k++) {
        const struct compiled_row *r = &of->rows[k];
        if (most[r->kind]++ < CAPTURE_CODE_MAX)
            c->compiled[c->n_compiled++] =
                (struct capture_code){.kind = compiled_kind_word(r->kind),
                                      .name = r->name,
                                      .frame = r->frame,
                                      .version = r->version,
                                      .calls = r->calls,
                                      .kernels = r->kernels,
                                      .host_ns = r->host_ns,
                                      .device_ns = r->device_ns,
                                      .breaks = r->breaks,
                                      .break_ns = r->break_ns};
    }
}

static void put_compiled(struct capture *c, const struct compiled *of)
{
    double steps = of && of->n_steps ? of->n_steps : 1;
    if (!of || !of->n)
        return;
    put(c, MEASURED_BREAKS, (double)of->breaks / steps);
    put(c, MEASURED_BREAK, (double)of->break_ns / 1e6 / steps);
    put(c, MEASURED_AGAIN, of->recompiled);
}

void capture_measure(struct arena *perm, const struct analysis *a, struct capture *c)
{
    const double none = (double)NAN;
    enum device_fit fit =
        c->device ? device_fit(c->device, &c->origin.device) : FIT_UNKNOWN;
    bool other = fit == FIT_NAME || fit == FIT_FORM || fit == FIT_MEMORY;
    c->n_measured = 0;
    c->measured = arena_new(perm, struct capture_measure, MEASURED_ALL);
    if (!other) {
        put(c, MEASURED_MFU, a->use->mfu_pct);
        put(c, MEASURED_HFU, a->use->hfu_pct);
        put(c, MEASURED_COVERED, isnan(a->use->used_pct) ? none : a->use->covered_pct);
    }
    put(c, MEASURED_FILL,
        a->tables->fill.work.known_ns ? a->tables->fill.work.few_pct : none);
    put(c, MEASURED_MEMORY,
        a->memory && a->memory->peak_bytes > 0 ? (double)a->memory->peak_bytes : none);
    put(c, MEASURED_BUS, a->comm ? a->comm->best_bus_gb_s : none);
    put(c, MEASURED_SM, a->counters ? a->counters->sm_pct : none);
    put(c, MEASURED_POWER, a->counters ? a->counters->power_w : none);
    put(c, MEASURED_STEP, a->counters ? a->counters->step_j : none);
    put(c, MEASURED_LAYER, a->layers ? layers_call_ms(a->layers) : none);
    put_compiled(c, a->compiled);
    keep_layers(perm, a->layers, c);
    keep_compiled(perm, a->compiled, c);
}

double capture_measured(const struct capture *c, enum measure m)
{
    for (int32_t i = 0; i < c->n_measured; i++)
        if (str_eq(c->measured[i].name, meanings[m].name))
            return c->measured[i].value;
    return (double)NAN;
}
