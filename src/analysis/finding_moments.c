#include "analysis/finding_moments.h"

#include "analysis/finding_events.h"
#include "analysis/model/system_results.h"
#include "ops/op_tables.h"
#include "ops/trace_view.h"

/* All parts that [from_ns, to_ns) touches. */
static void mark(struct finding *f, const struct gpu_timeline *window, int64_t from_ns,
                 int64_t to_ns)
{
    double part_ns = (double)window->total_ns / FINDING_MOMENTS;
    int64_t from = (int64_t)((double)(from_ns - window->start_ns) / part_ns);
    int64_t to = (int64_t)((double)(to_ns - 1 - window->start_ns) / part_ns);
    if (to_ns <= window->start_ns || from_ns >= window->start_ns + window->total_ns)
        return;
    from = from < 0 ? 0 : from;
    to = to < from ? from : to >= FINDING_MOMENTS ? FINDING_MOMENTS - 1 : to;
    for (int64_t k = from; k <= to; k++)
        f->moments[k / 64] |= (uint64_t)1 << (k % 64);
}

enum { DRAWN = 16 };

void finding_moments(struct arena tmp, struct analysis *a)
{
    const struct trace_view *v = a->tables->view;
    for (int i = 0; i < a->n_findings && i < DRAWN && v->timeline.total_ns > 0; i++) {
        struct finding *f = &a->findings[i];
        struct arena once = tmp;
        if (f->informational)
            continue;
        for (int32_t k = 0; f->idle && k < f->idle->n_spans; k++)
            mark(f, &v->timeline, f->idle->spans[k].start_ns, f->idle->spans[k].end_ns);
        struct device_events gpu = finding_events(&once, a, f);
        for (int32_t k = 0; k < gpu.n; k++)
            mark(f, &v->timeline, v->s->start_ns[gpu.at[k]],
                 store_end_ns(v->s, gpu.at[k]));
    }
}
