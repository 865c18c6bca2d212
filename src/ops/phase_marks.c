#include "ops/phase_marks.h"

#include "ops/trace_view.h"

#include <math.h>
#include <stdlib.h>

static bool read_name(struct str name, struct phase_mark *m)
{
    double none = (double)NAN;
    m->sure = true;
    m->source = PHASES_BY_ENGINE;
    if (step_load_read(name, &m->load))
        return m->load.phase != PHASE_NONE;
    m->source = PHASES_BY_WORDS;
    m->load = (struct step_load){
        step_phase_of_words(name, &m->sure), {none, none}, {none, none}, {none, none}};
    return m->load.phase != PHASE_NONE;
}

static void collect(struct arena *a, const struct trace_view *v,
                    struct phase_marks *host, struct phase_marks *device)
{
    const struct event_store *s = v->s;
    bool *none = arena_new(a, bool, s->names.n); /* names that tell no phase */
    struct arena half = arena_first_half(a); /* each list grows in a place of its own */
    for (int32_t k = 0; k < v->n_notes; k++) {
        event_id i = v->notes[k];
        bool on_device = s->cat[i] == CAT_GPU_ANNOTATION;
        if (s->name[i] < 0 || none[s->name[i]])
            continue;
        struct phase_mark m = {.start_ns = s->start_ns[i],
                               .end_ns = store_end_ns(s, i),
                               .lane = s->lane[i],
                               .event = i};
        bool told = read_name(store_name(s, i), &m);
        none[s->name[i]] = !told;
        struct phase_marks *to = on_device ? device : host;
        if (!told || m.end_ns <= m.start_ns)
            continue;
        arena_grow(on_device ? a : &half, to->rows, to->n);
        to->rows[to->n++] = m;
    }
}

/* Engines' own forms alone, if there are any. Words that are not sure count only beside
 * others that surely name the other phase. */
static void choose(struct phase_marks *m)
{
    enum phase_source source = PHASES_BY_WORDS;
    bool sure[STEP_PHASES] = {0};
    int32_t n = 0;
    for (int32_t k = 0; k < m->n; k++) {
        sure[m->rows[k].load.phase] |= m->rows[k].sure;
        source = m->rows[k].source < source ? m->rows[k].source : source;
    }
    for (int32_t k = 0; k < m->n; k++) {
        const struct phase_mark *r = &m->rows[k];
        bool other = sure[r->load.phase == PHASE_DECODE ? PHASE_PREFILL : PHASE_DECODE];
        if (r->source == source && (r->sure || other))
            m->rows[n++] = *r;
    }
    m->n = n;
}

/* Around those that begin with it, what lasts longer comes first. */
static int by_lane_and_start(const void *a, const void *b)
{
    const struct phase_mark *x = a, *y = b;
    if (x->lane != y->lane)
        return x->lane < y->lane ? -1 : 1;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    if (x->end_ns != y->end_ns)
        return x->end_ns > y->end_ns ? -1 : 1;
    return (x->event > y->event) - (x->event < y->event);
}

static bool is_within(const struct phase_mark *m, const struct phase_mark *outer)
{
    return m->lane == outer->lane && m->start_ns < outer->end_ns &&
           (m->end_ns <= outer->end_ns ||
            outer->end_ns - m->start_ns > STEP_ROUNDED_NS);
}

/* Two steps side by side within it: it is the loop around them. */
static bool is_loop(const struct phase_marks *m, int32_t k)
{
    return k + 2 < m->n && m->rows[k].source == PHASES_BY_WORDS &&
           is_within(&m->rows[k + 1], &m->rows[k]) &&
           is_within(&m->rows[k + 2], &m->rows[k]) &&
           !is_within(&m->rows[k + 2], &m->rows[k + 1]);
}

/* What one form of a step leaves out and another within it names. */
static void complete(struct step_load *to, const struct step_load *from)
{
    for (int k = 0; k < 2 && to->phase == from->phase; k++) {
        to->requests[k] = isnan(to->requests[k]) ? from->requests[k] : to->requests[k];
        to->tokens[k] = isnan(to->tokens[k]) ? from->tokens[k] : to->tokens[k];
        to->seen[k] = isnan(to->seen[k]) ? from->seen[k] : to->seen[k];
    }
}

static void make_disjoint(struct phase_marks *m)
{
    int32_t n = 0;
    if (m->n)
        qsort(m->rows, (size_t)m->n, sizeof *m->rows, by_lane_and_start);
    for (int32_t k = 0; k < m->n; k++) {
        if (n && is_within(&m->rows[k], &m->rows[n - 1]))
            complete(&m->rows[n - 1].load, &m->rows[k].load);
        else if (!is_loop(m, k)) {
            struct phase_mark mark = m->rows[k];
            if (n && mark.lane == m->rows[n - 1].lane &&
                mark.start_ns < m->rows[n - 1].end_ns)
                mark.start_ns = m->rows[n - 1].end_ns;
            m->rows[n++] = mark;
        }
    }
    m->n = n;
}

/* Annotations are repeated on each stream of a device: the lane with most of them. */
static void keep_busiest_lane(struct arena tmp, const struct event_store *s,
                              struct phase_marks *m)
{
    int64_t *ns = arena_new(&tmp, int64_t, s->n_lanes);
    int32_t busiest = 0, n = 0;
    for (int32_t k = 0; k < m->n; k++)
        ns[m->rows[k].lane] += m->rows[k].end_ns - m->rows[k].start_ns;
    for (int32_t l = 0; l < s->n_lanes; l++)
        busiest = ns[l] > ns[busiest] ? l : busiest;
    for (int32_t k = 0; k < m->n; k++)
        if (m->rows[k].lane == busiest)
            m->rows[n++] = m->rows[k];
    m->n = n;
}

void phase_marks_find(struct arena *a, const struct trace_view *v,
                      struct phase_marks *host, struct phase_marks *device)
{
    *host = *device = (struct phase_marks){0};
    if (!v->n_notes)
        return;
    collect(a, v, host, device);
    choose(host);
    choose(device);
    keep_busiest_lane(*a, v->s, device);
    make_disjoint(host);
    make_disjoint(device);
}

int32_t phase_mark_at(const struct phase_marks *m, int32_t lane, int64_t at_ns)
{
    int32_t lo = 0, hi = m->n; /* the first mark behind that time of the lane */
    while (lo < hi) {
        int32_t mid = lo + (hi - lo) / 2;
        const struct phase_mark *r = &m->rows[mid];
        if (r->lane < lane || (r->lane == lane && r->start_ns <= at_ns))
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo && m->rows[lo - 1].lane == lane && at_ns < m->rows[lo - 1].end_ns ? lo - 1
                                                                                : -1;
}
