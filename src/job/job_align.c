/* The clocks of the ranks, from the ends of collectives, which all leave together. */
#include "base/sort.h"
#include "job/job_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    ANCHOR_BYTES = 32 * 1024, /* smaller ones end less evenly */
    ANCHORS_SMALL = 16,       /* unless there are this many of them */
    ANCHORS_MIN = 8,          /* fewer: any collective that all must leave together */
    DRIFT_ANCHORS = 50,
    DRIFT_LEAST_NS = 5000,
    DRIFT_MOST = 100, /* no clock gains more than one part in this many */
    TOLERANCE_NS = 1000,
    OFFSET_LEAST_NS = 2000, /* some clocks count whole us */
    SWEEPS_MAX = 200
};

#define DOUBTFUL_FRAC 0.01

struct aligner {
    struct arena *perm, tmp;
    struct job *j;
    uint8_t *is_anchor; /* by instance */
    bool *is_loose;     /* by group: its anchors end less evenly */
    bool *has_strict;   /* by rank: a group of it is not loose */
    int64_t *middle_ns; /* by instance: of an anchor, the middle of its ends */
    bool has_moved;     /* some clock, since the middles were found */
};

static bool must_leave_together(enum collective_kind k)
{
    return k == COLLECTIVE_ALL_REDUCE || k == COLLECTIVE_BARRIER;
}

static bool leaves_late(enum collective_kind k)
{
    return k == COLLECTIVE_REDUCE_SCATTER || k == COLLECTIVE_ALL_GATHER ||
           k == COLLECTIVE_ALL_TO_ALL || k == COLLECTIVE_COALESCED;
}

static int64_t member_end_ns(const struct job *j, int64_t place)
{
    const struct job_member *m = member_of(j, place);
    return m->start_ns + m->dur_ns;
}

/* The anchors of a group: all-reduces and barriers if they are enough, else all that
 * synchronise. */
static void choose_anchors(struct aligner *a, int32_t group)
{
    const struct job_group *g = &a->j->groups[group];
    int32_t large = 0, small = 0, end = g->first_instance + g->n_instances;
    for (int32_t i = g->first_instance; i < end; i++) {
        const struct job_instance *x = &a->j->instances[i];
        const struct job_signature *s = &a->j->signatures[x->signature];
        bool fits = x->n_members > 1 && must_leave_together(s->kind);
        small += fits;
        large += fits && s->bytes >= ANCHOR_BYTES;
    }
    bool any_size = small >= ANCHORS_SMALL;
    bool enough = any_size || large >= ANCHORS_MIN;
    a->is_loose[group] = !enough;
    for (int32_t i = g->first_instance; i < end; i++) {
        const struct job_instance *x = &a->j->instances[i];
        const struct job_signature *s = &a->j->signatures[x->signature];
        bool strict = must_leave_together(s->kind);
        a->is_anchor[i] = x->n_members > 1 &&
                          (enough ? strict && (any_size || s->bytes >= ANCHOR_BYTES)
                                  : strict || leaves_late(s->kind));
    }
}

/* Offsets of the ranks of one group against each other. */
struct group_offset {
    int32_t rank, group;
    int64_t offset_ns, spread_ns;
    int64_t n;
};

static int64_t spread_of(int64_t *v, ptrdiff_t n)
{
    return nth_ns(v, n, 3 * n / 4 < n ? 3 * n / 4 : n - 1) - nth_ns(v, n, n / 4);
}

