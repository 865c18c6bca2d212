#include "analysis/system/backward_prefetch.h"

#include "analysis/system/launched_within.h"
#include "base/sort.h"
#include "ops/trace_view.h"

/* Of both generations of the wrapper. */
static const char *const first_hook = "fullyshardeddataparallel._pre_backward",
                         *const second_hook = "fsdp::pre_backward",
                         *const prefetches =
                             "fullyshardeddataparallel._pre_backward_prefetch|"
                             "fullyshardeddataparallel._post_backward_prefetch|"
                             "fsdp::backward_prefetch";

static bool has(struct arena tmp, const struct trace_view *v, const char *names)
{
    return named_spans_of(&tmp, v->s, CAT_ANNOTATION, names).n > 0;
}

/* How long the device computes between two times that follow those asked before. */
struct walk {
    struct interval_set compute;
    ptrdiff_t at;
};

static int64_t computing_ns(struct walk *w, int64_t from_ns, int64_t to_ns)
{
    int64_t sum = 0;
    while (w->at < w->compute.n && w->compute.spans[w->at].end_ns <= from_ns)
        w->at++;
    for (ptrdiff_t k = w->at; k < w->compute.n; k++) {
        struct span s = w->compute.spans[k];
        if (s.start_ns >= to_ns)
            break;
        sum += (s.end_ns < to_ns ? s.end_ns : to_ns) -
               (s.start_ns > from_ns ? s.start_ns : from_ns);
    }
    return sum;
}

/* Calls of the wrapper, in order; a row is the place in v->counted. */
static int32_t order_calls(struct arena *tmp, const struct trace_view *v,
                           const uint8_t *kind, struct sort_row **rows)
{
    int32_t n = 0;
    *rows = arena_take_raw(tmp, sizeof **rows, 8, v->n_counted);
    for (int32_t k = 0; k < v->n_counted; k++)
        if (kind[k] < COMM_KINDS)
            (*rows)[n++] = (struct sort_row){v->s->start_ns[v->counted[k]], k};
    sort_rows(*tmp, *rows, n);
    return n;
}

/* A reduce-scatter and the all-gather right behind it, if next to nothing is computed
 * meanwhile; what follows, up to the next collective, is what could run beside them. */
static void add_pair(struct backward_prefetch *p, const struct trace_view *v,
                     struct walk *w, event_id reduce, event_id gather, int64_t until_ns)
{
    int64_t from_ns = v->s->start_ns[reduce], to_ns = store_end_ns(v->s, gather);
    int64_t both_ns = store_dur_ns(v->s, reduce) + store_dur_ns(v->s, gather);
    int64_t beside_ns = computing_ns(w, from_ns, to_ns);
    if (5 * beside_ns > both_ns)
        return;
    int64_t alone_ns = both_ns - beside_ns, next_ns = computing_ns(w, to_ns, until_ns);
    p->gpu[2 * p->pairs] = reduce;
    p->gpu[2 * p->pairs++ + 1] = gather;
    p->exposed_us += (double)alone_ns / 1e3;
    p->hides_us += (double)(alone_ns < next_ns ? alone_ns : next_ns) / 1e3;
}

struct backward_prefetch backward_prefetch_find(struct arena *perm, struct arena tmp,
                                                const struct trace_view *v,
                                                const uint8_t *kind,
                                                struct interval_set compute)
{
    struct backward_prefetch p = {0};
    struct sort_row *rows = NULL;
    struct walk w = {compute, 0};
    bool first = has(tmp, v, first_hook);
    p.sharded = first || has(tmp, v, second_hook);
    p.second = p.sharded && !first;
    if (!p.sharded || has(tmp, v, prefetches))
        return p;
    int32_t n = order_calls(&tmp, v, kind, &rows);
    p.gpu = arena_take_raw(perm, sizeof *p.gpu, 4, n);
    for (int32_t k = 0; k + 1 < n; k++)
        if (kind[rows[k].row] == COMM_REDUCE_SCATTER &&
            kind[rows[k + 1].row] == COMM_ALL_GATHER)
            add_pair(&p, v, &w, v->counted[rows[k].row], v->counted[rows[k + 1].row],
                     k + 2 < n ? rows[k + 2].key : INT64_MAX);
    return p;
}
