#include "ops/trace_steps.h"

#include "base/sort.h"
#include "perf/step_annotation.h"
#include "timeline/interval_set.h"
#include "tree/launch_link.h"

enum {
    STEADY_PCT = 10,
    STEPS_LEAST = 3,   /* fewer are not compared */
    IN_MARKS_PCT = 90, /* of the work launched from the first mark to the last */
    LAG_PCT = 5,       /* of a step: so far behind the host the device may end */
    ANCHORS_MAX = 16,  /* names tried as the beginning of a period */
    LIKE_PCT = 95      /* of a period's kernels that recur at the same place */
};

/* What steps are found in. */
struct source {
    const struct event_store *s;
    const struct launch_link *l;
    const event_id *counted;
    int32_t n_counted;
};

static const struct str profiler_step = S_INIT("ProfilerStep#");

static bool is_profiler_step(struct str name)
{
    return str_starts(name, profiler_step);
}

static bool is_engine_step(struct str name)
{
    return str_starts(name, S("step["));
}

static bool is_engine_batch(struct str name)
{
    struct step_load load;
    return step_load_read(name, &load);
}

/* The number that a name ends in; -1: none. */
static int64_t last_number(struct str name)
{
    int64_t number;
    ptrdiff_t n = name.n;
    while (n > 0 && name.p[n - 1] >= '0' && name.p[n - 1] <= '9')
        n--;
    return str_int(str_skip(name, n), &number) ? number : -1;
}

/* A program's own: what is numbered may as well be layers or parts of a batch. */
static bool is_numbered_step(struct str name)
{
    return last_number(name) >= 0 && !is_profiler_step(name) &&
           (str_has_nocase(name, S("step")) || str_has_nocase(name, S("iter")));
}

/* Marks of one category by start. What begins within the one before is left out, and
 * marks of one name side by side are one, if names are unique. */
static int32_t find_marks(struct arena *a, const struct event_store *s, int cat,
                          bool (*is)(struct str name), bool unique,
                          struct sort_row **rows)
{
    uint8_t *known = arena_new(a, uint8_t, s->names.n);
    int32_t n = 0, kept = 0, n_known = 0;
    for (name_id k = 0; k < s->names.n && s->census.by_cat[cat]; k++)
        n_known += known[k] = is(s->names.name[k]);
    if (!n_known)
        return 0;
    for (event_id i = 0; i < s->n; i++)
        n += s->cat[i] == cat && s->name[i] >= 0 && known[s->name[i]];
    *rows = arena_take_raw(a, sizeof **rows, 8, n);
    n = 0;
    for (event_id i = 0; i < s->n; i++)
        if (s->cat[i] == cat && s->name[i] >= 0 && known[s->name[i]])
            (*rows)[n++] = (struct sort_row){s->start_ns[i], i};
    sort_rows(*a, *rows, n);
    for (int32_t k = 0; k < n; k++) {
        const struct sort_row *last = kept ? &(*rows)[kept - 1] : NULL;
        bool again = last && unique && s->name[(*rows)[k].row] == s->name[last->row];
        bool within = last && (*rows)[k].key + ROUNDING_NS < store_end_ns(s, last->row);
        if (!again && !within)
            (*rows)[kept++] = (*rows)[k];
    }
    return kept;
}

static int64_t number_of(struct str name)
{
    int64_t number;
    return is_profiler_step(name) && str_int(str_skip(name, profiler_step.n), &number)
               ? number
               : -1;
}

static void take_marks(struct arena *perm, const struct event_store *s,
                       const struct sort_row *marks, int32_t n, struct trace_steps *t)
{
    t->rows = arena_new(perm, struct trace_step, n);
    t->n = n;
    for (int32_t k = 0; k < n; k++) {
        int64_t end_ns = store_end_ns(s, marks[k].row);
        if (k + 1 < n && marks[k + 1].key < end_ns)
            end_ns = marks[k + 1].key;
        t->rows[k] =
            (struct trace_step){.start_ns = marks[k].key,
                                .dur_ns = end_ns - marks[k].key,
                                .number = number_of(store_name(s, marks[k].row))};
    }
}

static void keep_marks(const struct event_store *s, const struct sort_row *marks,
                       int32_t n, struct trace_steps *t)
{
    t->marked = n > 0 && t->source != STEPS_PROFILER_DEVICE;
    if (!t->marked)
        return;
    t->lane = s->lane[marks[n - 1].row];
    t->marks_from_ns = marks[0].key;
    t->marks_to_ns = store_end_ns(s, marks[n - 1].row);
}

