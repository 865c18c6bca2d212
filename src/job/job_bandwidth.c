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
    b.bus_gb_s = b.algorithm_gb_s * collective_bus_factor(b.kind, b.ranks);
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

/* Groups whose transfers are slow against those of groups that do the same, and the
 * nodes that explain them: all their groups are slow, and few others. Groups within a
 * node and groups between nodes are told apart, as different wires serve them. */

enum { SLOW_MIN = 2, SLOW_LEAST_NS = 5000 };

#define SLOW_RATIO   1.2
#define SUSPECT_FRAC 0.8
#define OTHERS_FRAC  0.3

/* The mean transfer of each group, of those that are complete, as if loads were even;
 * 0: none. */
static int64_t *transfers_of(struct arena *a, const struct job *j)
{
    int64_t *of = arena_new(a, int64_t, j->n_groups);
    for (int g = 0; g < j->n_groups; g++) {
        const struct job_group *group = &j->groups[g];
        double sum = 0;
        int32_t n = 0;
        for (int32_t i = 0; i < group->n_instances; i++) {
            const struct job_instance *x = &j->instances[group->first_instance + i];
            if (x->is_decomposed && x->is_complete)
                sum += (double)x->min_dur_ns * (double)x->even_frac;
            n += x->is_decomposed && x->is_complete;
        }
        of[g] = n ? llround(sum / n) : 0;
    }
    return of;
}

/* Groups that do the same over wires of the same kind: each against the quicker ones,
 * as half of them may be slow. */
static void compare(struct arena tmp, struct job *j, const struct sort_row *rows, int n,
                    const int64_t *transfer_ns)
{
    int64_t *ns = arena_new(&tmp, int64_t, n);
    for (int i = 0; i < n; i++)
        ns[i] = transfer_ns[rows[i].row];
    int64_t usual_ns = nth_ns(ns, n, (n - 1) / 4);
    for (int i = 0; n > 1 && i < n; i++) {
        struct job_group *g = &j->groups[rows[i].row];
        int64_t own_ns = transfer_ns[rows[i].row];
        g->slow_ratio = (double)own_ns / (double)usual_ns;
        g->is_slow = g->slow_ratio > SLOW_RATIO && own_ns - usual_ns > SLOW_LEAST_NS;
    }
}

static void find_slow_groups(struct arena tmp, struct job *j)
{
    int64_t *transfer_ns = transfers_of(&tmp, j);
    struct sort_row *rows = arena_new(&tmp, struct sort_row, j->n_groups);
    int n = 0;
    for (int32_t g = 0; g < j->n_groups; g++)
        if (transfer_ns[g] > 0)
            rows[n++] = (struct sort_row){
                2 * (int64_t)j->groups[g].family + j->groups[g].crosses_nodes, g};
    sort_rows(tmp, rows, n);
    for (int from = 0, to; from < n; from = to) {
        for (to = from + 1; to < n && rows[to].key == rows[from].key;)
            to++;
        compare(tmp, j, rows + from, to - from, transfer_ns);
    }
}

/* For each node, the groups with it: how many, how many of them slow, and how slow. */
struct tally {
    int *with, *slow, *last; /* last: the group that was counted last */
    double *ratio;
    int n, n_slow; /* of all */
};

static void count_group(const struct job *j, int32_t group, struct tally *t)
{
    const struct job_group *g = &j->groups[group];
    t->n++;
    t->n_slow += g->is_slow;
    for (int i = 0; i < g->n_ranks; i++) {
        int node = node_of_rank(j, g->ranks[i]);
        if (node < 0 || node >= j->n_nodes || t->last[node] == group + 1)
            continue;
        t->last[node] = group + 1;
        t->with[node]++;
        t->slow[node] += g->is_slow;
        t->ratio[node] += g->is_slow ? g->slow_ratio : 0;
    }
}

static double slow_frac(const struct tally *t, int node)
{
    return t->with[node] ? (double)t->slow[node] / t->with[node] : 0;
}

