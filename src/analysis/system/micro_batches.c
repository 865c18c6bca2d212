#include "analysis/system/micro_batches.h"

#include "analysis/system/collective_rows.h"
#include "base/sort.h"
#include "ops/trace_view.h"

#include <math.h>

/* Events of this name: of a range, or of an operator, as older versions of PyTorch
 * and some exporters record ranges. */
static int32_t starts_of(const struct event_store *s, name_id name,
                         struct sort_row *rows)
{
    int32_t n = 0;
    for (event_id i = 0; i < s->n && name >= 0; i++)
        if (s->name[i] == name &&
            (s->cat[i] == CAT_ANNOTATION || s->cat[i] == CAT_CPU_OP))
            rows[n++] = (struct sort_row){s->start_ns[i], 0};
    return n;
}

/* Starts of the passes, in order; counts the updates. */
static struct sort_row *find_passes(struct arena *tmp, const struct trace_view *v,
                                    struct micro_batches *m)
{
    const struct event_store *s = v->s;
    struct sort_row *rows = arena_take_raw(tmp, sizeof *rows, 8, s->n);
    for (int32_t k = 0; k < v->n_notes; k++)
        m->updates += s->cat[v->notes[k]] == CAT_ANNOTATION &&
                      str_starts(store_name(s, v->notes[k]), S("Optimizer.step#"));
    if (m->updates)
        m->passes = starts_of(
            s, pool_find(&s->names, S("DistributedDataParallel.forward")), rows);
    sort_rows(*tmp, rows, m->passes);
    return rows;
}

static int32_t pass_at(const struct sort_row *rows, int32_t n, int64_t ns)
{
    int32_t low = 0, high = n;
    while (low < high) {
        int32_t mid = low + (high - low) / 2;
        if (rows[mid].key <= ns)
            low = mid + 1;
        else
            high = mid;
    }
    return low - 1;
}

struct passes {
    const struct sort_row *rows;
    double *mib, most; /* reduced by pass; of any */
    int32_t n;
};

/* Statistics of a norm are no gradients; of a pass that the device is behind with, less
 * may be seen. */
static bool reduces_gradients(const struct passes *p, int32_t pass)
{
    return p->mib[pass] > 0 && 4 * p->mib[pass] >= p->most;
}

/* Kernels that the backward passes launched which reduce gradients. */
static double computed_us(const struct trace_view *v, const struct work_traits *w,
                          const uint8_t *kind, const struct passes *p)
{
    double us = 0;
    for (int32_t k = 0; k < v->n_counted; k++) {
        event_id g = v->counted[k];
        bool is = view_class(v, g) == GPU_COMPUTE && w->of[g] & TRAIT_BACKWARD;
        event_id call = is && kind[k] >= COMM_KINDS ? view_issue(v, g) : -1;
        int32_t at = call < 0 ? -1 : pass_at(p->rows, p->n, v->s->start_ns[call]);
        us += at >= 0 && reduces_gradients(p, at) ? (double)view_own_ns(v, g) / 1e3 : 0;
    }
    return us;
}

struct micro_batches micro_batches_find(struct arena tmp, const struct trace_view *v,
                                        const struct work_traits *w,
                                        const uint8_t *kind)
{
    struct micro_batches m = {0};
    const struct sort_row *rows = find_passes(&tmp, v, &m);
    if (m.passes < 2 || !m.updates)
        return (struct micro_batches){0};
    struct passes p = {rows, arena_new(&tmp, double, m.passes), 0, m.passes};
    for (int32_t k = 0; k < v->n_counted; k++) {
        event_id g = v->counted[k], call = view_issue(v, g);
        if (kind[k] != COMM_ALL_REDUCE || call < 0 || !(w->of[g] & TRAIT_BACKWARD))
            continue;
        int32_t at = pass_at(rows, m.passes, v->s->start_ns[call]);
        double size = collective_in_mib(v, g);
        if (at >= 0)
            p.mib[at] += isnan(size) ? 1 : size;
    }
    for (int32_t k = 0; k < m.passes; k++)
        p.most = fmax(p.most, p.mib[k]);
    for (int32_t k = 0; k < m.passes; k++)
        m.reducing += reduces_gradients(&p, k);
    m.hides_us = computed_us(v, w, kind, &p);
    return m;
}

double micro_batches_spare_frac(const struct micro_batches *m)
{
    return m->reducing >= 2 * m->updates && m->updates
               ? 1 - (double)m->updates / m->reducing
               : 0;
}
