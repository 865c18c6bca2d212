#include "compare/selection.h"

#include <math.h>
#include <stdlib.h>

enum { PAIRED_STEPS_MAX = 512 };

static bool read_range(struct str text, int64_t *from, int64_t *to)
{
    struct str rest = text, first = str_take(&rest, S("-"));
    bool good = str_int(first, from) && *from >= 0;
    *to = *from;
    return good &&
           (first.n == text.n || (str_int(rest, to) && *to >= *from)); /* or "3-" */
}

bool step_choice_read(const char *text, struct step_choice *c, struct err *e)
{
    struct str rest = str_of(text), first, both = rest;
    *c = (struct step_choice){STEPS_PAIRED, {0}, {0}};
    if (str_eq(rest, S("paired")))
        return true;
    c->asked = STEPS_ALL;
    if (str_eq(rest, S("all")))
        return true;
    c->asked = STEPS_NUMBERED;
    first = str_take(&rest, S(","));
    return (read_range(first, &c->from[0], &c->to[0]) &&
            read_range(first.n == both.n ? first : rest, &c->from[1], &c->to[1])) ||
           err_set(e, ERR_USAGE, NULL, -1,
                   "--steps: expected all, paired, or step numbers as 3, 3-7 or "
                   "3-7,4-8, not '%.100s'",
                   text);
}

static void take_step(struct selection *s, int side, const struct capture_step *step)
{
    s->spans[side][s->n_spans[side]++] =
        (struct step_span){step->start_ns, step->end_ns};
}

static void take_window(struct arena *perm, struct selection *s, int side,
                        const struct capture *c)
{
    s->spans[side] = arena_new(perm, struct step_span, 1);
    s->spans[side][0] = (struct step_span){c->start_ns, c->end_ns};
    s->n_spans[side] = 1;
}

static int count_steady(const struct capture *c)
{
    int n = 0;
    for (int i = 0; i < c->n_steps; i++)
        n += c->steps[i].steady;
    return n;
}

static void take_first_steps(struct selection *s, const struct capture *const of[2],
                             int k)
{
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < of[side]->n_steps && s->n_spans[side] < k; i++)
            if (of[side]->steps[i].steady)
                take_step(s, side, &of[side]->steps[i]);
    s->n_steps = k;
}

/* What a step does, whatever the order: equal for equal calls. */
struct step_work {
    uint64_t calls; /* sum of a hash of each */
    int step;
};

static uint64_t row_hash(const struct capture_row *r)
{
    uint64_t h = str_table_hash(r->name) * 31 + str_table_hash(r->dims);
    return (h * 31 + str_table_hash(r->types)) | 1;
}

static int by_work(const void *a, const void *b)
{
    const struct step_work *x = a, *y = b;
    if (x->calls != y->calls)
        return x->calls < y->calls ? -1 : 1;
    return x->step - y->step;
}

/* Of the steady steps, by work. NULL: not all have their events. */
static struct step_work *work_of(struct arena *tmp, const struct capture *c)
{
    struct step_work *work = arena_new(tmp, struct step_work, c->n_steps);
    uint64_t *hashes = arena_new(tmp, uint64_t, c->n_rows);
    int n = 0;
    int32_t at = 0;
    for (int32_t k = 0; k < c->n_rows; k++)
        hashes[k] = row_hash(&c->rows[k]);
    for (int i = 0; i < c->n_steps; i++) {
        const struct capture_step *s = &c->steps[i];
        if (!s->steady)
            continue;
        if (!s->kept)
            return NULL;
        uint64_t sum = 0;
        while (at < c->n_events && c->events[at].start_ns < s->start_ns)
            at++;
        for (; at < c->n_events && c->events[at].start_ns < s->end_ns; at++)
            if (c->events[at].begins)
                sum += hashes[c->events[at].row];
        work[n++] = (struct step_work){sum, i};
    }
    qsort(work, (size_t)n, sizeof *work, by_work);
    return work;
}

/* Steps that do the same, if most of either side have one: lengths in another order are
 * the same work. False: none is taken. */
