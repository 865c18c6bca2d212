#include "analysis/facts/matrix_facts.h"

#include "kernels/kernel_name.h"
#include "ops/op_tables.h"
#include "ops/trace_view.h"

#include <math.h>

/* Kernels without matrix units always take one element. */
int kernel_alignment(struct str kernel)
{
    return str_has(kernel, S("simt")) ? 0 : kernel_number_behind(kernel, S("_align"));
}

/* Kernel time of a row by what the kernels' names say of their precision. Calls without
 * recorded shapes run on many kernels, so every call counts. */
struct precision_ns {
    int64_t narrow, wide, all;
};

static struct precision_ns precision_of(const struct op_tables *t,
                                        const struct op_group *g)
{
    const struct event_store *s = t->view->s;
    struct precision_ns p = {0};
    for (int32_t i = 0; i < g->n; i++) {
        const struct op_call_row *call = &t->judged.calls.rows[g->members[i]];
        for (int32_t k = 0; k < call->n_kernels; k++) {
            enum kernel_precision of =
                kernel_name_of(store_name(s, call->kernels[k])).precision;
            int64_t ns = store_dur_ns(s, call->kernels[k]);
            p.all += ns;
            p.wide += of == PRECISION_FP32 ? ns : 0;
            p.narrow += of >= PRECISION_TF32 ? ns : 0;
        }
    }
    return p;
}

/* By type where it is recorded, else by the names of its kernels. */
static bool is_fp32(const struct fact_maker *m, const struct work_row *r)
{
    struct str type = work_text(r, "dtype");
    if (type.n && !str_eq(type, S("fp32")))
        return false;
    struct precision_ns p = precision_of(m->a->tables, r->group);
    return type.n ? 2 * p.narrow < p.all : 2 * p.wide > p.all;
}

/* What arithmetic in double precision bounds takes in single precision at least, on
 * half the bytes. */
static void add_fp32_ms(struct fact_maker *m, struct work_row *r)
{
    const struct device_spec *d = m->a->tables->device;
    if (!d || !r->group->cost || r->efficiency.bound != BOUND_COMPUTE ||
        !str_ends(r->efficiency.compute_spec, S("_fp64")))
        return;
    double peak =
               fmax(device_peak(d, S("matrix_fp32")), device_peak(d, S("vector_fp32"))),
           calls = (double)r->count;
    if (peak > 0 && d->memory_gb_per_s > 0)
        work_set(m->perm, r,
                 FACT("fp32_ms",
                      fmax(calls * r->group->gflop / peak,
                           calls * r->group->byte / 2 / d->memory_gb_per_s / 1e6)));
}

void matrix_facts_precision(struct fact_maker *m, struct work_row *r)
{
    const struct device_spec *d = m->a->tables->device;
    add_fp32_ms(m, r);
    double calls = (double)r->count, gbyte_per_s = d ? d->memory_gb_per_s : 0,
           half = matrix_peak_half(d), tf32 = matrix_peak_tf32(d, m->generation);
    if (!m->units.half || !is_fp32(m, r))
        return;
    work_set(m->perm, r, FACT("fp32_kernel", 1));
    if (!r->group->cost || !(r->group->gflop > 0) || gbyte_per_s <= 0 || half <= 0)
        return;
    double mem_ms = calls * r->group->byte / gbyte_per_s / 1e6;
    work_set(m->perm, r,
             FACT("half_ms", fmax(calls * r->group->gflop / half, mem_ms / 2)));
    if (tf32 > 0)
        work_set(m->perm, r,
                 FACT("tf32_ms", fmax(calls * r->group->gflop / tf32, mem_ms)));
}

/* Products in FP32 whose kernels are TF32's run on other units than the others. */
static void judge_by_tf32(struct fact_maker *m, struct work_row *r)
{
    const struct device_spec *d = m->a->tables->device;
    if (!d || !str_eq(r->efficiency.compute_spec, S("matrix_fp32")) ||
        device_peak(d, S("matrix_fp32")) > 0)
        return;
    struct precision_ns p = precision_of(m->a->tables, r->group);
    if (p.narrow == 0 || 2 * p.narrow < p.all)
        return;
    r->efficiency = efficiency_at(r->efficiency, r->category,
                                  device_type_peak(d, S("matrix_tf32")));
    r->efficiency.by_tf32 = true;
}

