#include "analysis/facts/efficiency.h"

#include "analysis/model/name_match.h"
#include "ops/op_groups.h"

#include <math.h>

static bool memory_only(enum work_category c)
{
    return c == WORK_ELEMENTWISE || c == WORK_REDUCE || c == WORK_BATCHNORM ||
           c == WORK_NORM;
}

/* 100 to 110 % is within measurement error of clocks and events; above, a figure is
 * wrong. */
static void mark(struct work_efficiency *e)
{
    e->warning = e->percent > 100;
    e->anomaly = e->percent > 110;
}

static enum roofline_bound bound_by_intensity(double flop_per_byte)
{
    if (flop_per_byte > 100)
        return BOUND_COMPUTE;
    return flop_per_byte < 50 ? BOUND_MEMORY : BOUND_NONE;
}

/* No arithmetic, or a little of a type for which no peak is given: ten operations a
 * byte are within reach of every device. Products without a peak of their type may run
 * at a fraction of the others. */
static bool only_bytes_bind(const struct work_efficiency *e)
{
    bool little = e->flop_per_byte < 10 && !str_starts(e->compute_spec, S("matrix_"));
    return e->flop_per_byte == 0 || ((e->compute_spec.n == 0 || e->no_peak) && little);
}

static struct work_efficiency from_rates(struct work_efficiency e, enum work_category c)
{
    double ridge =
        e.peak_tb_per_s > 0 ? e.peak_tflop_per_s / e.peak_tb_per_s : (double)NAN;
    bool has_tb = isfinite(e.tb_per_s), has_tflop = isfinite(e.tflop_per_s);
    if (!isnan(e.flop_per_byte) && (has_tb || has_tflop) && ridge > 0) {
        bool compute = e.flop_per_byte >= ridge;
        e.bound = compute ? BOUND_COMPUTE : BOUND_MEMORY;
        e.source = BOUND_BY_ROOFLINE;
        e.percent = compute ? 100 * e.tflop_per_s / e.peak_tflop_per_s
                            : 100 * e.tb_per_s / e.peak_tb_per_s;
        if (isnan(e.percent)) {
            e.bound = BOUND_NONE;
            e.source = BOUND_BY_NOTHING;
        }
    } else if (only_bytes_bind(&e) && has_tb && e.peak_tb_per_s > 0) {
        e.bound = BOUND_MEMORY;
        e.source = BOUND_BY_ROOFLINE;
        e.percent = 100 * e.tb_per_s / e.peak_tb_per_s;
    } else if (!isnan(e.flop_per_byte) && !(ridge > 0)) {
        e.bound = bound_by_intensity(e.flop_per_byte);
        e.source = BOUND_BY_INTENSITY;
    } else if (memory_only(c) && has_tb && e.peak_tb_per_s > 0) {
        e.bound = BOUND_MEMORY;
        e.source = BOUND_BY_CATEGORY;
        e.percent = 100 * e.tb_per_s / e.peak_tb_per_s;
    }
    return e;
}

struct work_efficiency efficiency_of(const struct op_group *g, enum work_category c,
                                     const struct device_spec *device)
{
    struct work_efficiency e = {.percent = (double)NAN,
                                .tflop_per_s = g->tflop_per_s,
                                .tb_per_s = g->tb_per_s,
                                .flop_per_byte = g->flop_per_byte,
                                .compute_spec = g->compute_spec};
    if (device) {
        e.peak_tb_per_s = device->memory_gb_per_s / 1000;
        e.peak_tflop_per_s = device_type_peak(device, g->compute_spec);
        e.no_peak = g->compute_spec.n > 0 && !(e.peak_tflop_per_s > 0);
    }
    if (g->bound != BOUND_NONE && isfinite(g->roofline_pct)) {
        e.bound = g->bound;
        e.source = BOUND_BY_ROOFLINE;
        e.percent = g->roofline_pct;
    } else {
        e = from_rates(e, c);
    }
    mark(&e);
    return e;
}

struct work_efficiency efficiency_at(struct work_efficiency e, enum work_category c,
                                     double peak_tflop_per_s)
{
    e.peak_tflop_per_s = peak_tflop_per_s;
    e.no_peak = !(peak_tflop_per_s > 0);
    e.percent = (double)NAN;
    e.bound = BOUND_NONE;
    e.source = BOUND_BY_NOTHING;
    e = from_rates(e, c);
    mark(&e);
    return e;
}

struct work_efficiency efficiency_of_bytes(double bytes, double flop, double mean_us,
                                           const struct device_spec *device)
{
    struct work_efficiency e = {.percent = (double)NAN,
                                .tflop_per_s = flop / 1e6 / mean_us,
                                .tb_per_s = bytes / 1e6 / mean_us,
                                .flop_per_byte = flop / bytes,
                                .bound = BOUND_MEMORY,
                                .source = BOUND_BY_CATEGORY};
    if (device && device->memory_gb_per_s > 0) {
        e.peak_tb_per_s = device->memory_gb_per_s / 1000;
        e.percent = 100 * e.tb_per_s / e.peak_tb_per_s;
    }
    mark(&e);
    return e;
}

struct expectation expectation_of(enum work_category c)
{
    switch (c) {
    case WORK_ELEMENTWISE:
        return (struct expectation){40, 70, 80};
    case WORK_REDUCE:
    case WORK_BATCHNORM:
    case WORK_NORM:
        return (struct expectation){40, 50, 70};
    default:
        return (struct expectation){40, 60, 80};
    }
}

struct expectation expectation_of_attention(double seq, bool decode, bool backward)
{
    static const struct {
        double below, lo, hi;
    } bands[] = {{512, 5, 15}, {1024, 8, 20}, {2048, 20, 40}, {4096, 40, 60}};
    struct expectation x = {50, 50, 70};
    for (int i = (int)(sizeof bands / sizeof *bands) - 1; i >= 0 && !isnan(seq); i--)
        if (seq < bands[i].below)
            x = (struct expectation){bands[i].lo, bands[i].lo, bands[i].hi};
    if (decode || isnan(seq))
        x = (struct expectation){40, 40, 70};
    if (backward)
        x.enough = x.lo = 0.7 * x.lo;
    return x;
}

struct expectation expectation_of_convolution(struct str conv_class)
{
    double lo = 50;
    if (str_eq(conv_class, S("large")))
        lo = 60;
    else if (str_eq(conv_class, S("pointwise")))
        lo = 40;
    else if (str_eq(conv_class, S("depthwise")))
        lo = 30;
    return (struct expectation){40, lo, lo + 20};
}