/* For each member of each anchor of the group: how far its end is ahead. */
static struct group_offset *offsets_of_group(struct aligner *a, int32_t group, int *n)
{
    enum { SOON = 16 };
    const struct job *j = a->j;
    const struct job_group *g = &j->groups[group];
    struct arena tmp = a->tmp;
    int64_t *ends = arena_new(&tmp, int64_t, j->n_ranks);
    int32_t *count = arena_new(&tmp, int32_t, j->n_ranks + 1);
    int32_t end = g->first_instance + g->n_instances;
    int64_t total = 0;
    for (int32_t i = g->first_instance; i < end; i++)
        for (int32_t k = 0; a->is_anchor[i] && k < j->instances[i].n_members;
             k++, total++)
            count[j->members[j->instances[i].first_member + k].rank + 1]++;
    for (int32_t r = 0; r < j->n_ranks; r++)
        count[r + 1] += count[r];
    int64_t *ahead = arena_take_raw(&tmp, sizeof *ahead, 8, total);
    int32_t *next = arena_new(&tmp, int32_t, j->n_ranks);
    memcpy(next, count, (size_t)j->n_ranks * sizeof *next);
    for (int32_t i = g->first_instance; i < end; i++) {
        const struct job_instance *x = &j->instances[i];
        if (!a->is_anchor[i])
            continue;
        for (int32_t k = 0; k < x->n_members; k++) {
            member_soon(j, x->first_member + k);
            ends[k] = member_end_ns(j, x->first_member + k);
        }
        int64_t middle_ns = a->middle_ns[i] = median_ns(ends, x->n_members);
        for (int32_t k = 0; k < x->n_members; k++) {
            int32_t at = x->first_member + k, rank = j->members[at].rank;
            if (k + SOON < x->n_members) /* each has its place in a list far apart */
                __builtin_prefetch(&ahead[next[j->members[at + SOON].rank]], 1);
            ahead[next[rank]++] = member_end_ns(j, at) - middle_ns;
        }
    }
    struct group_offset *made = NULL;
    *n = 0;
    for (int32_t r = 0; r < j->n_ranks; r++) {
        int32_t own = count[r + 1] - count[r];
        if (!own)
            continue;
        arena_grow(a->perm, made, *n);
        int64_t offset_ns = median_ns(ahead + count[r], own);
        made[(*n)++] = (struct group_offset){r, group, offset_ns,
                                             spread_of(ahead + count[r], own), own};
    }
    return made;
}

/* Ranks that anchors connect, each with the first of them. */
static int32_t first_of(int32_t *with, int32_t rank)
{
    while (with[rank] != rank)
        rank = with[rank] = with[with[rank]];
    return rank;
}

/* An end of a transfer, told apart by who sends: of both directions between two ranks
 * the mean counts, as a sender may leave before the receiver does. */
struct pair_end {
    int64_t key; /* 2 * pair + direction */
    int32_t ranks[2];
    int64_t apart_ns;
};

static ptrdiff_t pair_ends(struct arena *a, const struct job *j, int32_t *with,
                           struct pair_end **ends)
{
    ptrdiff_t n = 0;
    *ends = NULL;
    for (int32_t i = 0; i < j->n_instances; i++) {
        const struct job_instance *x = &j->instances[i];
        if (x->n_members != 2)
            continue;
        const struct job_member *m[2] = {member_of(j, x->first_member),
                                         member_of(j, x->first_member + 1)};
        int32_t rank[2] = {j->members[x->first_member].rank,
                           j->members[x->first_member + 1].rank};
        enum collective_kind kind[2] = {j->signatures[m[0]->signature].kind,
                                        j->signatures[m[1]->signature].kind};
        bool sends = kind[0] == COLLECTIVE_SEND;
        if (kind[sends] != COLLECTIVE_RECV || kind[!sends] != COLLECTIVE_SEND ||
            first_of(with, rank[0]) == first_of(with, rank[1]))
            continue;
        arena_grow(a, *ends, n);
        (*ends)[n++] = (struct pair_end){
            ((int64_t)rank[0] * j->n_ranks + rank[1]) * 2 + sends,
            {rank[0], rank[1]},
            member_end_ns(j, x->first_member) - member_end_ns(j, x->first_member + 1)};
    }
    return n;
}

/* Where no collective tells how far two clocks are apart, what they send does. Adds
 * offsets of pairs, each a group of its own behind the others; returns their number. */
