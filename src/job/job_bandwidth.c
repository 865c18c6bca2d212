/* How fast data moves: by kind and size, over sizes, by group and by node. */
#include "base/sort.h"
#include "job/job_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIT_SIZES = 4, FIT_RANGE = 8 };

struct sample {
    struct job_bandwidth key;
    int64_t transfer_ns, skew_ns, wait_ns;
    int32_t at;
};

static int by_key(const void *a, const void *b)
{
    const struct sample *x = a, *y = b;
    const struct job_bandwidth *p = &x->key, *q = &y->key;
    if (p->kind != q->kind)
        return p->kind < q->kind ? -1 : 1;
    if (p->ranks != q->ranks)
        return p->ranks < q->ranks ? -1 : 1;
    if (p->crosses_nodes != q->crosses_nodes)
        return p->crosses_nodes ? 1 : -1;
    if (p->bytes != q->bytes)
        return p->bytes > q->bytes ? -1 : 1;
    int order = str_cmp(p->dtype, q->dtype);
    return order ? order : (x->at > y->at) - (x->at < y->at);
}

static bool same_key(const struct sample *x, const struct sample *y)
{
    const struct job_bandwidth *p = &x->key, *q = &y->key;
    return p->kind == q->kind && p->ranks == q->ranks && p->bytes == q->bytes &&
           p->crosses_nodes == q->crosses_nodes && str_eq(p->dtype, q->dtype);
}

/* What the bus carries for each byte of the message, as the libraries' benchmarks say.
 */
static double bus_factor(enum collective_kind kind, int n)
{
    switch (kind) {
    case COLLECTIVE_ALL_REDUCE:
        return 2.0 * (n - 1) / n;
    case COLLECTIVE_REDUCE_SCATTER:
    case COLLECTIVE_ALL_GATHER:
    case COLLECTIVE_ALL_TO_ALL:
    case COLLECTIVE_ALL_TO_ALL_V:
        return (double)(n - 1) / n;
    default:
        return 1;
    }
}

static struct job_bandwidth row_of(struct arena tmp, const struct job *j,
                                   const struct sample *s, int32_t n)
{
    int64_t *v = arena_new(&tmp, int64_t, n);
    struct job_bandwidth b = s->key;
    b.n = n;
    for (int32_t i = 0; i < n; i++) {
        v[i] = s[i].transfer_ns;
        b.wait_ns += s[i].wait_ns;
    }
    b.transfer_ns = median_ns(v, n);
    b.p95_ns = nth_ns(v, n, (int64_t)(n - 1) * 95 / 100);
    int32_t counting = 0;
    for (int32_t i = 0; i < n; i++)
        if (s[i].skew_ns >= 0)
            v[counting++] = s[i].skew_ns;
    b.skew_ns = counting ? median_ns(v, counting) : -1;
    bool known = b.bytes > 0 && b.transfer_ns > 0;
    b.algorithm_gb_s = known ? (double)b.bytes / (double)b.transfer_ns : (double)NAN;
    b.bus_gb_s = b.algorithm_gb_s * bus_factor(b.kind, b.ranks);
    b.peak_frac = b.bus_gb_s / j->options.link_gb_s[b.crosses_nodes];
    return b;
}

static void add_rows(struct arena *perm, struct arena tmp, struct job *j)
{
    struct sample *all = arena_new(&tmp, struct sample, j->n_instances);
    int32_t n = 0;
    for (int32_t i = 0; i < j->n_instances; i++) {
        const struct job_instance *x = &j->instances[i];
        const struct job_signature *s = &j->signatures[x->signature];
        const struct job_group *g = &j->groups[x->group];
        if (!x->is_decomposed)
            continue;
        all[n++] = (struct sample){
            {.kind = s->kind,
             .dtype = s->dtype,
             .bytes = s->bytes,
             .ranks = g->size,
             .crosses_nodes = g->crosses_nodes},
            x->min_dur_ns,
            instance_counts(j, x) ? x->last_start_ns - x->first_start_ns : -1,
            x->wait_ns,
            i};
    }
    qsort(all, (size_t)n, sizeof *all, by_key);
    for (int32_t from = 0, to; from < n; from = to) {
        for (to = from + 1; to < n && same_key(&all[from], &all[to]);)
            to++;
        arena_grow(perm, j->bandwidth, j->n_bandwidth);
        j->bandwidth[j->n_bandwidth++] = row_of(tmp, j, all + from, to - from);
    }
}

static int by_real(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double middle(double *v, int n)
{
    qsort(v, (size_t)n, sizeof *v, by_real);
    return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

/* The middle of the slopes between all pairs of sizes, and of what is left at 0. */
static void fit_rows(struct arena *perm, struct arena tmp, struct job *j,
                     const struct job_bandwidth *b, int n)
{
    enum { SIZES_MAX = 256 };
    n = n < SIZES_MAX ? n : SIZES_MAX;
    double *slopes = arena_new(&tmp, double, (ptrdiff_t)n *n);
    double *rest = arena_new(&tmp, double, n);
    int m = 0;
    for (int i = 0; i < n; i++)
        for (int k = i + 1; k < n; k++)
            if (b[i].bytes != b[k].bytes)
                slopes[m++] = (double)(b[i].transfer_ns - b[k].transfer_ns) /
                              (double)(b[i].bytes - b[k].bytes);
    double slope = m ? middle(slopes, m) : 0;
    if (slope <= 0)
        return;
    for (int i = 0; i < n; i++)
        rest[i] = (double)b[i].transfer_ns - slope * (double)b[i].bytes;
    arena_grow(perm, j->fits, j->n_fits);
    j->fits[j->n_fits++] = (struct job_fit){
        b->kind, b->ranks, n, b->crosses_nodes, middle(rest, n) / 1e3, 1 / slope};
}

static void add_fits(struct arena *perm, struct arena tmp, struct job *j)
{
    for (int from = 0, to; from < j->n_bandwidth; from = to) {
        const struct job_bandwidth *b = &j->bandwidth[from];
        int known = 0;
        for (to = from; to < j->n_bandwidth; to++) {
            const struct job_bandwidth *c = &j->bandwidth[to];
            if (c->kind != b->kind || c->ranks != b->ranks ||
                c->crosses_nodes != b->crosses_nodes)
                break;
            known += c->bytes > 0;
        }
        if (known >= FIT_SIZES && b->bytes >= FIT_RANGE * b[known - 1].bytes)
            fit_rows(perm, tmp, j, b, known);
    }
}

void job_bandwidths(struct arena *perm, struct arena tmp, struct job *j)
{
    add_rows(perm, tmp, j);
    add_fits(perm, tmp, j);
}
