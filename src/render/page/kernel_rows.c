#include "render/page/kernel_rows.h"

#include "analysis/model/name_match.h"
#include "base/arena.h"
#include "base/describe.h"
#include "kernels/kernel_name.h"
#include "render/page/kernel_names.h"
#include "render/text/html_text.h"

#include <math.h>
#include <stdlib.h>

struct place { /* a kernel of the report, to be found by its name */
    const struct report_kernel *of;
    int kernel;
};

struct known { /* of a kernel, from operations that consist of it */
    double ms, pct_ms, bound_ms;
};

struct kernel_search {
    const struct report *r;
    const struct place *sorted;
    struct kernel_line *lines;
    struct known *known;
};

static int by_name(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    int order = str_cmp(x->of->name, y->of->name);
    return order ? order : x->kernel - y->kernel;
}

static const struct place *sorted_kernels(struct arena *a, const struct report *r)
{
    struct place *list = arena_new(a, struct place, r->n_kernels);
    for (int i = 0; i < r->n_kernels; i++)
        list[i] = (struct place){&r->kernels[i], i};
    if (r->n_kernels)
        qsort(list, (size_t)r->n_kernels, sizeof *list, by_name);
    return list;
}

static int first_of(const struct kernel_search *s, struct str name)
{
    int low = 0, high = s->r->n_kernels;
    while (low < high) {
        int mid = low + (high - low) / 2;
        if (str_cmp(s->sorted[mid].of->name, name) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static int count_of(const struct kernel_search *s, int first, struct str name)
{
    int n = 0;
    while (first + n < s->r->n_kernels && str_eq(s->sorted[first + n].of->name, name))
        n++;
    return n;
}

static void learn(const struct kernel_search *s, int kernel, const struct report_op *op)
{
    const struct work_efficiency *e = &op->row->efficiency;
    double ms = op->row->time_ms;
    struct known *known = &s->known[kernel];
    if (s->lines[kernel].finding < 0)
        s->lines[kernel].finding = op->finding;
    if (s->lines[kernel].op < 0)
        s->lines[kernel].op = (int)(op - s->r->ops);
    if (op->group->n_kernels != 1 || isnan(e->percent) || e->anomaly)
        return;
    known->ms += ms;
    known->pct_ms += ms * e->percent;
    if (ms > known->bound_ms) {
        known->bound_ms = ms;
        s->lines[kernel].bound = e->bound;
    }
}

/* A kernel that another call than the operation itself launches is the operation's if
 * there is no other of its name. */
static void learn_op(const struct kernel_search *s, const struct report_op *op)
{
    for (int32_t k = 0; k < op->group->n_kernels; k++) {
        struct str name = op->group->kernels[k].name;
        int first = first_of(s, name), n = count_of(s, first, name), own = 0;
        for (int i = first; i < first + n; i++)
            if (str_eq(s->sorted[i].of->op, op->row->name)) {
                learn(s, s->sorted[i].kernel, op);
                own++;
            }
        if (n == 1 && !own)
            learn(s, s->sorted[first].kernel, op);
    }
}

static void fill_line(struct kernel_line *line, const struct report_kernel *k,
                      const struct known *known, bool amd, struct str shown,
                      struct arena tmp)
{
    struct str full = name_repaired(&tmp, k->name);
    line->shown = shown;
    line->full = str_eq(full, shown) ? S("") : k->name;
    line->library = kernel_library(k->name, amd);
    bool enough = known->ms > 0.5 * k->total_ms;
    line->efficiency_pct = enough ? known->pct_ms / known->ms : (double)NAN;
    if (!enough)
        line->bound = BOUND_NONE;
}

struct kernel_lines kernel_lines_make(struct arena *perm, struct arena tmp,
                                      const struct report *r)
{
    const struct str *names = kernel_names(perm, tmp, r);
    struct kernel_line *lines = arena_new(perm, struct kernel_line, r->n_kernels);
    struct known *known = arena_new(&tmp, struct known, r->n_kernels);
    struct kernel_search s = {r, sorted_kernels(&tmp, r), lines, known};
    struct kernel_lines all = {.at = lines};
    bool amd = name_is_of_amd(r->meta.device_name) || name_is_of_amd(r->meta.platform);
    for (int i = 0; i < r->n_kernels; i++)
        lines[i].finding = lines[i].op = -1;
    for (int i = 0; i < r->n_ops; i++)
        learn_op(&s, &r->ops[i]);
    for (int i = 0; i < r->n_kernels; i++) {
        fill_line(&lines[i], &r->kernels[i], &known[i], amd, names[i], tmp);
        all.has_library |= lines[i].library.n > 0;
        all.has_efficiency |= !isnan(lines[i].efficiency_pct);
        all.has_finding |= lines[i].finding >= 0;
    }
    return all;
}

TELL(bool, is_cut, kernel_line, it->full.n > HTML_NAME_BYTES_MAX);
FIELDS(kernel_line, F(shown, TEXT), F(full, TEXT), CALL(cut, FLAG, is_cut),
       F(library, TEXT), F(efficiency_pct, PCT),
       ENUM(bound, bound_word, BOUND_MEMORY + 1));