static bool take_by_work(struct selection *s, struct arena tmp,
                         const struct capture *const of[2], int least)
{
    const struct step_work *work[2];
    int n[2] = {count_steady(of[0]), count_steady(of[1])}, i = 0, k = 0, pairs = 0;
    uint8_t *taken[2];
    for (int side = 0; side < 2; side++) {
        taken[side] = arena_new(&tmp, uint8_t, of[side]->n_steps);
        work[side] = work_of(&tmp, of[side]);
        if (!work[side] || work[side][0].calls == work[side][n[side] - 1].calls)
            return false; /* or all do the same */
    }
    while (i < n[0] && k < n[1]) {
        uint64_t x = work[0][i].calls, y = work[1][k].calls;
        if (x == y) {
            taken[0][work[0][i].step] = taken[1][work[1][k].step] = 1;
            pairs++;
        }
        i += x <= y;
        k += y <= x;
    }
    for (int side = 0; side < 2 && 2 * pairs >= least; side++)
        for (int step = 0; step < of[side]->n_steps; step++)
            if (taken[side][step])
                take_step(s, side, &of[side]->steps[step]);
    s->n_steps = 2 * pairs >= least ? pairs : 0;
    return s->n_steps > 0;
}

struct load_pair {
    int a, b;
    double far[4]; /* requests of both kinds, new tokens, tokens attended to */
};

static double apart(double a, double b)
{
    return isnan(a) || isnan(b) ? 0 : fabs(a - b);
}

/* Nearest load first; equals in an order that swapped sides do not change. */
static int by_load(const void *x, const void *y)
{
    const struct load_pair *p = x, *q = y;
    for (int i = 0; i < 4; i++)
        if (p->far[i] != q->far[i])
            return p->far[i] < q->far[i] ? -1 : 1;
    int across = abs(p->a - p->b) - abs(q->a - q->b);
    return across ? across : (p->a + p->b) - (q->a + q->b);
}

static int list_pairs(struct load_pair *pairs, const struct capture *const of[2])
{
    int n = 0;
    for (int a = 0; a < of[0]->n_steps && a < PAIRED_STEPS_MAX; a++)
        for (int b = 0; b < of[1]->n_steps && b < PAIRED_STEPS_MAX; b++) {
            const struct capture_step *x = &of[0]->steps[a], *y = &of[1]->steps[b];
            if (!x->steady || !y->steady || !str_eq(x->phase, y->phase))
                continue;
            pairs[n++] = (struct load_pair){a,
                                            b,
                                            {apart(x->requests[0], y->requests[0]),
                                             apart(x->requests[1], y->requests[1]),
                                             apart(x->new_tokens, y->new_tokens),
                                             apart(x->seen_tokens, y->seen_tokens)}};
        }
    return n;
}

/* Mean load of the chosen steps, and how far pairs are apart. */
static void note_load(struct selection *s, const struct capture_step *a,
                      const struct capture_step *b)
{
    double pct = 100 * apart(a->new_tokens, b->new_tokens) / a->new_tokens;
    s->tokens[0] += a->new_tokens;
    s->tokens[1] += b->new_tokens;
    if (pct > s->load_pct)
        s->load_pct = pct;
}

static void take_by_load(struct selection *s, struct arena tmp,
                         const struct capture *const of[2])
{
    int most = PAIRED_STEPS_MAX;
    uint8_t *taken[2];
    for (int side = 0; side < 2; side++)
        taken[side] = arena_new(&tmp, uint8_t, of[side]->n_steps);
    struct load_pair *pairs = arena_new(&tmp, struct load_pair, (ptrdiff_t)most * most);
    int n = list_pairs(pairs, of);
    qsort(pairs, (size_t)n, sizeof *pairs, by_load);
    for (int i = 0; i < n; i++) {
        const struct load_pair *p = &pairs[i];
        if (taken[0][p->a] || taken[1][p->b])
            continue;
        taken[0][p->a] = taken[1][p->b] = 1;
        note_load(s, &of[0]->steps[p->a], &of[1]->steps[p->b]);
        s->n_steps++;
    }
    for (int side = 0; side < 2; side++) {
        s->tokens[side] /= s->n_steps;
        for (int i = 0; i < of[side]->n_steps; i++)
            if (taken[side][i])
                take_step(s, side, &of[side]->steps[i]);
    }
    s->by_load = true;
}

