/* Groups whose transfers are slow against those of groups that do the same, and the
 * nodes that explain them: all their groups are slow, and few others. Groups within a
 * node and groups between nodes are told apart, as different wires serve them. */
#include "base/sort.h"
#include "job/job_parts.h"

#include <math.h>

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
