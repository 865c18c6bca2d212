#include "compare/expected.h"

#include <math.h>

static const double BAND = 1.25, KERNEL_ISSUE = 5, TUNING = 2, LAUNCH_SIZED_NS = 10000;

/* That of BF16 also stands for what a device computes at all: FP16 where it has none.
 */
static double peak_of(const struct device_spec *d, struct str spec)
{
    double peak = device_type_peak(d, spec);
    return peak > 0 || !str_eq(spec, S("matrix_bf16")) ? peak : device_half_peak(d);
}

double expected_memory_ratio(const struct device_spec *const d[2])
{
    bool known = d[0] && d[1] && d[0]->memory_gb_per_s > 0 && d[1]->memory_gb_per_s > 0;
    return known ? d[0]->memory_gb_per_s / d[1]->memory_gb_per_s : (double)NAN;
}

double expected_compute_ratio(const struct device_spec *const d[2],
                              struct str compute_spec)
{
    if (!d[0] || !d[1])
        return (double)NAN;
    double a = peak_of(d[0], compute_spec), b = peak_of(d[1], compute_spec);
    return a > 0 && b > 0 ? a / b : (double)NAN;
}

bool expected_same_device(const struct device_spec *const d[2])
{
    return d[0] && d[1] && str_eq(d[0]->name, d[1]->name);
}

double expected_least_us(const struct device_spec *d, const struct capture_row *r,
                         enum roofline_bound *bound)
{
    struct roofline roof = roofline_of(d, r->flop, r->byte, r->compute_spec);
    if (roof.bound == BOUND_NONE && r->flop > 0 && r->byte > 0)
        roof = roofline_of_type(d, r->flop, r->byte, r->compute_spec);
    bool little = r->flop < 10 * r->byte && !str_starts(r->compute_spec, S("matrix_"));
    if (roof.bound == BOUND_NONE && r->flop > 0 && little) /* whatever the peak */
        roof = roofline_of_bytes(d, r->byte);
    *bound = roof.bound;
    return roof.bound == BOUND_NONE ? (double)NAN : roof.time_us;
}

static bool moves_memory(enum work_category c, struct str name)
{
    if (c == WORK_ELEMENTWISE || c == WORK_REDUCE || c == WORK_NORM ||
        c == WORK_BATCHNORM)
        return true;
    static const struct str words[] = {S_INIT("copy"), S_INIT("cat"), S_INIT("index"),
                                       S_INIT("softmax")};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (str_has(name, words[i]))
            return true;
    return false;
}

/* The expected ratio of work without a model. */
static void expect_by_kind(struct expected_ratio *x, const struct match *m,
                           const struct capture_row *r,
                           const struct device_spec *const devices[2])
{
    double memory = expected_memory_ratio(devices);
    double compute = expected_compute_ratio(devices, S("matrix_bf16"));
    x->low = x->high = memory;
    bool multiplies = m->category == WORK_GEMM || m->category == WORK_SDPA_FWD ||
                      m->category == WORK_SDPA_BWD || m->category == WORK_MOE_FUSED ||
                      m->category == WORK_CONVOLUTION;
    if (match_is_recast(m) ? !multiplies : moves_memory(m->category, r->name))
        return;
    x->low = memory < compute ? memory : compute;
    x->high = memory > compute ? memory : compute;
}

static void expect(struct expected_ratio *x, const struct match *m,
                   const struct capture_row *const rows[2],
                   const struct device_spec *const devices[2])
{
    const struct capture_row *r = rows[0]->flop > 0 ? rows[0] : rows[1];
    double least[2];
    for (int side = 0; side < 2; side++)
        least[side] = expected_least_us(devices[side], r, &x->bound[side]);
    if (x->same_device)
        x->low = x->high = 1;
    else if (least[0] > 0 && least[1] > 0)
        x->low = x->high = least[1] / least[0];
    else
        expect_by_kind(x, m, r, devices);
}

static struct str why_not_rated(const struct match *m,
                                const struct capture_row *const rows[2],
                                const struct device_spec *const devices[2],
                                const double mean_ns[2])
{
    if (!rows[0] || !rows[1])
        return S("on one side only");
    if (rows[0]->part != DEVICE_COMPUTE || rows[1]->part != DEVICE_COMPUTE)
        return S("not derivable from these figures");
    if (m->level == MATCH_DIMS)
        return rows[0]->types.n && rows[1]->types.n
                   ? S("other types")
                   : S("types of one side are not recorded");
    if (mean_ns[0] < LAUNCH_SIZED_NS || mean_ns[1] < LAUNCH_SIZED_NS)
        return S("launch-latency dominated");
    if (!devices[0] || !devices[1])
        return S("a device is unknown");
    return S("");
}

