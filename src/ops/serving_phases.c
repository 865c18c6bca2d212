#include "ops/serving_phases.h"

#include "base/duration.h"
#include "ops/kernel_classes.h"
#include "ops/trace_view.h"

#include <stdlib.h>

/* A mark's device work. */
struct step {
    int64_t start_ns, end_ns; /* start > end: it has none */
    const struct step_load *load;
};

struct steps { /* by start, disjoint */
    struct step *rows;
    int32_t n;
};

static int by_start(const void *a, const void *b)
{
    const struct step *x = a, *y = b;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    return (x->end_ns > y->end_ns) - (x->end_ns < y->end_ns);
}

/* Those with device work, in order and without overlap. */
static void put_in_order(struct steps *t)
{
    int32_t n = 0;
    if (t->n)
        qsort(t->rows, (size_t)t->n, sizeof *t->rows, by_start);
    for (int32_t k = 0; k < t->n; k++) {
        struct step s = t->rows[k];
        if (s.start_ns > s.end_ns)
            continue;
        int64_t after_ns = n ? t->rows[n - 1].end_ns : s.start_ns;
        s.start_ns = s.start_ns < after_ns ? after_ns : s.start_ns;
        s.end_ns = s.end_ns < s.start_ns ? s.start_ns : s.end_ns;
        t->rows[n++] = s;
    }
    t->n = n;
}

/* What was launched within each mark, on its thread; or on any, where there is only one
 * thread with marks. */
static struct steps steps_of_launches(struct arena *a, const struct trace_view *v,
                                      const struct phase_marks *m, bool any_thread)
{
    const struct event_store *s = v->s;
    struct steps t = {arena_take_raw(a, sizeof *t.rows, 8, m->n), m->n};
    for (int32_t k = 0; k < m->n; k++)
        t.rows[k] = (struct step){INT64_MAX, INT64_MIN, &m->rows[k].load};
    for (int32_t i = 0; i < v->n_counted; i++) {
        event_id gpu = v->counted[i], call = launch_call(&v->launch, gpu);
        int32_t lane = call < 0 ? -1 : any_thread ? m->rows[0].lane : s->lane[call];
        int32_t k = call < 0 ? -1 : phase_mark_at(m, lane, s->start_ns[call]);
        if (k < 0)
            continue;
        struct step *to = &t.rows[k];
        int64_t end_ns = store_end_ns(s, gpu);
        to->start_ns =
            s->start_ns[gpu] < to->start_ns ? s->start_ns[gpu] : to->start_ns;
        to->end_ns = end_ns > to->end_ns ? end_ns : to->end_ns;
    }
    put_in_order(&t);
    return t;
}

static struct steps steps_of_host(struct arena *a, const struct trace_view *v,
                                  const struct phase_marks *m)
{
    if (!m->n)
        return (struct steps){0};
    struct steps t = steps_of_launches(a, v, m, false);
    return t.n || m->rows[0].lane != m->rows[m->n - 1].lane
               ? t
               : steps_of_launches(a, v, m, true);
}

/* As the device has them, within the window. */
static struct steps steps_of_device(struct arena *a, const struct trace_view *v,
                                    const struct phase_marks *m)
{
    struct steps t = {arena_take_raw(a, sizeof *t.rows, 8, m->n), m->n};
    int64_t from_ns = v->timeline.start_ns, to_ns = from_ns + v->timeline.total_ns;
    for (int32_t k = 0; k < m->n; k++) {
        const struct phase_mark *r = &m->rows[k];
        t.rows[k] = (struct step){r->start_ns < from_ns ? from_ns : r->start_ns,
                                  r->end_ns > to_ns ? to_ns : r->end_ns, &r->load};
    }
    put_in_order(&t);
    return t;
}

/* Words may name a whole loop, where operators tell its steps. */
static struct steps find_steps(struct arena *a, const struct trace_view *v,
                               enum phase_source *source)
{
    struct phase_marks told, device;
    phase_marks_find(a, v, &told, &device);
    struct steps t = steps_of_host(a, v, &told);
    if (!t.n) {
        told = device;
        t = steps_of_device(a, v, &told);
    }
    if (t.n && told.rows[0].source == PHASES_BY_ENGINE) {
        *source = PHASES_BY_ENGINE;
        return t;
    }
    struct phase_marks operators = phase_marks_of_operators(a, v->s);
    struct steps finer = steps_of_host(a, v, &operators);
    if (finer.n > t.n) {
        *source = PHASES_BY_OPERATORS;
        return finer;
    }
    *source = t.n ? PHASES_BY_WORDS : PHASES_NOT_TOLD;
    return t;
}

/* Beyond what is counted, a number is not believed. */
static void add_amount(struct phase_amount *to, double v)
{
    const double MOST = 1e12;
    if (!(v <= MOST))
        return;
    to->least = !to->n || v < to->least ? v : to->least;
    to->most = !to->n || v > to->most ? v : to->most;
    to->sum += v;
    to->n++;
}

/* How long the device is busy in parts of the window, which are asked for in order. */
struct busy_walk {
    const struct interval_set *busy;
    ptrdiff_t at;
};