void matrix_facts_row(struct fact_maker *m, struct work_row *r)
{
    struct str kernel = work_text(r, "kernel");
    int align = kernel_alignment(kernel),
        generation = kernel_name_of(kernel).generation;
    if (align > 0)
        work_set(m->perm, r, FACT("kernel_align", align));
    if (generation > 0)
        work_set(m->perm, r, FACT("kernel_generation", generation));
    judge_by_tf32(m, r);
    matrix_facts_precision(m, r);
}

/* Judged by the same peak, so that one says what the other could reach. */
static bool is_like(const struct work_row *r, const struct work_row *x)
{
    return x != r && !isnan(x->efficiency.percent) && !x->efficiency.anomaly &&
           x->efficiency.bound == r->efficiency.bound &&
           str_eq(x->group->compute_spec, r->group->compute_spec);
}

/* Work within a factor of four is one class. */
static bool is_peer(const struct work_row *r, const struct work_row *x)
{
    double ratio = x->group->gflop / r->group->gflop;
    return ratio >= 0.25 && ratio <= 4 && is_like(r, x);
}

static double shortest_side(const struct work_row *r)
{
    return fmin(work_number(r, "M"), fmin(work_number(r, "N"), work_number(r, "K")));
}

/* A matmul that fills the device with tiles: with those, each as deep as it is wide,
 * nothing of its shape keeps it from the peak. */
static bool fills(const struct fact_maker *m, const struct work_row *r)
{
    enum { TILE = 128, UNITS = 128 }; /* units: where their number is unknown */
    int units = m->compute_units > 0 ? m->compute_units : UNITS;
    return r->efficiency.bound == BOUND_COMPUTE && shortest_side(r) >= TILE &&
           fmax(work_number(r, "B"), 1) * work_number(r, "M") * work_number(r, "N") >=
               (double)TILE * TILE * units;
}

/* Less work, with no longer sides, so that r should reach no less. */
static bool is_smaller(const struct work_row *r, const struct work_row *x)
{
    return is_like(r, x) && x->group->gflop <= r->group->gflop &&
           shortest_side(x) <= shortest_side(r);
}

typedef bool peer_test(const struct work_row *r, const struct work_row *x);

/* r or the one that reaches most among its peers; NULL: it has none. */
static const struct work_row *best_of(const struct work_row *rows, int32_t n,
                                      const struct work_row *r, peer_test *is_one)
{
    const struct work_row *best = r;
    bool peers = false;
    for (int32_t k = 0; k < n; k++) {
        bool better = rows[k].efficiency.percent > best->efficiency.percent;
        if ((peers && !better) || !is_one(r, &rows[k]))
            continue;
        peers = true;
        best = better ? &rows[k] : best;
    }
    return peers ? best : NULL;
}

/* Where all of a size are as slow, they say nothing of what the device can do: those
 * of a matmul that fills it do, if they are far from the peak. */
static const struct work_row *best_peer(struct fact_maker *m,
                                        const struct category_result *c, int32_t n,
                                        struct work_row *r)
{
    const double FAR_PCT = 40; /* libraries reach 60 to 80% */
    const struct work_row *best = best_of(c->rows, n, r, is_peer);
    double reached = best ? best->efficiency.percent : r->efficiency.percent;
    if (reached >= FAR_PCT || !fills(m, r))
        return best;
    best = best_of(c->rows, n, r, is_smaller);
    if (best && best->efficiency.percent >= FAR_PCT)
        return best;
    best = best_of(c->rows, n, r, is_like);
    if (!best || best->efficiency.percent < FAR_PCT)
        work_set(m->perm, r, FACT("all_slow", 1));
    return NULL;
}

enum { MOST_RANKED = 500 }; /* rows come longest first */

void matrix_facts_rank(struct fact_maker *m, struct category_result *c)
{
    int32_t n = c->n_rows < MOST_RANKED ? c->n_rows : MOST_RANKED;
    for (int32_t i = 0; i < n; i++) {
        struct work_row *r = &c->rows[i];
        if (isnan(r->efficiency.percent) || r->efficiency.anomaly)
            continue;
        const struct work_row *best = best_peer(m, c, n, r);
        if (!best)
            continue;
        double e = r->efficiency.percent, top = best->efficiency.percent;
        work_set(m->perm, r, FACT("best_pct", top),
                 FACT("best_shape", work_text(best, "shape")),
                 FACT("gap_ms", r->time_ms * (1 - e / top)),
                 FACT("expected_lo_pct", 0.9 * top), FACT("expected_hi_pct", top));
    }
}
