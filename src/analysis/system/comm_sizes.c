#include "analysis/system/comm_sizes.h"

#include "analysis/model/finding.h"
#include "analysis/system/collective_kinds.h"
#include "base/sort.h"
#include "ops/op_tables.h"
#include "ops/trace_view.h"

#include <stdlib.h>

enum { FEWEST_EACH = 3 };
static const double MIB = 1 << 20, BESIDE = 0.8; /* of its time, to count as beside */
static const double EVEN = 2;                    /* most between calls alone */

static struct comm_size row_of(const struct collective_row *c, double link_gb_s)
{
    struct comm_size r = {.kind = collective_kind_of(c->key[COLLECTIVE_NAME]),
                          .dtype = c->key[COLLECTIVE_DTYPE],
                          .group = c->key[COLLECTIVE_GROUP],
                          .n = c->us.n,
                          .bytes = MIB * fmax(c->in_mib, c->out_mib),
                          .min_us = c->us.min,
                          .median_us = c->us.median,
                          .sum_ms = c->us.sum / 1e3};
    if (!str_int(c->key[COLLECTIVE_GROUP_SIZE], &r.ranks) || r.ranks < 1)
        r.ranks = 0;
    double factor = r.ranks > 1 ? collective_bus_factor(r.kind, r.ranks) : (double)NAN;
    r.algorithm_gb_s = r.min_us > 0 ? r.bytes / r.min_us / 1e3 : (double)NAN;
    r.bus_gb_s = r.algorithm_gb_s * factor;
    r.median_bus_gb_s =
        r.median_us > 0 ? r.bytes / r.median_us / 1e3 * factor : (double)NAN;
    r.link_pct = link_gb_s > 0 ? 100 * r.bus_gb_s / link_gb_s : (double)NAN;
    return r;
}

static bool is_sized(const struct comm_size *r)
{
    return r->bytes > 0 && r->min_us > 0 && r->ranks > 1;
}

/* What a message takes at the best rate is less than any call takes. */
static void find_small(struct comm_sizes *c)
{
    for (int32_t i = 0; i < c->n; i++) {
        struct comm_size *r = &c->rows[i];
        double factor = r->algorithm_gb_s > 0 ? r->bus_gb_s / r->algorithm_gb_s : 0;
        double us = r->bytes * factor / c->best_bus_gb_s / 1e3;
        r->small = us < c->latency_us;
        c->n_small += r->small ? r->n : 0;
        c->small_ms += r->small ? r->sum_ms : 0;
    }
}

static void add_rows(struct arena *perm, struct comm_sizes *c,
                     const struct op_tables *t)
{
    const struct collective_table *from = &t->collectives;
    c->rows = arena_new(perm, struct comm_size, from->n);
    c->latency_us = (double)INFINITY;
    for (int32_t i = 0; i < from->n; i++) {
        struct comm_size r = row_of(&from->rows[i], c->link_gb_s);
        if (!is_sized(&r))
            continue;
        c->rows[c->n++] = r;
        c->best_bus_gb_s = fmax(c->best_bus_gb_s, r.bus_gb_s); /* NaN loses */
        c->latency_us = fmin(c->latency_us, r.min_us);
        c->total_ms += r.sum_ms;
    }
    if (c->link_gb_s > 0)
        c->best_link_pct = 100 * c->best_bus_gb_s / c->link_gb_s;
    find_small(c);
}

/* How much of a span is in a set, in ns. */
static int64_t shared_ns(const struct interval_set *x, struct span s)
{
    ptrdiff_t low = 0, high = x->n;
    while (low < high) {
        ptrdiff_t middle = low + (high - low) / 2;
        if (x->spans[middle].end_ns <= s.start_ns)
            low = middle + 1;
        else
            high = middle;
    }
    int64_t ns = 0;
    for (; low < x->n && x->spans[low].start_ns < s.end_ns; low++) {
        int64_t from = x->spans[low].start_ns, to = x->spans[low].end_ns;
        ns += (to < s.end_ns ? to : s.end_ns) - (from > s.start_ns ? from : s.start_ns);
    }
    return ns;
}

static struct span span_of(const struct event_store *s, event_id gpu)
{
    return (struct span){s->start_ns[gpu], store_end_ns(s, gpu)};
}