static int add_pairs(struct aligner *a, int32_t *with, struct group_offset **all,
                     ptrdiff_t *n)
{
    const struct job *j = a->j;
    struct arena tmp = a->tmp;
    struct pair_end *ends;
    ptrdiff_t n_ends = pair_ends(&tmp, j, with, &ends);
    struct sort_row *by = arena_new(&tmp, struct sort_row, n_ends);
    int64_t *ns = arena_new(&tmp, int64_t, n_ends);
    int n_pairs = 0;
    for (ptrdiff_t i = 0; i < n_ends; i++)
        by[i] = (struct sort_row){ends[i].key, (int32_t)i};
    sort_rows(tmp, by, n_ends);
    for (ptrdiff_t from = 0, to; from < n_ends; from = to) {
        int64_t apart_ns = 0, spread_ns = 0;
        int ways = 0;
        for (to = from; to < n_ends && by[to].key / 2 == by[from].key / 2; ways++) {
            ptrdiff_t first = to;
            for (; to < n_ends && by[to].key == by[first].key; to++)
                ns[to - first] = ends[by[to].row].apart_ns;
            int64_t own_ns = spread_of(ns, to - first);
            spread_ns = own_ns > spread_ns ? own_ns : spread_ns;
            apart_ns += median_ns(ns, to - first);
        }
        for (int k = 0; k < 2 && to - from >= ANCHORS_MIN; k++) {
            int64_t half_ns = apart_ns / ways / 2;
            arena_grow(a->perm, *all, *n);
            (*all)[(*n)++] = (struct group_offset){
                ends[by[from].row].ranks[k], j->n_groups + n_pairs,
                k ? -half_ns : half_ns, spread_ns, to - from};
        }
        n_pairs += to - from >= ANCHORS_MIN;
    }
    return n_pairs;
}

/* Entries of each rank, then of each group behind the ranks: those of node i are
 * entry[first[i]] to entry[first[i + 1] - 1]. */
struct offset_graph {
    int32_t *first, *entry;
};

static struct offset_graph offset_graph_of(struct arena *a,
                                           const struct group_offset *all, ptrdiff_t n,
                                           int n_ranks, int n_groups)
{
    struct offset_graph g = {arena_new(a, int32_t, n_ranks + n_groups + 1),
                             arena_new(a, int32_t, 2 * n)};
    for (ptrdiff_t i = 0; i < n; i++) {
        g.first[all[i].rank + 1]++;
        g.first[n_ranks + all[i].group + 1]++;
    }
    for (int i = 0; i < n_ranks + n_groups; i++)
        g.first[i + 1] += g.first[i];
    struct arena tmp = *a;
    int32_t *next = arena_new(&tmp, int32_t, n_ranks + n_groups);
    memcpy(next, g.first, (size_t)(n_ranks + n_groups) * sizeof *next);
    for (ptrdiff_t i = 0; i < n; i++) {
        g.entry[next[all[i].rank]++] = (int32_t)i;
        g.entry[next[n_ranks + all[i].group]++] = (int32_t)i;
    }
    return g;
}

/* Offsets that agree with one way to each rank and group from the first: clocks that
 * are ms apart over many stages take no steps to come to. Of each entry the offset is
 * the sum of its rank's and its group's. */
static void start_offsets(struct arena tmp, const struct group_offset *all, ptrdiff_t n,
                          int n_ranks, int n_groups, double *rank, double *group)
{
    struct offset_graph g = offset_graph_of(&tmp, all, n, n_ranks, n_groups);
    int32_t *queue = arena_new(&tmp, int32_t, n_ranks + n_groups);
    bool *known = arena_new(&tmp, bool, n_ranks + n_groups);
    for (int from = 0; from < n_ranks; from++) {
        int head = 0, tail = 0;
        if (!known[from])
            queue[tail++] = from;
        known[from] = true;
        while (head < tail) {
            int32_t node = queue[head++];
            for (int32_t k = g.first[node]; k < g.first[node + 1]; k++) {
                const struct group_offset *o = &all[g.entry[k]];
                bool to_group = node < n_ranks;
                int32_t other = to_group ? n_ranks + o->group : o->rank;
                if (known[other])
                    continue;
                known[other] = true;
                queue[tail++] = other;
                if (to_group)
                    group[o->group] = (double)o->offset_ns - rank[o->rank];
                else
                    rank[o->rank] = (double)o->offset_ns - group[o->group];
            }
        }
    }
}