/* Whether marks of the program, which are the rows, count steps: numbers that go up,
 * and next to no work launched between them, nor more before and after than within. */
static bool count_steps(const struct source *v, const struct sort_row *marks,
                        const struct trace_steps *t)
{
    const struct event_store *s = v->s;
    int64_t all = 0, between = 0, within = 0;
    for (int32_t k = 1; k < t->n; k++)
        if (last_number(store_name(s, marks[k].row)) <=
            last_number(store_name(s, marks[k - 1].row)))
            return false;
    for (int32_t i = 0; i < v->n_counted && t->n >= STEPS_LEAST; i++) {
        event_id call = launch_call(v->l, v->counted[i]);
        if (call < 0)
            continue;
        int64_t ns = s->start_ns[call];
        bool in = trace_step_at(t, ns) >= 0;
        all++;
        within += in;
        between += !in && ns >= t->rows[0].start_ns && ns < t->rows[t->n - 1].start_ns;
    }
    return within > 0 && 2 * within >= all &&
           100 * within >= IN_MARKS_PCT * (within + between);
}

static int64_t median_of(struct arena tmp, const int64_t *ns, int32_t n)
{
    struct sort_row *rows = arena_take_raw(&tmp, sizeof *rows, 8, n);
    for (int32_t k = 0; k < n; k++)
        rows[k] = (struct sort_row){ns[k], k};
    sort_rows(tmp, rows, n);
    return n ? rows[(n - 1) / 2].key + (rows[n / 2].key - rows[(n - 1) / 2].key) / 2
             : 0;
}

static void widen(struct span *to, int64_t start_ns, int64_t end_ns)
{
    to->start_ns = start_ns < to->start_ns ? start_ns : to->start_ns;
    to->end_ns = end_ns > to->end_ns ? end_ns : to->end_ns;
}

/* Copies ahead, on a stream of their own while the step before computes, do not begin
 * a step: its kernels do. */
static void begin_with_kernels(struct span *of, const struct span *kernels, int32_t n)
{
    for (int32_t k = n - 1; k > 0; k--)
        if (of[k].start_ns < kernels[k - 1].end_ns &&
            kernels[k].start_ns >= kernels[k - 1].end_ns &&
            kernels[k].start_ns != INT64_MAX)
            of[k].start_ns = kernels[k].start_ns;
}

/* The device work that each step launched: its first start and last end. */
static struct span *device_spans(struct arena *a, const struct source *v,
                                 const struct trace_steps *t)
{
    const struct event_store *s = v->s;
    struct span *of = arena_take_raw(a, sizeof *of, 8, t->n),
                *kernels = arena_take_raw(a, sizeof *of, 8, t->n);
    for (int32_t k = 0; k < t->n; k++)
        of[k] = kernels[k] = (struct span){INT64_MAX, INT64_MIN};
    for (int32_t i = 0; i < v->n_counted; i++) {
        event_id g = v->counted[i], call = launch_call(v->l, g);
        int32_t k = call < 0 ? -1 : trace_step_at(t, s->start_ns[call]);
        if (k < 0)
            continue;
        widen(&of[k], s->start_ns[g], store_end_ns(s, g));
        if (s->cat[g] == CAT_KERNEL)
            widen(&kernels[k], s->start_ns[g], store_end_ns(s, g));
    }
    begin_with_kernels(of, kernels, t->n);
    return of;
}

static bool lags(struct arena tmp, const struct trace_steps *t, const struct span *of)
{
    int64_t *lag = arena_take_raw(&tmp, sizeof *lag, 8, t->n);
    int64_t *length = arena_take_raw(&tmp, sizeof *length, 8, t->n);
    for (int32_t k = 0; k < t->n; k++) {
        if (of[k].end_ns == INT64_MIN || (k && of[k].start_ns <= of[k - 1].start_ns))
            return false;
        lag[k] = of[k].end_ns - t->rows[k].start_ns - t->rows[k].dur_ns;
        length[k] = t->rows[k].dur_ns;
    }
    return median_of(tmp, lag, t->n) > median_of(tmp, length, t->n) * LAG_PCT / 100;
}

/* How long the device usually has nothing to do between two steps. */
static int64_t usual_gap_ns(struct arena tmp, const struct span *of, int32_t n)
{
    int64_t *gap = arena_take_raw(&tmp, sizeof *gap, 8, n);
    for (int32_t k = 0; k + 1 < n; k++)
        gap[k] =
            of[k + 1].start_ns > of[k].end_ns ? of[k + 1].start_ns - of[k].end_ns : 0;
    return n > 1 ? median_of(tmp, gap, n - 1) : 0;
}