static bool take_numbered(struct selection *s, const struct capture *const of[2],
                          const struct step_choice *c, struct err *e)
{
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < of[side]->n_steps; i++)
            if (of[side]->steps[i].number >= c->from[side] &&
                of[side]->steps[i].number <= c->to[side])
                take_step(s, side, &of[side]->steps[i]);
        if (!s->n_spans[side])
            return err_set(e, ERR_INPUT, NULL, -1,
                           "--steps: the %s has no step %lld to %lld; it has %d %s",
                           side ? "candidate" : "reference", (long long)c->from[side],
                           (long long)c->to[side], of[side]->n_steps,
                           str_plural(of[side]->n_steps, "step", "steps"));
    }
    if (s->n_spans[0] != s->n_spans[1])
        return err_set(e, ERR_INPUT, NULL, -1,
                       "--steps: %d of the reference, %d of the candidate; name as "
                       "many of both",
                       s->n_spans[0], s->n_spans[1]);
    s->n_steps = s->n_spans[0];
    return true;
}

bool selection_make(struct arena *perm, struct arena tmp,
                    const struct capture *const of[2], const struct step_choice *choice,
                    struct selection *s, struct err *e)
{
    *s = (struct selection){0};
    for (int side = 0; side < 2; side++)
        s->spans[side] = arena_new(perm, struct step_span, of[side]->n_steps);
    if (choice->asked == STEPS_NUMBERED && !take_numbered(s, of, choice, e))
        return false;
    int k = count_steady(of[0]) < count_steady(of[1]) ? count_steady(of[0])
                                                      : count_steady(of[1]);
    if (choice->asked == STEPS_PAIRED && k > 0) {
        if (of[0]->steps[0].phase.n && of[1]->steps[0].phase.n)
            take_by_load(s, tmp, of);
        else if (!take_by_work(s, tmp, of, k))
            take_first_steps(s, of, k);
    }
    for (int side = 0; side < 2; side++) {
        s->n_left_out[side] = s->n_steps ? of[side]->n_steps - s->n_steps : 0;
        if (!s->n_steps)
            take_window(perm, s, side, of[side]);
        if (!s->by_load || !s->n_steps)
            s->tokens[side] = (double)NAN;
    }
    s->by_load = s->by_load && s->n_steps;
    return true;
}

/* Whether an event without length lies in a span; the last may lie at the very end. */
static bool lies_inside(const struct capture *c, const struct step_span *spans,
                        int n_spans, int64_t at_ns)
{
    int64_t from = at_ns == c->end_ns ? at_ns - 1 : at_ns;
    return span_overlap_ns(spans, n_spans, from, from + 1) > 0;
}

struct row_figures *selection_figures(struct arena *perm, const struct capture *c,
                                      const struct step_span *spans, int n_spans)
{
    struct row_figures *f = arena_new(perm, struct row_figures, c->n_rows);
    for (int32_t i = 0; !c->n_events && i < c->n_rows; i++)
        f[i] = (struct row_figures){c->rows[i].n_calls, c->rows[i].n_events,
                                    c->rows[i].kernel_ns};
    for (int32_t i = 0; i < c->n_events; i++) {
        const struct capture_event *e = &c->events[i];
        int64_t ns = span_overlap_ns(spans, n_spans, e->start_ns, e->end_ns);
        if (!ns &&
            !(e->start_ns == e->end_ns && lies_inside(c, spans, n_spans, e->start_ns)))
            continue;
        f[e->row].ns += ns;
        f[e->row].n_events++;
        f[e->row].n_calls += e->begins;
    }
    return f;
}

int64_t selection_window_ns(const struct step_span *spans, int n_spans)
{
    int64_t ns = 0;
    for (int i = 0; i < n_spans; i++)
        ns += spans[i].end_ns - spans[i].start_ns;
    return ns;
}