/* One offset a rank from those in all its groups: least squares, the narrower spreads
 * counting more. Ranks that no group connects keep what they have. */
static void join_offsets(struct arena tmp, struct job *j,
                         const struct group_offset *all, ptrdiff_t n, int n_groups)
{
    double *rank = arena_new(&tmp, double, j->n_ranks);
    double *group = arena_new(&tmp, double, n_groups);
    double *sum = arena_new(&tmp, double, j->n_ranks + n_groups);
    double *weight = arena_new(&tmp, double, j->n_ranks + n_groups);
    start_offsets(tmp, all, n, j->n_ranks, n_groups, rank, group);
    for (int sweep = 0; sweep < SWEEPS_MAX; sweep++) {
        double moved = 0;
        for (int side = 0; side < 2; side++) {
            int count = side ? n_groups : j->n_ranks;
            memset(sum, 0, (size_t)count * sizeof *sum);
            memset(weight, 0, (size_t)count * sizeof *weight);
            for (ptrdiff_t i = 0; i < n; i++) {
                double spread = (double)all[i].spread_ns + 100;
                double w = 1 / (spread * spread);
                int at = side ? all[i].group : all[i].rank;
                double other = side ? rank[all[i].rank] : group[all[i].group];
                double own = (double)all[i].offset_ns;
                sum[at] += w * (side ? own - other : own - other);
                weight[at] += w;
            }
            for (int i = 0; i < count; i++) {
                double *to = side ? &group[i] : &rank[i];
                double now = weight[i] > 0 ? sum[i] / weight[i] : 0;
                moved = fmax(moved, fabs(now - *to));
                *to = now;
            }
        }
        if (moved < 1)
            break;
    }
    for (int i = 0; i < j->n_ranks; i++)
        j->ranks[i].offset_ns = llround(rank[i]);
}

/* The reference is the middle of all. */
static void centre(struct arena tmp, struct job *j)
{
    int64_t *v = arena_new(&tmp, int64_t, j->n_ranks);
    int n = 0;
    for (int i = 0; i < j->n_ranks; i++)
        if (j->ranks[i].n_anchors)
            v[n++] = j->ranks[i].offset_ns;
    int64_t middle_ns = median_ns(v, n);
    for (int i = 0; i < j->n_ranks; i++)
        if (j->ranks[i].n_anchors)
            j->ranks[i].offset_ns -= middle_ns;
}

static void take_offset(struct job_rank *r, const struct group_offset *o)
{
    if (!r->n_anchors || o->spread_ns < r->spread_ns) {
        r->spread_ns = o->spread_ns;
        r->offset_ns = o->offset_ns;
    }
    r->n_anchors += o->n;
}

static void find_offsets(struct aligner *a)
{
    struct job *j = a->j;
    struct group_offset *all = NULL;
    ptrdiff_t n = 0;
    bool single = true;
    int32_t *with = arena_new(&a->tmp, int32_t, j->n_ranks);
    for (int32_t i = 0; i < j->n_ranks; i++)
        with[i] = i;
    for (int32_t g = 0; g < j->n_groups; g++) {
        int own;
        struct group_offset *made = offsets_of_group(a, g, &own);
        for (int i = 0; i < own; i++) {
            arena_grow(a->perm, all, n);
            all[n++] = made[i];
            single &= !j->ranks[made[i].rank].n_anchors;
            take_offset(&j->ranks[made[i].rank], &made[i]);
            a->has_strict[made[i].rank] |= !a->is_loose[g];
            with[first_of(with, made[i].rank)] = first_of(with, made[0].rank);
        }
    }
    ptrdiff_t of_groups = n;
    int n_pairs = add_pairs(a, with, &all, &n);
    for (ptrdiff_t i = of_groups; i < n; i++)
        take_offset(&j->ranks[all[i].rank], &all[i]);
    if (!single || n_pairs) {
        join_offsets(a->tmp, j, all, n, j->n_groups + n_pairs);
        centre(a->tmp, j);
    }
}