static int64_t busy_within(struct busy_walk *w, int64_t from_ns, int64_t to_ns)
{
    int64_t ns = 0;
    const struct span *s = w->busy->spans;
    while (w->at < w->busy->n && s[w->at].end_ns <= from_ns)
        w->at++;
    for (ptrdiff_t k = w->at; k < w->busy->n && s[k].start_ns < to_ns; k++)
        ns += shared_ns(from_ns, to_ns, s[k].start_ns, s[k].end_ns);
    return ns;
}

static void add_load(struct phase_totals *to, const struct step_load *load)
{
    for (int i = 0; i < 2; i++) {
        add_amount(&to->requests[i], load->requests[i]);
        add_amount(&to->tokens[i], load->tokens[i]);
        add_amount(&to->seen[i], load->seen[i]);
    }
}

/* Wall time of the steps, less a leading artefact, and busy time within and between. */
static void add_times(const struct trace_view *v, const struct steps *t,
                      struct serving_phases *p)
{
    const struct trace_window *w = &v->window;
    struct busy_walk busy = {&v->timeline.busy, 0};
    for (int32_t k = 0; k < t->n; k++) {
        const struct step *s = &t->rows[k], *last = k ? s - 1 : NULL;
        struct phase_totals *to = &p->of[s->load->phase];
        int64_t ns = s->end_ns - s->start_ns -
                     shared_ns(s->start_ns, s->end_ns, w->artefact_from_ns,
                               w->artefact_from_ns + w->artefact_ns);
        if (last && last->load->phase == s->load->phase) {
            to->apart_ns += s->start_ns - last->start_ns;
            to->between_ns += s->start_ns - last->end_ns;
            to->between_busy_ns += busy_within(&busy, last->end_ns, s->start_ns);
            to->n_apart++;
        }
        to->busy_ns += busy_within(&busy, s->start_ns, s->end_ns);
        to->wall_ns += ns;
        to->least_ns = !to->n_steps || ns < to->least_ns ? ns : to->least_ns;
        to->most_ns = ns > to->most_ns ? ns : to->most_ns;
        to->n_steps++;
        add_load(to, s->load);
    }
    struct phase_totals *rest = &p->of[PHASE_NONE];
    rest->wall_ns = view_total_ns(v);
    rest->busy_ns = v->timeline.busy_ns;
    for (int k = PHASE_NONE + 1; k < STEP_PHASES; k++) {
        rest->wall_ns -= p->of[k].wall_ns;
        rest->busy_ns -= p->of[k].busy_ns;
    }
}

static enum step_phase phase_at(const struct steps *t, int64_t at_ns)
{
    int32_t lo = 0, hi = t->n; /* the first step that begins later */
    while (lo < hi) {
        int32_t mid = lo + (hi - lo) / 2;
        if (t->rows[mid].start_ns <= at_ns)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo && at_ns < t->rows[lo - 1].end_ns ? t->rows[lo - 1].load->phase
                                                : PHASE_NONE;
}

static void add_kernel(struct phase_totals *to, const struct phase_kernel *k)
{
    int32_t i = to->n_kernels;
    if (!k->n ||
        (i == PHASE_KERNELS_MOST && k->total_ns <= to->kernels[i - 1].total_ns))
        return;
    i = i < PHASE_KERNELS_MOST ? to->n_kernels++ : i - 1;
    for (; i && to->kernels[i - 1].total_ns < k->total_ns; i--)
        to->kernels[i] = to->kernels[i - 1];
    to->kernels[i] = *k;
}

/* Device work by the phase in which it begins. */
static void add_work(struct arena *perm, struct arena tmp, const struct op_tables *t,
                     const struct steps *steps, const int8_t *category,
                     int n_categories, struct serving_phases *p)
{
    const struct trace_view *v = t->view;
    int32_t n_rows = t->kernels.n_all;
    struct phase_kernel *rows =
        arena_new(&tmp, struct phase_kernel, (ptrdiff_t)n_rows * STEP_PHASES);
    for (int k = 0; k < STEP_PHASES; k++)
        p->of[k].category_ns = arena_new(perm, int64_t, n_categories + 1);
    for (int32_t i = 0; i < v->n_counted; i++) {
        event_id gpu = v->counted[i];
        int32_t place = launch_place(&v->launch, gpu), row = t->kernels.row_of[place];
        enum step_phase phase = phase_at(steps, v->s->start_ns[gpu]);
        struct phase_totals *to = &p->of[phase];
        struct phase_kernel *kernel = &rows[(ptrdiff_t)n_rows * phase + row];
        int64_t ns = store_dur_ns(v->s, gpu);
        to->work_ns += ns;
        to->category_ns[category[place] < 0 ? n_categories : category[place]] += ns;
        kernel->row = row;
        kernel->total_ns += ns;
        kernel->n++;
    }
    for (int k = 0; k < STEP_PHASES; k++)
        for (int32_t i = 0; i < n_rows; i++)
            add_kernel(&p->of[k], &rows[(ptrdiff_t)n_rows * k + i]);
}

struct serving_phases serving_phases_build(struct arena *perm, struct arena tmp,
                                           const struct op_tables *t,
                                           const int8_t *category, int n_categories)
{
    struct serving_phases p = {0};
    if (!t->view->n_counted)
        return p;
    struct steps steps = find_steps(&tmp, t->view, &p.source);
    if (!steps.n)
        return p;
    add_times(t->view, &steps, &p);
    add_work(perm, tmp, t, &steps, category, n_categories, &p);
    return p;
}
