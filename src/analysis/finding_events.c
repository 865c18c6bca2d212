#include "analysis/finding_events.h"

#include "analysis/model/system_results.h"
#include "analysis/model/work_facts.h"
#include "analysis/system/autotune_finding.h"
#include "analysis/system/optimizer_kernels.h"
#include "kernels/kernel_name.h"
#include "ops/op_tables.h"
#include "ops/trace_view.h"

/* The operations that a finding is about. */
struct its_rows {
    const struct work_row **at;
    int n;
};

/* Copies around attention are rows of their own, which the finding has claimed: the
 * attention calls stay as they are. */
static struct its_rows copies_beside(struct arena *a, const struct analysis *all,
                                     const struct finding *f)
{
    const struct category_result *c = &all->categories[WORK_ELEMENTWISE];
    struct its_rows to = {arena_new(a, const struct work_row *, c->n_rows), 0};
    for (int32_t k = 0; k < c->n_rows; k++)
        if (c->rows[k].claimed_by == f - all->findings)
            to.at[to.n++] = &c->rows[k];
    return to;
}

static struct its_rows rows_of(struct arena *a, const struct analysis *all,
                               const struct finding *f)
{
    if (f->about == ABOUT_COPIES_BESIDE) {
        struct its_rows copies = copies_beside(a, all, f);
        if (copies.n > 0)
            return copies;
    }
    return (struct its_rows){f->rows, f->n_rows};
}

static int32_t count_of_rows(const struct analysis *all, struct its_rows rows)
{
    int32_t n = 0;
    for (int k = 0; k < rows.n; k++) {
        const struct op_group *g = rows.at[k]->group;
        for (int32_t m = 0; m < g->n; m++)
            n += all->tables->judged.calls.rows[g->members[m]].n_kernels;
    }
    return n;
}

static struct device_events of_rows(struct arena *a, const struct analysis *all,
                                    const struct finding *f)
{
    const struct event_store *s = all->tables->view->s;
    bool conversions = f->about == ABOUT_CONVERSIONS;
    struct its_rows rows = rows_of(a, all, f);
    int32_t most = count_of_rows(all, rows);
    struct device_events to = {arena_take_raw(a, sizeof *to.at, 4, most), 0};
    for (int k = 0; k < rows.n; k++) {
        const struct op_group *g = rows.at[k]->group;
        for (int32_t m = 0; m < g->n; m++) {
            const struct op_call_row *c =
                &all->tables->judged.calls.rows[g->members[m]];
            for (int32_t e = 0; e < c->n_kernels; e++)
                if (!conversions ||
                    kernel_label_of(store_name(s, c->kernels[e])) == KERNEL_TRANSPOSE)
                    to.at[to.n++] = c->kernels[e];
        }
    }
    return to;
}

static bool is_its_transfer(const struct finding *f, const struct trace_view *v,
                            event_id gpu)
{
    if (!f->copies)
        return view_class(v, gpu) == GPU_COMMUNICATION;
    return v->s->cat[gpu] == CAT_MEMCPY &&
           f->copies >> role_way(store_role(v->s, gpu)) & 1;
}

static struct device_events of_transfers(struct arena *a, const struct trace_view *v,
                                         const struct finding *f)
{
    struct device_events to = {arena_take_raw(a, sizeof *to.at, 4, v->n_counted), 0};
    for (int32_t k = 0; k < v->n_counted; k++) {
        event_id gpu = v->counted[k];
        if (is_its_transfer(f, v, gpu))
            to.at[to.n++] = gpu;
    }
    return to;
}

static struct device_events worked_from(struct arena *a, const struct trace_view *v,
                                        double from_ms)
{
    struct device_events to = {arena_take_raw(a, sizeof *to.at, 4, v->n_counted), 0};
    int64_t from_ns = v->timeline.start_ns + (int64_t)(from_ms * 1e6);
    for (int32_t k = 0; k < v->n_counted; k++)
        if (v->s->start_ns[v->counted[k]] >= from_ns &&
            view_class(v, v->counted[k]) != GPU_MEMCPY)
            to.at[to.n++] = v->counted[k];
    return to;
}

struct device_events finding_events(struct arena *a, const struct analysis *all,
                                    const struct finding *f)
{
    if (f->slow_from_ms > 0)
        return worked_from(a, all->tables->view, f->slow_from_ms);
    const struct trace_view *v = all->tables->view;
    struct launched k = {0};
    if (f->about == ABOUT_EVENTS) {
        struct device_events to = {arena_take_raw(a, sizeof *to.at, 4, f->n_gpu), 0};
        for (; to.n < f->n_gpu; to.n++)
            to.at[to.n] = f->gpu[to.n];
        return to;
    }
    if (f->about == ABOUT_AUTOTUNE)
        k = autotune_kernels_find(a, v);
    else if (f->about == ABOUT_OPTIMIZER || f->about == ABOUT_ZEROS)
        k = optimizer_kernels_find(
            a, v, f->about == ABOUT_ZEROS ? OPTIMIZER_ZERO_GRAD : OPTIMIZER_STEP);
    if (k.at)
        return (struct device_events){k.at, k.n};
    if ((f->category == WORK_CPU_IDLE && !f->copies) || f->about == ABOUT_PACE)
        return (struct device_events){NULL, 0};
    if (f->category == WORK_MULTI_KERNEL || f->copies)
        return of_transfers(a, all->tables->view, f);
    return of_rows(a, all, f);
}