/* Ends before the last has come, by no more than this, are as good as together. */
static int64_t tolerance_ns(const struct job_rank *r)
{
    int64_t ns = 3 * r->spread_ns;
    return ns > TOLERANCE_NS ? ns : TOLERANCE_NS;
}

/* Offsets that are not surely there are none: a middle of many is surer than each; but
 * where ranks leave one after the other, always in the same order, it is not. */
static int64_t least_offset_ns(const struct aligner *a, int32_t rank)
{
    const struct job_rank *r = &a->j->ranks[rank];
    double spread = 3 * (double)r->spread_ns;
    if (a->has_strict[rank])
        spread /= sqrt((double)r->n_anchors);
    return spread > OFFSET_LEAST_NS ? llround(spread) : OFFSET_LEAST_NS;
}

static void apply_offsets(struct aligner *a)
{
    for (int32_t i = 0; i < a->j->n_ranks; i++) {
        struct job_rank *r = &a->j->ranks[i];
        r->clock_applied = r->n_anchors && llabs(r->offset_ns) > least_offset_ns(a, i);
        a->has_moved |= r->clock_applied;
        if (r->clock_applied)
            rank_shift(r, -r->offset_ns);
    }
}

/* How fast a clock gains on the middle of the others: the middle of the slopes between
 * the anchors of its first and of its second half. */
static void add_drift(struct aligner *a, struct job_rank *r, const struct sort_row *at,
                      const int64_t *ahead, int32_t n)
{
    enum { PARTS = 1000000 };
    struct arena tmp = a->tmp;
    int64_t *slopes = arena_new(&tmp, int64_t, n), *rest = arena_new(&tmp, int64_t, n);
    int32_t half = n / 2, m = 0;
    int64_t span_ns = at[n - 1].key - at[0].key;
    for (int32_t i = 0; i + half < n; i++) {
        int64_t apart_ns = at[i + half].key - at[i].key;
        int64_t gained_ns = ahead[i + half] - ahead[i];
        if (apart_ns > 0 && llabs(gained_ns) < apart_ns / DRIFT_MOST)
            slopes[m++] = llround((double)gained_ns * 1e3 * PARTS / (double)apart_ns);
    }
    if (!m)
        return;
    double slope = (double)median_ns(slopes, m) / 1e3 / PARTS;
    for (int32_t i = 0; i < n; i++)
        rest[i] = ahead[i] - llround(slope * (double)(at[i].key - at[0].key));
    int64_t spread_ns = spread_of(rest, n);
    double gained_ns = fabs(slope) * (double)span_ns;
    if (gained_ns <= 2 * (double)spread_ns || gained_ns <= DRIFT_LEAST_NS)
        return;
    int64_t left_ns = median_ns(rest, n);
    r->drift_ppm = slope * 1e6;
    r->spread_ns = spread_ns;
    r->clock_applied = true;
    rank_shift(r, -left_ns);
    rank_slow(r, slope, at[0].key);
}

static void find_middles(struct aligner *a)
{
    const struct job *j = a->j;
    struct arena tmp = a->tmp;
    int64_t *ends = arena_new(&tmp, int64_t, j->n_ranks);
    for (int32_t i = 0; i < j->n_instances; i++) {
        const struct job_instance *x = &j->instances[i];
        for (int32_t k = 0; a->is_anchor[i] && k < x->n_members; k++) {
            member_soon(j, x->first_member + k);
            ends[k] = member_end_ns(j, x->first_member + k);
        }
        if (a->is_anchor[i])
            a->middle_ns[i] = median_ns(ends, x->n_members);
    }
}