/* What the difference says, where the hardware can say anything. */
static struct str explain(const struct expected_ratio *x)
{
    bool memory = x->bound[0] == BOUND_MEMORY && x->bound[1] == BOUND_MEMORY;
    bool compute = x->bound[0] == BOUND_COMPUTE && x->bound[1] == BOUND_COMPUTE;
    if (x->class == EXPLAINED_SLOWER)
        return S("kernel or software issue on the target");
    if (x->class == EXPLAINED_FASTER)
        return S("the reference may have an inefficiency");
    if (x->ratio < 1 && x->high < 1 && memory)
        return S("the target has more memory bandwidth");
    if (x->ratio > 1 && x->low > 1 && compute)
        return S("the reference has more peak compute");
    if (x->ratio > 1 && x->low > 1 && memory)
        return S("the reference has more memory bandwidth");
    if (x->ratio < 1 && x->high < 1 && compute)
        return S("the target has more peak compute");
    return S("close to expectation");
}

static void classify(struct expected_ratio *x)
{
    x->dev = x->ratio > x->high  ? x->ratio / x->high
             : x->ratio < x->low ? x->ratio / x->low
                                 : 1;
    x->class = x->dev > BAND       ? EXPLAINED_SLOWER
               : x->dev < 1 / BAND ? EXPLAINED_FASTER
                                   : EXPLAINED_BY_HARDWARE;
    if (x->class == EXPLAINED_SLOWER)
        x->severity = x->dev >= KERNEL_ISSUE ? S("kernel issue very likely")
                      : x->ratio >= TUNING
                          ? S("kernel selection or tuning problem likely")
                          : S("unexpected gap");
    x->explanation = explain(x);
}

/* What the calls would take at the expected ratio, but not below the roofline. */
static void set_goal(struct expected_ratio *x, const struct match *m,
                     const double mean_ns[2], const struct capture_row *r,
                     const struct device_spec *device)
{
    enum roofline_bound bound;
    double goal_ns = x->high * mean_ns[0];
    double least_ns = 1e3 * expected_least_us(device, r, &bound);
    x->roofline_capped = least_ns > goal_ns;
    if (x->roofline_capped)
        goal_ns = least_ns;
    x->goal_ns = goal_ns * (double)m->n[1];
    x->saving_ns = (double)m->ns[1] - x->goal_ns;
}

void expected_withdraw(struct expected_ratio *x, struct str reason)
{
    x->class = EXPLAINED_NOT_RATED;
    x->reason = reason;
    x->explanation = x->severity = S("");
    x->dev = x->goal_ns = x->saving_ns = (double)NAN;
}

struct expected_ratio expected_of(const struct match *m,
                                  const struct capture_row *const rows[2],
                                  const struct device_spec *const devices[2])
{
    double nan = (double)NAN;
    struct expected_ratio x = {.ratio = nan,
                               .low = nan,
                               .high = nan,
                               .dev = nan,
                               .goal_ns = nan,
                               .saving_ns = nan,
                               .same_device = expected_same_device(devices)};
    double mean_ns[2] = {0, 0};
    for (int side = 0; side < 2; side++)
        if (m->n[side] > 0)
            mean_ns[side] = (double)m->ns[side] / (double)m->n[side];
    /* Kernels of other numbers on each side: the totals are rated. */
    if (match_is_recast(m))
        for (int side = 0; side < 2; side++)
            mean_ns[side] = (double)m->ns[side];
    if (mean_ns[0] > 0 && mean_ns[1] > 0)
        x.ratio = mean_ns[1] / mean_ns[0];
    x.reason = why_not_rated(m, rows, devices, mean_ns);
    if (x.reason.n || isnan(x.ratio))
        return x;
    expect(&x, m, rows, devices);
    if (isnan(x.low) || isnan(x.high)) {
        x.reason = S("the peaks of a device are unknown");
        return x;
    }
    classify(&x);
    if (x.class == EXPLAINED_SLOWER && mean_ns[0] != (double)m->ns[0])
        set_goal(&x, m, mean_ns, rows[1]->flop > 0 ? rows[1] : rows[0], devices[1]);
    else if (x.class == EXPLAINED_SLOWER) {
        x.goal_ns = x.high * (double)m->ns[0];
        x.saving_ns = (double)m->ns[1] - x.goal_ns;
    }
    return x;
}