/* Of several nodes that may explain it those that do best. */
static void find_suspects(struct arena *perm, struct arena tmp, struct job *j,
                          bool inside)
{
    struct tally t = {.with = arena_new(&tmp, int, j->n_nodes),
                      .slow = arena_new(&tmp, int, j->n_nodes),
                      .last = arena_new(&tmp, int, j->n_nodes),
                      .ratio = arena_new(&tmp, double, j->n_nodes)};
    for (int32_t g = 0; g < j->n_groups; g++)
        if (!isnan(j->groups[g].slow_ratio) && j->groups[g].crosses_nodes != inside)
            count_group(j, g, &t);
    double most = 0;
    for (int node = 0; node < j->n_nodes; node++)
        most = fmax(most, slow_frac(&t, node));
    for (int node = 0; node < j->n_nodes; node++) {
        int without = t.n - t.with[node];
        struct job_suspect s = {
            .node = node,
            .inside = inside,
            .n_slow = t.slow[node],
            .n_groups = t.with[node],
            .frac = slow_frac(&t, node),
            .other_frac = without ? (double)(t.n_slow - t.slow[node]) / without : 0,
            .ratio = t.slow[node] ? t.ratio[node] / t.slow[node] : 1};
        if (s.n_slow < SLOW_MIN || !without || s.frac < SUSPECT_FRAC ||
            s.other_frac > OTHERS_FRAC || s.frac < most)
            continue;
        arena_grow(perm, j->suspects, j->n_suspects);
        j->suspects[j->n_suspects++] = s;
    }
}

void job_slow_links(struct arena *perm, struct arena tmp, struct job *j)
{
    find_slow_groups(tmp, j);
    find_suspects(perm, tmp, j, false);
    find_suspects(perm, tmp, j, true);
}

/* Whose experts get more than their share, by what ranks send and receive in
 * all-to-all-v: of the two directions, the one that is less even tells. */

struct direction {
    double sum, most;
    bool known;
};

static struct direction direction_of(const struct job *j, const struct job_instance *x,
                                     bool out, double *of)
{
    struct direction d = {.known = true};
    for (int32_t k = 0; k < x->n_members; k++) {
        const struct job_signature *s =
            &j->signatures[member_of(j, x->first_member + k)->signature];
        int64_t n = out ? s->out_elements : s->in_elements;
        d.known &= n >= 0;
        of[k] = (double)n;
        d.sum += of[k];
        d.most = fmax(d.most, of[k]);
    }
    d.known &= d.sum > 0;
    return d;
}

/* How much more than an even one an all-to-all-v of these takes. */
static void add_instance(struct arena tmp, struct job *j, int32_t instance, double *got,
                         double *share)
{
    struct job_instance *x = &j->instances[instance];
    double *in = arena_new(&tmp, double, x->n_members);
    double *out = arena_new(&tmp, double, x->n_members);
    struct direction a = direction_of(j, x, false, in);
    struct direction b = direction_of(j, x, true, out);
    if (!a.known || !b.known)
        return;
    bool by_out = b.most * a.sum >= a.most * b.sum;
    double sum = by_out ? b.sum : a.sum, most = by_out ? b.most : a.most;
    for (int32_t k = 0; k < x->n_members; k++) {
        int32_t rank = j->members[x->first_member + k].rank;
        got[rank] += by_out ? out[k] : in[k];
        share[rank] += sum / x->n_members;
    }
    x->even_frac = (float)(sum / x->n_members / most);
}

void job_find_uneven(struct arena tmp, struct job *j)
{
    double *got = arena_new(&tmp, double, j->n_ranks);
    double *share = arena_new(&tmp, double, j->n_ranks);
    for (int32_t i = 0; i < j->n_instances; i++) {
        struct job_instance *x = &j->instances[i];
        x->even_frac = 1;
        if (j->signatures[x->signature].kind == COLLECTIVE_ALL_TO_ALL_V &&
            x->is_complete && x->n_members > 1)
            add_instance(tmp, j, i, got, share);
        j->is_uneven |= (double)x->even_frac < UNEVEN_FRAC;
    }
    for (int i = 0; i < j->n_ranks; i++)
        j->ranks[i].load_frac = share[i] > 0 ? got[i] / share[i] : (double)NAN;
}