static void find_drifts(struct aligner *a)
{
    struct job *j = a->j;
    struct arena tmp = a->tmp;
    if (a->has_moved)
        find_middles(a);
    for (int i = 0; i < j->n_ranks; i++) {
        struct job_rank *r = &j->ranks[i];
        struct arena own = tmp;
        struct sort_row *at = arena_new(&own, struct sort_row, r->n_rows);
        int64_t *ahead = arena_new(&own, int64_t, r->n_rows);
        int32_t n = 0;
        for (int32_t k = 0; k < r->n_rows; k++) {
            const struct job_member *m = &r->rows[k];
            if (m->instance < 0 || !a->is_anchor[m->instance])
                continue;
            at[n].key = m->start_ns + m->dur_ns;
            ahead[n] = at[n].key - a->middle_ns[m->instance];
            n++;
        }
        a->tmp = own;
        if (n >= DRIFT_ANCHORS)
            add_drift(a, r, at, ahead, n);
    }
}

/* Nobody has received before the other has begun to send. */
static void check_transfer(struct job *j, const struct job_instance *x)
{
    for (int k = 0; k < 2; k++) {
        int64_t place = x->first_member + k;
        const struct job_member *m = member_of(j, place),
                                *other = member_of(j, x->first_member + !k);
        struct job_rank *r = &j->ranks[j->members[place].rank];
        if (j->signatures[m->signature].kind != COLLECTIVE_RECV)
            continue;
        bool early = member_end_ns(j, place) < other->start_ns - tolerance_ns(r);
        r->n_violations += early;
        j->n_clock_violations += early;
        j->n_clock_checked++;
    }
}

/* Nobody leaves before the last has come. */
static void check_causality(struct job *j)
{
    for (int32_t i = 0; i < j->n_instances; i++) {
        const struct job_instance *x = &j->instances[i];
        enum collective_kind kind = j->signatures[x->signature].kind;
        if (x->n_members == 2 && (kind == COLLECTIVE_SEND || kind == COLLECTIVE_RECV))
            check_transfer(j, x);
        if (x->n_members < 2 || !(must_leave_together(kind) || leaves_late(kind)))
            continue;
        int64_t last_ns = INT64_MIN;
        for (int32_t k = 0; k < x->n_members; k++) {
            const struct job_member *m = member_of(j, x->first_member + k);
            member_soon(j, x->first_member + k);
            last_ns = m->start_ns > last_ns ? m->start_ns : last_ns;
        }
        for (int32_t k = 0; k < x->n_members; k++) {
            int64_t place = x->first_member + k;
            struct job_rank *r = &j->ranks[j->members[place].rank];
            bool early = member_end_ns(j, place) < last_ns - tolerance_ns(r);
            r->n_violations += early;
            j->n_clock_violations += early;
            j->n_clock_checked++;
        }
    }
    j->clock_good =
        j->n_clock_checked > 0 &&
        (double)j->n_clock_violations <= DOUBTFUL_FRAC * (double)j->n_clock_checked;
}

void job_align(struct arena *perm, struct arena tmp, struct job *j)
{
    j->clock_method = S("ends of collectives");
    if (j->options.clock == CLOCK_NONE) {
        j->clock_method = S("lengths of collectives");
        j->clock_free = true;
        for (int i = 0; i < j->n_ranks; i++)
            rank_shift(&j->ranks[i], -j->ranks[i].start_ns);
        return;
    }
    struct aligner a = {.perm = perm, .tmp = tmp, .j = j};
    a.is_anchor = arena_new(&a.tmp, uint8_t, j->n_instances);
    a.is_loose = arena_new(&a.tmp, bool, j->n_groups);
    a.has_strict = arena_new(&a.tmp, bool, j->n_ranks);
    a.middle_ns = arena_new(&a.tmp, int64_t, j->n_instances);
    for (int32_t g = 0; g < j->n_groups; g++)
        choose_anchors(&a, g);
    find_offsets(&a);
    if (j->options.clock == CLOCK_TRUST) {
        j->clock_method = S("as recorded");
    } else {
        apply_offsets(&a);
        find_drifts(&a);
    }
    check_causality(j);
    j->clock_free =
        j->options.clock == CLOCK_AUTO && j->n_clock_checked && !j->clock_good;
}

