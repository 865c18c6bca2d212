#include "ops/device_fill.h"

#include "ops/kernel_table.h"
#include "ops/trace_view.h"

#include <math.h>

/* Products with time, in ns: sums until they are divided. */
struct filling {
    struct fill_sum sum;
    double waves_ns, occupancy_ns; /* of which these are known */
};

/* fmax, which is a call. */
static inline double most(double a, double b)
{
    return b > a || isnan(a) ? b : a;
}

/* A kernel that takes no time takes no part: `ns` weighs. */
static void add(struct filling *f, const struct launch_shape *l, int64_t ns)
{
    struct fill_sum *s = &f->sum;
    double weight = (double)ns;
    s->kernel_ns += ns;
    s->grid_ns += l && l->has_grid ? ns : 0;
    if (!l || isnan(l->blocks_per_unit))
        return;
    s->known_ns += ns;
    s->few_ns += l->blocks_per_unit < 1 ? ns : 0;
    s->blocks_per_unit += weight * l->blocks_per_unit;
    s->empty_pct += weight * 100 * most(0, 1 - l->blocks_per_unit);
    s->threads = most(s->threads, l->threads);
    s->registers = most(s->registers, l->registers);
    s->shared_bytes = most(s->shared_bytes, l->shared_bytes);
    if (!isnan(l->waves)) {
        f->waves_ns += weight;
        s->waves += weight * l->waves;
        s->tail_pct += weight * l->tail_pct;
    }
    if (!isnan(l->occupancy_pct)) {
        f->occupancy_ns += weight;
        s->occupancy_pct += weight * l->occupancy_pct;
    }
}

struct str device_fill_units(const struct device_fill *f)
{
    return f->says_sm ? S("SMs") : S("compute units");
}

static struct filling begin(void)
{
    return (struct filling){.sum = {.threads = (double)NAN,
                                    .registers = (double)NAN,
                                    .shared_bytes = (double)NAN}};
}

static double share(double part, double whole)
{
    return whole > 0 ? part / whole : (double)NAN;
}

static struct fill_sum done(struct filling *f)
{
    struct fill_sum s = f->sum;
    double all = (double)s.kernel_ns, known = (double)s.known_ns;
    s.few_pct = 100 * share((double)s.few_ns, all);
    s.known_pct = 100 * share(known, all);
    s.blocks_per_unit = share(s.blocks_per_unit, known);
    s.empty_pct = share(s.empty_pct, known);
    s.waves = share(s.waves, f->waves_ns);
    s.tail_pct = share(s.tail_pct, f->waves_ns);
    s.occupancy_pct = share(s.occupancy_pct, f->occupancy_ns);
    s.occupancy_known_pct = 100 * share(f->occupancy_ns, all);
    return s;
}

static struct launch_units units_of(const struct trace_view *v, int compute_units)
{
    struct machine_device d = machine_first(&v->s->machine);
    return (struct launch_units){d.compute_units > 0 ? d.compute_units : compute_units,
                                 d.unit_threads};
}

struct device_fill device_fill_of(struct arena *perm, struct arena tmp,
                                  const struct trace_view *v, int compute_units)
{
    const struct event_store *s = v->s;
    struct device_fill f = {.units = units_of(v, compute_units)};
    struct filling all = begin(), work = begin();
    f.shapes = launch_shapes_of(perm, tmp, s, v->launch.all, v->launch.n_all, f.units);
    for (int32_t k = 0; k < v->n_counted; k++) {
        event_id gpu = v->counted[k];
        if (s->cat[gpu] != CAT_KERNEL)
            continue;
        const struct launch_shape *l = launch_shape_find(&f.shapes, s, gpu);
        int64_t ns = store_dur_ns(s, gpu);
        add(&all, l, ns);
        f.says_sm |= l && !isnan(l->registers);
        if (!view_communicates(v, gpu))
            add(&work, l, ns);
    }
    f.all = done(&all);
    f.work = done(&work);
    return f;
}

void device_fill_rows(struct arena *perm, struct arena tmp, struct device_fill *f,
                      const struct trace_view *v, const struct kernel_tables *k)
{
    struct filling *rows = arena_take_raw(&tmp, sizeof *rows, 8, k->n);
    for (int32_t i = 0; i < k->n; i++)
        rows[i] = begin();
    for (int32_t place = 0; place < v->launch.n_all; place++) {
        event_id gpu = v->launch.all[place];
        if (k->row_of[place] < k->n)
            add(&rows[k->row_of[place]], launch_shape_find(&f->shapes, v->s, gpu),
                store_dur_ns(v->s, gpu));
    }
    f->rows = arena_take_raw(perm, sizeof *f->rows, 8, k->n);
    for (int32_t i = 0; i < k->n; i++)
        f->rows[i] = done(&rows[i]);
}