static struct interval_set communication(struct arena *a, const struct trace_view *v)
{
    struct span *spans = arena_take_raw(a, sizeof *spans, 8, v->n_counted);
    ptrdiff_t n = 0;
    for (int32_t k = 0; k < v->n_counted; k++)
        if (view_class(v, v->counted[k]) == GPU_COMMUNICATION)
            spans[n++] = span_of(v->s, v->counted[k]);
    return interval_union(*a, spans, n);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Calls of one kernel with one launch: those beside communication against the median of
 * those alone, unless these are of many sizes. */
static void compare_calls(struct arena tmp, const struct trace_view *v,
                          const struct interval_set *comm, const struct sort_row *rows,
                          int32_t n, struct comm_sizes *c)
{
    double *alone = arena_take_raw(&tmp, sizeof *alone, 8, n), beside_ns = 0;
    int32_t n_alone = 0, n_beside = 0;
    for (int32_t k = 0; k < n; k++) {
        struct span s = span_of(v->s, rows[k].row);
        double own = (double)(s.end_ns - s.start_ns),
               shared = (double)shared_ns(comm, s);
        if (shared == 0)
            alone[n_alone++] = own;
        else if (shared >= BESIDE * own) {
            n_beside++;
            beside_ns += own;
        }
    }
    if (n_alone < FEWEST_EACH || n_beside < FEWEST_EACH)
        return;
    qsort(alone, (size_t)n_alone, sizeof *alone, by_value);
    if (alone[n_alone - 1 - n_alone / 10] > EVEN * alone[n_alone / 10])
        return;
    c->n_beside += n_beside;
    c->beside_ms += beside_ns / 1e6;
    c->lost_ms += (beside_ns - n_beside * alone[n_alone / 2]) / 1e6;
}

static void find_slowed(struct arena tmp, const struct trace_view *v,
                        struct comm_sizes *c)
{
    const struct event_store *s = v->s;
    struct interval_set comm = communication(&tmp, v);
    struct sort_row *rows = arena_take_raw(&tmp, sizeof *rows, 8, v->n_counted);
    int32_t n = 0;
    for (int32_t k = 0; k < v->n_counted; k++) {
        event_id gpu = v->counted[k];
        const struct op_texts *t = store_texts(s, gpu);
        if (s->cat[gpu] == CAT_KERNEL && view_class(v, gpu) == GPU_COMPUTE && t &&
            t->rest >= 0)
            rows[n++] = (struct sort_row){(int64_t)s->name[gpu] << 32 | t->rest, gpu};
    }
    sort_rows(tmp, rows, n);
    for (int32_t k = 0, end; k < n; k = end) {
        for (end = k + 1; end < n && rows[end].key == rows[k].key;)
            end++;
        if (end - k >= 2 * FEWEST_EACH)
            compare_calls(tmp, v, &comm, &rows[k], end - k, c);
    }
    double alone_ms = c->beside_ms - c->lost_ms;
    if (c->n_beside && alone_ms > 0)
        c->slowed_pct = 100 * c->lost_ms / alone_ms;
}

struct comm_sizes comm_sizes_of(struct arena *perm, struct arena tmp,
                                const struct analysis *a)
{
    const struct op_tables *t = a->tables;
    struct comm_sizes c = {.link_gb_s = t->device ? t->device->peer_link_gb_per_s : 0,
                           .best_bus_gb_s = (double)NAN,
                           .best_link_pct = (double)NAN,
                           .slowed_pct = (double)NAN};
    add_rows(perm, &c, t);
    if (c.n && !(t->view->devices && t->view->devices->n > 1))
        find_slowed(tmp, t->view, &c);
    if (isnan(c.slowed_pct))
        c.beside_ms = c.lost_ms = (double)NAN;
    return c;
}

bool comm_size_is_far(const struct comm_size *c)
{
    const int64_t MOST_IN_ONE = 8;
    return c->ranks > MOST_IN_ONE;
}

struct comm_size comm_size_most(const struct analysis *a, enum comm_kind_id kind)
{
    const struct collective_table *from = a->tables ? &a->tables->collectives : NULL;
    for (int32_t i = 0; from && i < from->n; i++) {
        struct comm_size r = row_of(&from->rows[i], 0);
        if (comm_kind_of(r.kind) == kind && is_sized(&r))
            return r;
    }
    return (struct comm_size){.bytes = (double)NAN, .median_bus_gb_s = (double)NAN};
}