/* Where the device is behind, a step lasts from its first work to that of the next. The
 * last has no next, and the gap behind it is not recorded: the one before it counts,
 * but no more of that than is usual, as what makes it longer is of the step before. */
static void follow_device(struct arena tmp, const struct source *v,
                          struct trace_steps *t)
{
    if (t->source == STEPS_PROFILER_DEVICE)
        return;
    const struct span *of = device_spans(&tmp, v, t);
    if (!lags(tmp, t, of))
        return;
    t->by_device = true;
    int64_t gap_ns = usual_gap_ns(tmp, of, t->n);
    for (int32_t k = 0; k < t->n; k++) {
        bool last = k == t->n - 1;
        int64_t from_ns = of[k].start_ns;
        if (last && k && of[k - 1].end_ns < from_ns)
            from_ns = of[k - 1].end_ns > from_ns - gap_ns ? of[k - 1].end_ns
                                                          : from_ns - gap_ns;
        t->rows[k].start_ns = from_ns;
        t->rows[k].dur_ns = (last ? of[k].end_ns : of[k + 1].start_ns) - from_ns;
    }
}

/* Kernels in order of start. */
struct sequence {
    event_id *events;
    int32_t n;
    int32_t *count; /* by name */
};

static struct sequence kernels_in_order(struct arena *a, const struct source *v)
{
    const struct event_store *s = v->s;
    struct sequence q = {arena_take_raw(a, sizeof *q.events, 4, v->n_counted), 0,
                         arena_new(a, int32_t, s->names.n)};
    for (int32_t k = 0; k < v->n_counted; k++)
        if (s->cat[v->counted[k]] == CAT_KERNEL && s->name[v->counted[k]] >= 0) {
            q.events[q.n++] = v->counted[k];
            q.count[s->name[v->counted[k]]]++;
        }
    sort_ids(*a, q.events, q.n, s->start_ns);
    return q;
}

/* One launch of a graph is one part of a step, or all of it: never two steps. */
static bool share_a_launch(const struct launch_link *l, event_id a, event_id b)
{
    event_id call = launch_call(l, a);
    return call >= 0 && call == launch_call(l, b);
}

/* Whether the kernels from the first anchor on recur, and those before and after are of
 * names that occur within: a model's layers recur too, but not what surrounds them. */
static bool recurs(struct arena tmp, const struct source *v, const struct sequence *q,
                   const int32_t *at, int32_t n)
{
    const struct event_store *s = v->s;
    int32_t period = at[1] - at[0];
    uint8_t *inside = arena_new(&tmp, uint8_t, s->names.n);
    int64_t same = 0, all = 0;
    if (period < 2 || at[0] > period || q->n - at[n - 1] > period)
        return false;
    for (int32_t k = 1; k < n; k++)
        if (at[k] - at[k - 1] != period ||
            share_a_launch(v->l, q->events[at[k - 1]], q->events[at[k]]))
            return false;
    for (int32_t i = at[0]; i < at[n - 1]; i++) {
        inside[s->name[q->events[i]]] = 1;
        if (i + period >= at[n - 1])
            continue;
        same += s->name[q->events[i]] == s->name[q->events[i + period]];
        all++;
    }
    for (int32_t i = 0; i < q->n; i++)
        if (!inside[s->name[q->events[i]]])
            return false;
    return 100 * same >= LIKE_PCT * all;
}

static void take_period(struct arena *perm, const struct event_store *s,
                        const struct sequence *q, const int32_t *at, int32_t n,
                        struct trace_steps *t)
{
    t->source = STEPS_PERIOD;
    t->by_device = true;
    t->period = at[1] - at[0];
    t->n = n - 1;
    t->rows = arena_new(perm, struct trace_step, t->n);
    for (int32_t k = 0; k < t->n; k++) {
        int64_t from = s->start_ns[q->events[at[k]]];
        t->rows[k] =
            (struct trace_step){.start_ns = from,
                                .dur_ns = s->start_ns[q->events[at[k + 1]]] - from,
                                .number = -1};
    }
}

