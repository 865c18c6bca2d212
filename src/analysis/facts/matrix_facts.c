#include "analysis/facts/matrix_facts.h"

#include "analysis/model/name_match.h"
#include "ops/op_tables.h"
#include "ops/trace_view.h"

#include <math.h>

double matrix_peak_half(const struct device_spec *d)
{
    return d ? fmax(device_peak(d, S("matrix_bf16")), device_peak(d, S("matrix_fp16")))
             : 0;
}

/* Where the platform names none: half the 16-bit rate, on devices that have it. */
double matrix_peak_tf32(const struct device_spec *d, double generation)
{
    double named =
        d ? fmax(device_peak(d, S("matrix_tf32")), device_peak(d, S("matrix_xf32")))
          : 0;
    return named > 0 || generation < 80 ? named : matrix_peak_half(d) / 2;
}

/* Digits behind the first `word`; 0: no such word, or no digits there. */
static int number_behind(struct str name, struct str word)
{
    ptrdiff_t at = str_find(name, word);
    int v = 0;
    if (at < 0)
        return 0;
    for (ptrdiff_t i = at + word.n; i < name.n && i < at + word.n + 4; i++) {
        if (name.p[i] < '0' || name.p[i] > '9')
            break;
        v = 10 * v + (name.p[i] - '0');
    }
    return v;
}

int kernel_generation(struct str kernel)
{
    static const struct {
        struct str name;
        int generation;
    } families[] = {{S_INIT("maxwell"), 50}, {S_INIT("volta"), 70},
                    {S_INIT("turing"), 75},  {S_INIT("ampere"), 80},
                    {S_INIT("hopper"), 90},  {S_INIT("nvjet_hsh"), 90}};
    int v = number_behind(kernel, S("cutlass_"));
    if (v == 0)
        v = number_behind(kernel, S("sm"));
    for (size_t i = 0; v == 0 && i < sizeof families / sizeof *families; i++)
        if (str_has_nocase(kernel, families[i].name))
            v = families[i].generation;
    return v >= 50 && v < 200 ? v : 0;
}

/* Kernels without matrix units always take one element. */
int kernel_alignment(struct str kernel)
{
    return str_has(kernel, S("simt")) ? 0 : number_behind(kernel, S("_align"));
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
        const struct op_call_row *call = &t->models.rows[g->members[i]];
        for (int32_t k = 0; k < call->n_kernels; k++) {
            struct str name = store_name(s, call->kernels[k]);
            int64_t ns = store_dur_ns(s, call->kernels[k]);
            p.all += ns;
            if (name_has(name, "tf32|xf32|bf16|f16|h884|s884|s1688|s16816|hmma|half|"
                               "bfloat16"))
                p.narrow += ns;
            else if (name_has(name, "sgemm|scudnn|f32f32_f32f32"))
                p.wide += ns;
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

static void add_narrow(struct fact_maker *m, struct work_row *r)
{
    const struct device_spec *d = m->a->tables->device;
    double calls = (double)r->count, gbyte_per_s = d ? d->memory_gb_per_s : 0,
           half = matrix_peak_half(d), tf32 = matrix_peak_tf32(d, m->generation);
    if (half <= 0 || !is_fp32(m, r))
        return;
    work_set(m->perm, r, FACT("fp32_kernel", 1));
    if (!r->group->cost || !(r->group->gflop > 0) || gbyte_per_s <= 0)
        return;
    double mem_ms = calls * r->group->byte / gbyte_per_s / 1e6;
    work_set(m->perm, r,
             FACT("half_ms", fmax(calls * r->group->gflop / half, mem_ms / 2)));
    if (tf32 > 0)
        work_set(m->perm, r,
                 FACT("tf32_ms", fmax(calls * r->group->gflop / tf32, mem_ms)));
}

/* Where a platform has no peak of fp32, that of 16 bits stands in for it, of which
 * kernels for TF32 reach half at best. */
static void judge_by_tf32(struct fact_maker *m, struct work_row *r)
{
    struct work_efficiency *e = &r->efficiency;
    double tf32 = matrix_peak_tf32(m->a->tables->device, m->generation);
    if (!e->peak_fallback || e->bound != BOUND_COMPUTE || !(tf32 > 0) ||
        !str_eq(work_text(r, "dtype"), S("fp32")))
        return;
    struct precision_ns p = precision_of(m->a->tables, r->group);
    if (2 * p.narrow < p.all)
        return;
    e->percent *= e->peak_tflop_per_s / tf32;
    e->peak_tflop_per_s = tf32;
    e->warning = e->percent > 100;
    e->anomaly = e->percent > 110;
}

void matrix_facts_row(struct fact_maker *m, struct work_row *r)
{
    struct str kernel = work_text(r, "kernel");
    int align = kernel_alignment(kernel), generation = kernel_generation(kernel);
    if (align > 0)
        work_set(m->perm, r, FACT("kernel_align", align));
    if (generation > 0)
        work_set(m->perm, r, FACT("kernel_generation", generation));
    judge_by_tf32(m, r);
    add_narrow(m, r);
}

/* Work within a factor of four is one class. */
static bool is_peer(const struct work_row *r, const struct work_row *x)
{
    double ratio = x->group->gflop / r->group->gflop;
    return x != r && ratio >= 0.25 && ratio <= 4 && !isnan(x->efficiency.percent) &&
           !x->efficiency.anomaly &&
           str_eq(x->group->compute_spec, r->group->compute_spec);
}

enum { MOST_RANKED = 500 }; /* rows come longest first */

void matrix_facts_rank(struct fact_maker *m, struct category_result *c)
{
    int32_t n = c->n_rows < MOST_RANKED ? c->n_rows : MOST_RANKED;
    for (int32_t i = 0; i < n; i++) {
        struct work_row *r = &c->rows[i];
        const struct work_row *best = r;
        bool peers = false;
        if (isnan(r->efficiency.percent) || r->efficiency.anomaly)
            continue;
        for (int32_t k = 0; k < n; k++) {
            if (!is_peer(r, &c->rows[k]))
                continue;
            peers = true;
            if (c->rows[k].efficiency.percent > best->efficiency.percent)
                best = &c->rows[k];
        }
        if (!peers)
            continue;
        double e = r->efficiency.percent, top = best->efficiency.percent;
        work_set(m->perm, r, FACT("best_pct", top),
                 FACT("best_shape", work_text(best, "shape")),
                 FACT("gap_ms", r->time_ms * (1 - e / top)),
                 FACT("expected_lo_pct", 0.9 * top), FACT("expected_hi_pct", top));
    }
}
