/* Distinct kernels, how long they run, and which category each belongs to. */
#include "report/report_parts.h"

#include "analysis/model/kernel_label.h"
#include "analysis/system/lanes_build.h"
#include "base/out.h"
#include "ops/class_bins.h"
#include "ops/kernel_classes.h"

#include <math.h>

static void fill_row(const struct kernel_row *k, struct report_kernel *out)
{
    enum work_category named =
        k->communicates ? WORK_COMMUNICATION : kernel_label_category(k->kernel);
    named = named < WORK_CATEGORIES ? named : WORK_OTHER;
    *out = (struct report_kernel){
        .name = k->kernel,
        .op = k->op,
        .work = named,
        .slot = figure_slot_of(work_category_name(named)),
        .stream = k->stream,
        .count = k->us.n,
        .total_ms = k->us.sum / 1e3,
        .backlog = k->backlog,
        .share_pct = !k->backlog && isnan(k->window_pct) ? 0.0 : k->window_pct,
        .mean_us = k->us.mean,
        .min_us = k->us.min,
        .max_us = k->us.max,
        .p95_us = k->p95_us,
        .std_us = k->us.std,
    };
}

static struct str identity(struct out *o, const struct kernel_row *k)
{
    o->n = 0;
    out_str(o, k->kernel);
    out_char(o, 0);
    out_str(o, k->op);
    out_char(o, 0);
    out_str(o, k->category);
    out_char(o, 0);
    out_i64(o, k->stream);
    return out_view(o);
}

static enum work_category work_of(const struct report_category *c)
{
    int w = 0;
    while (!str_eq(work_category_name((enum work_category)w), c->id))
        w++;
    return (enum work_category)w;
}

const int8_t *report_event_categories(struct arena *a, const struct report_source *s,
                                      const struct report *r)
{
    int8_t *category = arena_take_raw(a, 1, 1, s->t->judged.n);
    for (int32_t g = 0; g < s->t->judged.n; g++)
        category[g] = (int8_t)(g < r->n_ops ? r->ops[g].category : -1);
    return kernel_class_of_events(a, s->t, category);
}

/* The device work of each category; a kernel belongs to the first that it works for. */
static void fill_categories(const struct report_source *s, struct arena tmp,
                            const int8_t *category, struct report *r)
{
    int32_t *first = arena_new(&tmp, int32_t, r->n_kernels); /* from 1 */
    r->computed_ns = class_bins_build(s->perm, tmp, s->t->view, r->over_time, category,
                                      r->n_categories);
    r->lanes =
        run_lanes_with_streams(s->perm, tmp, s->a->views.host, s->t->view, r->over_time,
                               category, kernel_op_of_events(&tmp, s->t), s->a->path);
    const struct kernel_class *classes =
        kernel_classes_build(s->perm, tmp, s->t, category, r->n_categories);
    for (int c = 0; c < r->n_categories; c++) {
        struct report_category *to = &r->categories[c];
        to->durations = classes[c].durations;
        to->n_kernels = classes[c].n;
        to->kernels = arena_new(s->perm, struct report_part, classes[c].n);
        for (int32_t k = 0; k < classes[c].n; k++) {
            const struct kernel_part *p = &classes[c].parts[k];
            const struct kernel_row *row = &s->t->kernels.rows[p->row];
            to->kernels[k] =
                (struct report_part){row->is_kernel ? p->row : -1,
                                     row->kernel,
                                     row->op,
                                     p->n,
                                     p->total_us / 1e3,
                                     100.0 * p->total_us / 1e3 / to->time_ms,
                                     p->mean_us,
                                     p->p95_us};
            if (!row->is_kernel || (first[p->row] && p->first >= first[p->row] - 1))
                continue;
            r->kernels[p->row].work = work_of(to);
            r->kernels[p->row].slot = to->slot;
            first[p->row] = 1 + p->first;
        }
    }
}

void report_kernels_fill(const struct report_source *s, struct arena tmp,
                         const int8_t *category, struct report *r)
{
    const struct kernel_tables *t = &s->t->kernels;
    struct id_set ids = id_set_make(s->perm, t->n);
    struct out scratch;
    out_memory(&scratch);
    r->n_kernels = t->n;
    r->kernels = arena_new(s->perm, struct report_kernel, t->n);
    for (int32_t i = 0; i < t->n; i++) {
        fill_row(&t->rows[i], &r->kernels[i]);
        r->kernels[i].id = id_take(&ids, "k", identity(&scratch, &t->rows[i]));
    }
    out_free(&scratch);
    r->durations = t->durations;
    fill_categories(s, tmp, category, r);
}
