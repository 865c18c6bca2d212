#include "analysis/system/idle_steps.h"

#include "base/duration.h"

enum { LITTLE = 10, REGULAR_LEAST = 3 };

static int64_t step_end_ns(const struct trace_step *s)
{
    return s->start_ns + s->dur_ns;
}

/* Of the steps from k on, the one that has most of a span; -1: none has any. */
static int32_t step_of(const struct trace_steps *steps, int32_t k,
                       const struct idle_span *x)
{
    int32_t best = -1;
    int64_t most_ns = 0;
    for (; k < steps->n && steps->rows[k].start_ns < x->end_ns; k++) {
        int64_t in_ns = sooner(step_end_ns(&steps->rows[k]), x->end_ns) -
                        later(steps->rows[k].start_ns, x->start_ns);
        best = in_ns > most_ns ? k : best;
        most_ns = later(in_ns, most_ns);
    }
    return best;
}

/* Spans and steps go by time. A span is of the step that has most of it: what the next
 * step waits for may begin at the very end of the one before. */
static int64_t *time_by_step(struct arena *a, const struct trace_steps *steps,
                             const struct idle_group *g)
{
    int64_t *ns = arena_new(a, int64_t, steps->n);
    int32_t k = 0;
    for (int32_t i = 0; i < g->n_spans; i++) {
        const struct idle_span *x = &g->spans[i];
        while (k < steps->n && step_end_ns(&steps->rows[k]) <= x->start_ns)
            k++;
        int32_t in = step_of(steps, k, x);
        if (in >= 0)
            ns[in] += x->end_ns - x->start_ns;
    }
    return ns;
}

static int64_t most_of(const int64_t *ns, int32_t n)
{
    int64_t most = 0;
    for (int32_t k = 0; k < n; k++)
        most = ns[k] > most ? ns[k] : most;
    return most;
}

/* As regular as can be seen: none is missing before the first and behind the last. */
static bool is_regular(const struct idle_steps *s, int32_t first, int32_t last,
                       int32_t all)
{
    return s->n >= REGULAR_LEAST && s->every > 1 && first < s->every &&
           all - last <= s->every;
}

struct idle_steps idle_steps_of(struct arena tmp, const struct trace_steps *steps,
                                const struct idle_group *g)
{
    const int64_t *ns = time_by_step(&tmp, steps, g);
    int64_t most = most_of(ns, steps->n);
    struct idle_steps s = {.first = -1};
    int32_t first = 0, last = 0;
    for (int32_t k = 0; k < steps->n && most; k++) {
        if (ns[k] < most / LITTLE || !ns[k])
            continue;
        if (!s.n) {
            first = k;
            s.first = steps->rows[k].number;
        }
        s.every = s.n == 0 ? 0 : s.n == 1 || k - last == s.every ? k - last : -1;
        s.each_ms += (double)ns[k] / 1e6;
        s.n++;
        last = k;
    }
    if (!is_regular(&s, first, last, steps->n))
        s.every = 0;
    s.each_ms = s.n ? s.each_ms / s.n : 0;
    return s;
}
