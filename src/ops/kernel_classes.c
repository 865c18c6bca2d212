#include "ops/kernel_classes.h"

#include "base/int_map.h"
#include "ops/trace_view.h"

#include <stdlib.h>
#include <string.h>

static int by_time(const void *a, const void *b)
{
    const struct kernel_part *x = a, *y = b;
    if (x->total_us != y->total_us)
        return x->total_us > y->total_us ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

int32_t *kernel_op_of_events(struct arena *a, const struct op_tables *t)
{
    const struct op_groups *gs = &t->judged;
    const struct launch_link *l = &t->view->launch;
    int32_t *op = arena_take_raw(a, sizeof *op, 4, l->n_all);
    memset(op, -1, (size_t)l->n_all * sizeof *op);
    for (int32_t g = 0; g < gs->n; g++)
        for (int32_t k = 0; k < gs->rows[g].n; k++) {
            const struct op_call_row *c = &gs->calls.rows[gs->rows[g].members[k]];
            for (int32_t e = 0; e < c->n_kernels; e++)
                op[launch_place(l, c->kernels[e])] = g;
        }
    return op;
}

int8_t *kernel_class_of_events(struct arena *a, const struct op_tables *t,
                               const int8_t *class_of)
{
    int32_t n = t->view->launch.n_all;
    int8_t *class = arena_take_raw(a, 1, 1, n);
    struct arena scratch = *a;
    const int32_t *op = kernel_op_of_events(&scratch, t);
    for (int32_t k = 0; k < n; k++)
        class[k] = op[k] < 0 ? -1 : class_of[op[k]];
    return class;
}

struct found_part {
    int32_t row, end, n; /* end: behind its times, once they are filled in */
    int8_t class;
};

struct found {
    struct found_part *parts; /* by first appearance */
    int32_t *part_of;         /* by place in launch.all; -1 */
    int32_t n;
};

/* Which part each device event is in; durations of kernels by the way. */
static struct found find_parts(struct arena *tmp, const struct op_tables *t,
                               const int8_t *class, int n_classes,
                               struct kernel_class *classes)
{
    const struct event_store *s = t->view->s;
    const struct launch_link *l = &t->view->launch;
    struct int_map known = int_map_make(tmp, t->kernels.n_all);
    struct found f = {arena_take_raw(tmp, sizeof *f.parts, 4, l->n_all),
                      arena_take_raw(tmp, sizeof *f.part_of, 4, l->n_all), 0};
    for (int32_t k = 0; k < l->n_all; k++) {
        int8_t c = class[k];
        f.part_of[k] = -1;
        if (c < 0)
            continue;
        int32_t row = t->kernels.row_of[k];
        int32_t *at = int_map_at(&known, tmp, (int64_t)row * n_classes + c);
        if (*at < 0) {
            *at = f.n;
            f.parts[f.n++] = (struct found_part){row, 0, 0, c};
            classes[c].n++;
        }
        f.part_of[k] = *at;
        f.parts[*at].n++;
        if (s->cat[l->all[k]] == CAT_KERNEL)
            duration_bins_add(&classes[c].durations, store_dur_ns(s, l->all[k]));
    }
    return f;
}

/* Durations of all parts, those of one beside each other. */
static double *times_of(struct arena *tmp, const struct trace_view *v, struct found *f)
{
    const struct launch_link *l = &v->launch;
    double *us = arena_take_raw(tmp, sizeof *us, 8, l->n_all);
    for (int32_t p = 0, at = 0; p < f->n; at += f->parts[p++].n)
        f->parts[p].end = at;
    for (int32_t k = 0; k < l->n_all; k++)
        if (f->part_of[k] >= 0)
            us[f->parts[f->part_of[k]].end++] =
                (double)store_dur_ns(v->s, l->all[k]) / 1e3;
    return us;
}

struct kernel_class *kernel_classes_build(struct arena *perm, struct arena tmp,
                                          const struct op_tables *t,
                                          const int8_t *class, int n_classes)
{
    struct kernel_class *classes = arena_new(perm, struct kernel_class, n_classes);
    struct found f = find_parts(&tmp, t, class, n_classes, classes);
    double *us = times_of(&tmp, t->view, &f);
    for (int c = 0; c < n_classes; c++) {
        classes[c].parts = arena_new(perm, struct kernel_part, classes[c].n);
        classes[c].n = 0;
    }
    for (int32_t p = 0; p < f.n; p++) {
        const struct found_part *from = &f.parts[p];
        double *of = us + from->end - from->n;
        struct sample_stats st = stats_sum(of, from->n);
        struct kernel_class *c = &classes[from->class];
        c->parts[c->n++] = (struct kernel_part){
            from->row, p, st.n, st.sum, st.mean, stats_p95(of, st.n)};
    }
    for (int c = 0; c < n_classes; c++)
        if (classes[c].n)
            qsort(classes[c].parts, (size_t)classes[c].n, sizeof *classes[c].parts,
                  by_time);
    return classes;
}