/* The names that occur least often, but often enough, are tried in turn as anchors. */
static void find_period(struct arena *perm, struct arena tmp, const struct source *v,
                        struct trace_steps *t)
{
    const struct event_store *s = v->s;
    struct sequence q = kernels_in_order(&tmp, v);
    struct sort_row *names = arena_take_raw(&tmp, sizeof *names, 8, s->names.n);
    int32_t *at = arena_take_raw(&tmp, sizeof *at, 4, q.n);
    int32_t n_names = 0;
    for (name_id k = 0; k < s->names.n; k++)
        if (q.count[k] > STEPS_LEAST)
            names[n_names++] = (struct sort_row){q.count[k], k};
    sort_rows(tmp, names, n_names);
    for (int32_t k = 0; k < n_names && k < ANCHORS_MAX && !t->n; k++) {
        int32_t n = 0;
        for (int32_t i = 0; i < q.n; i++)
            if (s->name[q.events[i]] == names[k].row)
                at[n++] = i;
        if (recurs(tmp, v, &q, at, n))
            take_period(perm, s, &q, at, n, t);
    }
}

static void find_steps(struct arena *perm, struct arena tmp, const struct source *v,
                       struct trace_steps *t)
{
    static const struct {
        enum step_source source;
        int cat;
        bool (*is)(struct str name);
        bool unique;
    } marks[] = {
        {STEPS_PROFILER, CAT_ANNOTATION, is_profiler_step, true},
        {STEPS_PROFILER, CAT_CPU_OP, is_profiler_step, true}, /* before 2022 */
        /* Marks on the device often cover only a few kernels of a step. */
        {STEPS_PROFILER_DEVICE, CAT_GPU_ANNOTATION, is_profiler_step, true},
        {STEPS_ENGINE, CAT_ANNOTATION, is_engine_step, false},
        {STEPS_ENGINE, CAT_ANNOTATION, is_engine_batch, false},
        {STEPS_BY_PROGRAM, CAT_ANNOTATION, is_numbered_step, true},
    };
    for (size_t k = 0; k < sizeof marks / sizeof *marks && !t->n; k++) {
        struct arena scratch = tmp;
        struct sort_row *rows = NULL;
        int32_t n = find_marks(&scratch, v->s, marks[k].cat, marks[k].is,
                               marks[k].unique, &rows);
        take_marks(perm, v->s, rows, n, t);
        if (marks[k].source == STEPS_BY_PROGRAM && !count_steps(v, rows, t))
            t->n = n = 0;
        t->source = n ? marks[k].source : STEPS_NONE;
        keep_marks(v->s, rows, n, t);
    }
    if (t->n)
        follow_device(tmp, v, t);
    else
        find_period(perm, tmp, v, t);
}

/* Steady: most steps are as long as the median, within 10 %. */
static void find_steady(struct arena tmp, struct trace_steps *t)
{
    int64_t *ns = arena_take_raw(&tmp, sizeof *ns, 8, t->n);
    for (int32_t k = 0; k < t->n; k++) {
        ns[k] = t->rows[k].dur_ns;
        t->least_ns = !k || ns[k] < t->least_ns ? ns[k] : t->least_ns;
        t->most_ns = ns[k] > t->most_ns ? ns[k] : t->most_ns;
    }
    t->median_ns = median_of(tmp, ns, t->n);
    int64_t off_ns = t->median_ns / 100 * STEADY_PCT;
    for (int32_t k = 0; k < t->n && t->n >= STEPS_LEAST; k++) {
        int64_t by_ns = t->rows[k].dur_ns - t->median_ns;
        t->rows[k].steady = by_ns <= off_ns && by_ns >= -off_ns;
        t->n_steady += t->rows[k].steady;
    }
    if (2 * t->n_steady <= t->n)
        t->n_steady = 0;
    int32_t n = 0;
    for (int32_t k = 0; k < t->n; k++) {
        t->rows[k].steady &= t->n_steady > 0;
        if (t->rows[k].steady)
            ns[n++] = t->rows[k].dur_ns;
    }
    if (n)
        t->median_ns = median_of(tmp, ns, n);
}

struct trace_steps trace_steps_find(struct arena *perm, struct arena tmp,
                                    const struct event_store *s,
                                    const struct launch_link *l, const int32_t *counted,
                                    int32_t n)
{
    struct trace_steps t = {0};
    find_steps(perm, tmp, &(struct source){s, l, counted, n}, &t);
    find_steady(tmp, &t);
    return t;
}

int32_t trace_step_at(const struct trace_steps *t, int64_t ns)
{
    int32_t low = 0, high = t->n;
    while (low < high) {
        int32_t mid = low + (high - low) / 2;
        if (t->rows[mid].start_ns <= ns)
            low = mid + 1;
        else
            high = mid;
    }
    const struct trace_step *row = low ? &t->rows[low - 1] : NULL;
    return row && ns < row->start_ns + row->dur_ns ? low - 1 : -1;
}