/* Collectives that run beside computation, as those of gradients do. A rank that waits
 * in one computes meanwhile what a late rank computes after it: only counted from the
 * start of the one to the start of the next are the two alike. */

#define HIDDEN_FRAC 0.5 /* of a stay: then nothing waited for its end */

/* Computation of the rank until a time; `before`: of the covers before each. */
static int64_t until_ns(const struct job_rank *r, const int64_t *before, int64_t ns)
{
    int32_t low = 0, high = r->n_covers;
    while (low < high) {
        int32_t mid = low + (high - low) / 2;
        if (r->covers[mid].start_ns < ns)
            low = mid + 1;
        else
            high = mid;
    }
    if (!low)
        return 0;
    int64_t in_ns = ns - r->covers[low - 1].start_ns,
            dur_ns = r->covers[low - 1].dur_ns;
    return before[low - 1] + (in_ns < dur_ns ? in_ns : dur_ns);
}

/* How much of each stay is beside computation, for all rows of a rank. */
static void find_covered(struct arena tmp, const struct job_rank *r, int64_t *ns)
{
    int64_t *before = arena_new(&tmp, int64_t, r->n_covers);
    for (int32_t i = 1; i < r->n_covers; i++)
        before[i] = before[i - 1] + r->covers[i - 1].dur_ns;
    for (int32_t i = 0; i < r->n_rows; i++) {
        const struct job_member *m = &r->rows[i];
        ns[i] = until_ns(r, before, m->start_ns + m->dur_ns) -
                until_ns(r, before, m->start_ns);
    }
}

static bool is_hidden(struct arena tmp, const struct job *j,
                      const struct job_instance *x, int64_t *const *covered)
{
    enum { SOON = 12 };
    int64_t *permille = arena_take_raw(&tmp, sizeof *permille, 8, x->n_members);
    for (int32_t i = 0; i < x->n_members; i++) {
        const struct member_ref *m = &j->members[x->first_member + i];
        member_soon(j, x->first_member + i);
        if (i + SOON < x->n_members)
            __builtin_prefetch(&covered[m[SOON].rank][m[SOON].row]);
        int64_t dur_ns = j->ranks[m->rank].rows[m->row].dur_ns;
        permille[i] = dur_ns > 0 ? 1000 * covered[m->rank][m->row] / dur_ns : 0;
    }
    return x->n_members && (double)nth_ns(permille, x->n_members, x->n_members / 2) >=
                               1000 * HIDDEN_FRAC;
}

/* The segment of a row begins with the collective before. */
static void extend(const struct job_member *before, int64_t covered,
                   struct job_member *m)
{
    int64_t ns = m->start_ns - member_segment_ns(m) - before->start_ns;
    int64_t at_work = ns < covered ? ns : covered;
    if (ns <= 0)
        return;
    m->part_ns[SEGMENT_COMPUTE] += at_work;
    m->part_ns[SEGMENT_OTHER] += ns - at_work;
}

void job_hide(struct arena tmp, struct job *j)
{
    int64_t **covered = arena_new(&tmp, int64_t *, j->n_ranks);
    bool *hidden = arena_new(&tmp, bool, j->n_instances);
    for (int i = 0; i < j->n_ranks; i++) {
        covered[i] = arena_new(&tmp, int64_t, j->ranks[i].n_rows);
        find_covered(tmp, &j->ranks[i], covered[i]);
    }
    for (int32_t i = 0; i < j->n_instances; i++)
        hidden[i] = is_hidden(tmp, j, &j->instances[i], covered);
    for (int k = 0; k < j->n_ranks; k++) {
        struct job_rank *r = &j->ranks[k];
        for (int32_t i = 1; i < r->n_rows; i++) {
            int32_t before = r->rows[i - 1].instance;
            if (before >= 0 && hidden[before])
                extend(&r->rows[i - 1], covered[k][i - 1], &r->rows[i]);
        }
    }
}
