#include "analysis/stack/layers_period.h"

#include "base/sort.h"
#include "ops/trace_view.h"

#include <string.h>

enum {
    PERIOD_LEAST = 4, /* kernels */
    PERIOD_MOST = 4096,
    REPEATS_LEAST = 4, /* three may be micro-batches of a step */
    CANDIDATES = 16
};
static const double LEAST_SHARE = 0.5; /* of all device time */
static const double AS_GOOD = 0.9;     /* of the best share: the shortest such period */

/* Kernels of a stream in their order. */
struct sequence {
    const struct event_store *s;
    event_id *gpu;
    int32_t n;
    int64_t ns; /* of all device work, on other streams too */
};

static int32_t busiest_lane(struct arena tmp, const struct trace_view *v)
{
    int64_t *ns = arena_new(&tmp, int64_t, v->s->n_lanes);
    int32_t best = -1;
    for (int32_t k = 0; k < v->n_counted; k++) {
        event_id gpu = v->counted[k];
        int32_t lane = v->s->lane[gpu];
        if (view_class(v, gpu) != GPU_COMPUTE)
            continue;
        ns[lane] += store_dur_ns(v->s, gpu);
        if (best < 0 || ns[lane] > ns[best])
            best = lane;
    }
    return best;
}

static struct sequence sequence_of(struct arena *a, const struct trace_view *v)
{
    const struct event_store *s = v->s;
    struct sequence q = {s, arena_take_raw(a, sizeof *q.gpu, 4, v->n_counted), 0, 0};
    int32_t lane = busiest_lane(*a, v);
    struct sort_row *rows = arena_take_raw(a, sizeof *rows, 8, v->n_counted);
    for (int32_t k = 0; k < v->n_counted; k++) {
        event_id gpu = v->counted[k];
        q.ns += store_dur_ns(s, gpu);
        if (s->lane[gpu] == lane && view_class(v, gpu) == GPU_COMPUTE)
            rows[q.n++] = (struct sort_row){s->start_ns[gpu], gpu};
    }
    sort_rows(*a, rows, q.n);
    for (int32_t k = 0; k < q.n; k++)
        q.gpu[k] = rows[k].row;
    return q;
}

static bool matches(const struct sequence *q, int32_t i, int32_t period)
{
    return i + period < q->n && q->s->name[q->gpu[i]] == q->s->name[q->gpu[i + period]];
}

/* From `at` on, the next kernels that repeat often enough: where they begin, and how
 * many periods; 0: there are no more. */
static int32_t next_run(const struct sequence *q, int32_t period, int32_t *at)
{
    int32_t from = *at;
    for (int32_t i = from; i < q->n; i++) {
        if (matches(q, i, period))
            continue;
        int32_t repeats = (i - from) / period + 1;
        if (repeats >= REPEATS_LEAST) {
            *at = from;
            return repeats;
        }
        from = i + 1;
    }
    return 0;
}

static int64_t covered_ns(const struct sequence *q, int32_t period)
{
    int64_t ns = 0;
    int32_t at = 0;
    for (int32_t n; (n = next_run(q, period, &at)) > 0; at += n * period)
        for (int32_t i = at; i < at + n * period; i++)
            ns += store_dur_ns(q->s, q->gpu[i]);
    return ns;
}

/* Distances at which most names come again, the most frequent first. */
static int candidates(struct arena tmp, const struct sequence *q, int32_t longest,
                      int32_t found[CANDIDATES])
{
    int32_t *last = arena_new(&tmp, int32_t, q->s->names.n),
            *votes = arena_new(&tmp, int32_t, PERIOD_MOST + 1);
    int n = 0;
    for (int32_t i = 0; i < q->n; i++) {
        name_id name = q->s->name[q->gpu[i]];
        int32_t apart = last[name] ? i + 1 - last[name] : 0;
        if (apart >= PERIOD_LEAST && apart <= longest)
            votes[apart]++;
        last[name] = i + 1;
    }
    while (n < CANDIDATES) {
        int32_t best = 0;
        for (int32_t k = PERIOD_LEAST; k <= longest; k++)
            if (votes[k] > votes[best])
                best = k;
        if (!best)
            break;
        votes[best] = 0;
        found[n++] = best;
    }
    return n;
}

/* The shortest that covers nearly as much as any; 0: none covers enough. */
static int32_t find_period(struct arena tmp, const struct sequence *q, int32_t n_steps)
{
    int32_t list[CANDIDATES], best = 0;
    int64_t ns[CANDIDATES], most = 0;
    int32_t longest = q->n / (n_steps > 1 ? n_steps : 1) / 2; /* less than a step */
    int n = candidates(tmp, q, longest < PERIOD_MOST ? longest : PERIOD_MOST, list);
    for (int k = 0; k < n; k++) {
        ns[k] = covered_ns(q, list[k]);
        most = ns[k] > most ? ns[k] : most;
    }
    if ((double)most < LEAST_SHARE * (double)q->ns || most == 0)
        return 0;
    for (int k = 0; k < n; k++)
        if ((double)ns[k] >= AS_GOOD * (double)most && (!best || list[k] < best))
            best = list[k];
    return best;
}

static void add_block(struct layer *r, const struct sequence *q, int32_t from,
                      int32_t period)
{
    int64_t ended_ns = q->s->start_ns[q->gpu[from]];
    r->calls++;
    r->kernels += period;
    for (int32_t i = from; i < from + period; i++) {
        event_id gpu = q->gpu[i];
        int64_t gap_ns = q->s->start_ns[gpu] - ended_ns,
                end_ns = store_end_ns(q->s, gpu);
        r->idle_ns += gap_ns > 0 ? gap_ns : 0;
        r->forward_ns += store_dur_ns(q->s, gpu);
        ended_ns = end_ns > ended_ns ? end_ns : ended_ns;
    }
}

struct layers layers_by_period(struct arena *perm, struct arena tmp,
                               const struct trace_view *v)
{
    struct layers l = {0};
    struct sequence q = sequence_of(&tmp, v);
    int32_t at = 0, most = 0;
    l.period = find_period(tmp, &q, v->steps.n);
    if (!l.period)
        return l;
    for (int32_t n; (n = next_run(&q, l.period, &at)) > 0; at += n * l.period)
        most = n > most ? n : most;
    l.n = most;
    l.n_classes = 1;
    l.rows = arena_new(perm, struct layer, most);
    l.classes = arena_new(perm, struct layer_class, 1);
    l.classes[0] = (struct layer_class){
        .name = str_printf(perm, "period of %d kernels", (int)l.period), .n = most};
    for (int32_t k = 0; k < most; k++)
        l.rows[k] = (struct layer){.name = str_printf(perm, "layer %d", (int)k + 1),
                                   .class = l.classes[0].name};
    at = 0;
    for (int32_t n; (n = next_run(&q, l.period, &at)) > 0; at += n * l.period)
        for (int32_t k = 0; k < n; k++)
            add_block(&l.rows[k], &q, at + k * l.period, l.period);
    return l;
}
