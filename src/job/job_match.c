/* Which collectives of several ranks are one, group by group: by their sequence
 * numbers; else by the distances between their ends, which need no clock; else by kind,
 * size and time; else in order, if nothing contradicts. */
#include "base/int_map.h"
#include "base/sort.h"
#include "job/job_parts.h"

#include <stdlib.h>
#include <string.h>

enum {
    ALIGNED_NS = 1000000,
    ALIGNED_MAX = 64,     /* rows tried for one */
    AHEAD_ROWS = 1 << 12, /* of a rank, that tell how far its clock is ahead */
    CLUSTER_NS = 200000,
    EVEN_RATIO = 4 /* to the second best, where both have as many and none is shifted:
                    * steps that are alike leave little if they are shifted by one */
};

struct matcher {
    struct arena *perm, tmp;
    struct job *j;
    int32_t group;
    struct lane *lanes;
    int n_lanes;
    int32_t *at; /* for a lane: place in the reference, or -1 */
};

/* Rows of b in the order of a; false if a pair differs, which a shift cannot explain.
 */
static bool place_shifted(struct matcher *m, const struct lane *a, const struct lane *b,
                          int shift)
{
    for (int32_t k = 0; k < b->n; k++) {
        int32_t i = k - shift;
        m->at[k] = i >= 0 && i < a->n ? i : -1;
        if (m->at[k] >= 0 && !lane_rows_alike(m->j, a, i, b, k))
            return false;
    }
    return true;
}

/* How far the clock of b is ahead, by the largest cluster of differences between ends
 * of like rows; false if no cluster has a third of them. */
static bool find_ahead(struct matcher *m, const struct lane *a, const struct lane *b,
                       int64_t *ahead_ns)
{
    struct arena tmp = m->tmp;
    int32_t each = b->n / AHEAD_ROWS + 1;
    ptrdiff_t n = 0, most = 0, cap = ((ptrdiff_t)b->n / each + 1) * (2 * SHIFT_MAX + 1);
    struct sort_row *all = arena_take_raw(&tmp, sizeof *all, 8, cap);
    for (int32_t k = 0; k < b->n; k += each)
        for (int32_t i = k > SHIFT_MAX ? k - SHIFT_MAX : 0;
             i < a->n && i <= k + SHIFT_MAX; i++)
            if (lane_rows_alike(m->j, a, i, b, k)) {
                all[n] = (struct sort_row){
                    lane_end_ns(m->j, b, k) - lane_end_ns(m->j, a, i), (int32_t)n};
                n++;
            }
    sort_rows(tmp, all, n);
    for (ptrdiff_t low = 0, high = 0; high < n; high++) {
        while (all[high].key - all[low].key > CLUSTER_NS)
            low++;
        if (high - low + 1 > most) {
            most = high - low + 1;
            *ahead_ns = all[low + (high - low) / 2].key;
        }
    }
    int32_t fewer = a->n < b->n ? a->n : b->n;
    return most >= 3 && 3 * most >= fewer / each;
}

static bool place_aligned(struct matcher *m, const struct lane *a, const struct lane *b)
{
    int64_t ahead_ns;
    if (!find_ahead(m, a, b, &ahead_ns))
        return false;
    for (int32_t k = 0, i = 0; k < b->n; k++) {
        int64_t want_ns = lane_end_ns(m->j, b, k) - ahead_ns;
        int32_t best = -1;
        m->at[k] = -1;
        while (i < a->n && lane_end_ns(m->j, a, i) < want_ns - ALIGNED_NS)
            i++;
        for (int32_t c = i; c < a->n && c < i + ALIGNED_MAX &&
                            lane_end_ns(m->j, a, c) <= want_ns + ALIGNED_NS;
             c++)
            if (lane_rows_alike(m->j, a, c, b, k) &&
                (best < 0 || llabs(lane_end_ns(m->j, a, c) - want_ns) <
                                 llabs(lane_end_ns(m->j, a, best) - want_ns)))
                best = c;
        if (best >= 0) {
            m->at[k] = best;
            i = best + 1;
        }
    }
    return true;
}

static bool place_in_order(struct matcher *m, const struct lane *a,
                           const struct lane *b, const struct shift *s)
{
    if (a->n != b->n || s->best_ns > RESIDUAL_MAX_NS)
        return false;
    return place_shifted(m, a, b, 0);
}

/* Places rows of b beside those of a, as sure as can be. */
static enum match_confidence place(struct matcher *m, const struct lane *a,
                                   const struct lane *b)
{
    struct shift s = lanes_shift(m->j, a, b);
    bool even = a->n == b->n && s.by == 0 && s.best_ns >= 0 &&
                s.best_ns <= RESIDUAL_MAX_NS && EVEN_RATIO * s.best_ns < s.second_ns;
    if ((even || shift_is_verified(&s)) && place_shifted(m, a, b, s.by))
        return CONFIDENCE_VERIFIED;
    if (place_in_order(m, a, b, &s))
        return CONFIDENCE_ORDER;
    if (place_aligned(m, a, b))
        return CONFIDENCE_ALIGNED;
    for (int32_t k = 0; k < b->n; k++)
        m->at[k] = -1;
    return CONFIDENCE_NONE;
}

static void worsen(struct job_group *g, enum match_confidence c)
{
    if (c > g->confidence)
        g->confidence = c;
}

/* Ranks leave a collective together; where a group communicates on several streams,
 * they need not come to its collectives in one order. */
static void order_by_ends(struct arena tmp, const struct job *j, struct lane *l)
{
    bool in_order = true;
    for (int32_t k = 1; k < l->n && in_order; k++)
        in_order = lane_end_ns(j, l, k - 1) <= lane_end_ns(j, l, k);
    if (in_order)
        return;
    struct sort_row *by = arena_new(&tmp, struct sort_row, l->n);
    for (int32_t k = 0; k < l->n; k++)
        by[k] = (struct sort_row){lane_end_ns(j, l, k), l->rows[k]};
    sort_rows(tmp, by, l->n);
    for (int32_t k = 0; k < l->n; k++)
        l->rows[k] = by[k].row;
}

/* Instances are rows of the longest lane, the first of equals. */
static void match_by_ends(struct matcher *m)
{
    struct job *j = m->j;
    struct job_group *g = &j->groups[m->group];
    const struct lane *a = &m->lanes[0];
    for (int i = 0; i < m->n_lanes; i++)
        order_by_ends(m->tmp, j, &m->lanes[i]);
    for (int i = 1; i < m->n_lanes; i++)
        if (m->lanes[i].n > a->n)
            a = &m->lanes[i];
    g->n_instances = a->n;
    for (int32_t i = 0; i < a->n; i++)
        j->ranks[a->rank].rows[a->rows[i]].instance = i;
    g->confidence = m->n_lanes > 1 ? CONFIDENCE_VERIFIED : CONFIDENCE_ORDER;
    for (int i = 0; i < m->n_lanes; i++) {
        const struct lane *b = &m->lanes[i];
        if (b == a)
            continue;
        worsen(g, place(m, a, b));
        for (int32_t k = 0; k < b->n; k++)
            j->ranks[b->rank].rows[b->rows[k]].instance = m->at[k];
    }
}

/* By number; several kernels of one number, as coalesced calls have, in order. */
static void match_by_sequence(struct matcher *m)
{
    struct job *j = m->j;
    struct job_group *g = &j->groups[m->group];
    struct arena tmp = m->tmp;
    struct int_map at = int_map_make(&tmp, m->lanes[0].n);
    g->confidence = CONFIDENCE_EXACT;
    for (int i = 0; i < m->n_lanes; i++) {
        const struct lane *l = &m->lanes[i];
        int32_t again = 0;
        for (int32_t k = 0; k < l->n; k++) {
            struct job_member *x = &j->ranks[l->rank].rows[l->rows[k]];
            again =
                k && lane_row(m->j, l, k - 1)->sequence == x->sequence ? again + 1 : 0;
            int32_t *place = int_map_at(&at, &tmp, (int64_t)x->sequence << 32 | again);
            if (*place < 0)
                *place = g->n_instances++;
            x->instance = *place;
        }
    }
}

/* Sends and receives between two ranks are lanes of their own: the k-th of one side is
 * the k-th of the other. */
static int64_t pair_key(const struct job *j, const struct job_rank *r, int32_t row,
                        const struct job_group *g)
{
    bool sends = j->signatures[r->rows[row].signature].kind == COLLECTIVE_SEND;
    int64_t peer = r->peers ? r->peers[row] : -1;
    if (peer < 0 && g->n_ranks == 2)
        peer = g->ranks[0] == r->rank ? g->ranks[1] : g->ranks[0];
    if (peer < 0)
        return -1;
    return sends ? (int64_t)r->rank << 21 | peer : peer << 21 | r->rank;
}

static void match_pairs(struct matcher *m)
{
    struct job *j = m->j;
    struct job_group *g = &j->groups[m->group];
    struct arena tmp = m->tmp;
    struct int_map pairs = int_map_make(&tmp, 64), count = int_map_make(&tmp, 64),
                   at = int_map_make(&tmp, 1024);
    int32_t n_pairs = 0;
    bool numbered = true;
    for (int i = 0; i < m->n_lanes; i++) {
        const struct lane *l = &m->lanes[i];
        for (int32_t k = 0; k < l->n; k++) {
            struct job_member *x = &j->ranks[l->rank].rows[l->rows[k]];
            int64_t pair = pair_key(j, &j->ranks[l->rank], l->rows[k], g);
            if (pair < 0)
                continue;
            bool sends = j->signatures[x->signature].kind == COLLECTIVE_SEND;
            int32_t *number = int_map_at(&pairs, &tmp, pair);
            if (*number < 0)
                *number = n_pairs++;
            int64_t of = *number;
            int32_t *n = int_map_at(&count, &tmp, of << 1 | sends);
            numbered &= x->sequence >= 0;
            *n = *n < 0 ? 0 : *n + 1;
            int32_t *place = int_map_at(&at, &tmp, of << 32 | *n);
            if (*place < 0)
                *place = g->n_instances++;
            x->instance = *place;
        }
    }
    g->confidence = numbered ? CONFIDENCE_EXACT : CONFIDENCE_ORDER;
}

/* Some versions write one number for all collectives of a group. */
static bool counts_up(const struct matcher *m, const struct lane *l)
{
    enum { FEW = 3 };
    return l->n < FEW ||
           lane_row(m->j, l, 0)->sequence != lane_row(m->j, l, l->n - 1)->sequence;
}

static void match_group(struct matcher *m)
{
    struct job *j = m->j;
    bool numbered = true, pairs = true;
    for (int i = 0; i < m->n_lanes; i++)
        for (int32_t k = 0; k < m->lanes[i].n; k++) {
            const struct job_member *x = lane_row(m->j, &m->lanes[i], k);
            enum collective_kind kind = j->signatures[x->signature].kind;
            numbered &= x->sequence >= 0;
            pairs &= kind == COLLECTIVE_SEND || kind == COLLECTIVE_RECV;
        }
    for (int i = 0; i < m->n_lanes; i++)
        numbered &= counts_up(m, &m->lanes[i]);
    if (pairs)
        match_pairs(m);
    else if (numbered)
        match_by_sequence(m);
    else
        match_by_ends(m);
}

/* The rows of each group, rank after rank. */
static void match_groups(struct arena *perm, struct arena tmp, struct job *j)
{
    int32_t **rows = arena_new(&tmp, int32_t *, j->n_groups);
    struct lane **lanes = arena_new(&tmp, struct lane *, j->n_groups);
    int *n_lanes = arena_new(&tmp, int, j->n_groups);
    int32_t *n_rows = arena_new(&tmp, int32_t, j->n_groups), longest = 0;
    for (int g = 0; g < j->n_groups; g++) {
        rows[g] = arena_take_raw(&tmp, sizeof **rows, 4, j->groups[g].n_members);
        lanes[g] = arena_new(&tmp, struct lane, j->groups[g].n_present);
    }
    for (int32_t i = 0; i < j->n_ranks; i++) {
        const struct job_rank *r = &j->ranks[i];
        longest = r->n_rows > longest ? r->n_rows : longest;
        for (int32_t k = 0; k < r->n_rows; k++) {
            int32_t g = j->signatures[r->rows[k].signature].group;
            struct lane *l = n_lanes[g] ? &lanes[g][n_lanes[g] - 1] : NULL;
            if (!l || l->rank != i) {
                l = &lanes[g][n_lanes[g]++];
                *l = (struct lane){i, 0, rows[g] + n_rows[g]};
            }
            l->rows[l->n++] = k;
            n_rows[g]++;
        }
    }
    struct matcher m = {.perm = perm, .j = j};
    m.at = arena_new(&tmp, int32_t, longest);
    m.tmp = tmp;
    for (int32_t g = 0; g < j->n_groups; g++) {
        m.group = g;
        m.lanes = lanes[g];
        m.n_lanes = n_lanes[g];
        match_group(&m);
    }
}

/* Instances of all groups one after the other, with their members by rank. */
static void number_instances(struct arena *perm, struct job *j)
{
    for (int g = 0; g < j->n_groups; g++) {
        j->groups[g].first_instance = j->n_instances;
        j->n_instances += j->groups[g].n_instances;
    }
    j->instances = arena_new(perm, struct job_instance, j->n_instances);
    for (int32_t i = 0; i < j->n_ranks; i++)
        for (int32_t k = 0; k < j->ranks[i].n_rows; k++) {
            struct job_member *x = &j->ranks[i].rows[k];
            struct job_group *g = &j->groups[j->signatures[x->signature].group];
            if (x->instance < 0) {
                g->n_unmatched++;
                continue;
            }
            x->instance += g->first_instance;
            j->instances[x->instance].n_members++;
            j->n_members++;
        }
}

static void place_members(struct arena *perm, struct arena tmp, struct job *j)
{
    int32_t at = 0, *next = arena_new(&tmp, int32_t, j->n_instances);
    j->members = arena_new(perm, struct member_ref, j->n_members);
    for (int32_t i = 0; i < j->n_instances; i++) {
        j->instances[i].first_member = next[i] = at;
        at += j->instances[i].n_members;
    }
    for (int32_t i = 0; i < j->n_ranks; i++)
        for (int32_t k = 0; k < j->ranks[i].n_rows; k++) {
            int32_t instance = j->ranks[i].rows[k].instance;
            if (instance >= 0)
                j->members[next[instance]++] = (struct member_ref){i, k};
        }
}

/* The signature of an instance is that of the member which tells most. */
static bool tells_more(const struct job *j, int32_t a, int32_t b)
{
    const struct job_signature *x = &j->signatures[a], *y = &j->signatures[b];
    int x_known = (x->kind != COLLECTIVE_UNKNOWN) + (x->bytes >= 0);
    int y_known = (y->kind != COLLECTIVE_UNKNOWN) + (y->bytes >= 0);
    if (x_known != y_known)
        return x_known > y_known;
    return x->kind_source < y->kind_source;
}

static void find_signatures(struct job *j)
{
    for (int32_t i = 0; i < j->n_ranks; i++)
        for (int32_t k = 0; k < j->ranks[i].n_rows; k++) {
            const struct job_member *m = &j->ranks[i].rows[k];
            struct job_instance *x =
                m->instance < 0 ? NULL : &j->instances[m->instance];
            if (!x || x->signature == m->signature)
                continue;
            if (!signatures_alike(j, x->signature, m->signature))
                j->groups[x->group].n_mismatched++;
            if (tells_more(j, m->signature, x->signature))
                x->signature = m->signature;
        }
}

static void describe_instances(struct job *j)
{
    for (int32_t i = 0; i < j->n_instances; i++) {
        struct job_instance *x = &j->instances[i];
        const struct job_member *first = member_of(j, x->first_member);
        x->signature = first->signature;
        x->sequence = first->sequence;
        x->group = j->signatures[first->signature].group;
        x->step = -1;
    }
    find_signatures(j);
    for (int32_t i = 0; i < j->n_instances; i++) {
        struct job_instance *x = &j->instances[i];
        enum collective_kind kind = j->signatures[x->signature].kind;
        bool pair = kind == COLLECTIVE_SEND || kind == COLLECTIVE_RECV;
        j->has_several |= x->n_members > 1;
        x->is_complete = x->n_members >= (pair ? 2 : j->groups[x->group].size);
    }
}

/* The first collective that a rank recorded tells when its profiler began. */
static void mark_starts(struct job *j)
{
    for (int32_t i = 0; i < j->n_ranks; i++) {
        const struct job_rank *r = &j->ranks[i];
        for (int32_t k = 0; k < r->n_rows && k < 1; k++)
            if (r->rows[k].instance >= 0)
                j->instances[r->rows[k].instance].is_start = true;
    }
}

void job_match(struct arena *perm, struct arena tmp, struct job *j)
{
    match_groups(perm, tmp, j);
    number_instances(perm, j);
    place_members(perm, tmp, j);
    describe_instances(j);
    mark_starts(j);
}

enum {
    DISTANCES_MAX = 192, /* compared for each shift */
    NEAR_ROWS = DISTANCES_MAX + SHIFT_MAX,
    KINDS_MAX = 64,
    RESIDUAL_RATIO = 20 /* a wrong shift leaves this much more than the right one */
};

const struct job_member *lane_row(const struct job *j, const struct lane *l, int32_t i)
{
    return &j->ranks[l->rank].rows[l->rows[i]];
}

int64_t lane_end_ns(const struct job *j, const struct lane *l, int32_t i)
{
    const struct job_member *x = lane_row(j, l, i);
    return x->start_ns + x->dur_ns;
}

/* Kind and type agree, and the size where all ranks have the same. */
bool signatures_alike(const struct job *j, int32_t a, int32_t b)
{
    const struct job_signature *x = &j->signatures[a], *y = &j->signatures[b];
    if (a == b)
        return true;
    bool own_size =
        x->kind == COLLECTIVE_ALL_TO_ALL_V || x->kind == COLLECTIVE_ALL_GATHER ||
        x->kind == COLLECTIVE_REDUCE_SCATTER || x->kind == COLLECTIVE_COALESCED;
    bool pair = (x->kind == COLLECTIVE_SEND && y->kind == COLLECTIVE_RECV) ||
                (x->kind == COLLECTIVE_RECV && y->kind == COLLECTIVE_SEND);
    return (x->kind == y->kind || pair) &&
           (own_size || x->bytes == y->bytes || x->bytes < 0 || y->bytes < 0);
}

bool lane_rows_alike(const struct job *j, const struct lane *a, int32_t i,
                     const struct lane *b, int32_t k)
{
    return signatures_alike(j, lane_row(j, a, i)->signature,
                            lane_row(j, b, k)->signature);
}

/* The first rows of two lanes, as each shift asks for them. Rows are alike by the bit
 * of the kind of the one in the mask of the other. */
struct near {
    int64_t a_ns[NEAR_ROWS],
        b_ns[NEAR_ROWS]; /* from the end of a row to the next one's */
    uint64_t a_like[NEAR_ROWS + 1];
    uint8_t b_kind[NEAR_ROWS + 1];
    int32_t a_n, b_n; /* distances; b_n 0: of too many kinds */
};

static int32_t find_apart(const struct job *j, const struct lane *l, int64_t *ns)
{
    int32_t n = l->n - 1 < NEAR_ROWS ? l->n - 1 : NEAR_ROWS;
    for (int32_t i = 0; i < n; i++)
        ns[i] = lane_end_ns(j, l, i + 1) - lane_end_ns(j, l, i);
    return n;
}

static void find_near(const struct job *j, const struct lane *a, const struct lane *b,
                      struct near *to)
{
    int32_t kinds[KINDS_MAX], n = 0, last = -1;
    uint64_t like = 0;
    to->a_n = find_apart(j, a, to->a_ns);
    to->b_n = find_apart(j, b, to->b_ns);
    for (int32_t k = 0; k <= to->b_n; k++) {
        int32_t signature = lane_row(j, b, k)->signature, kind = 0;
        while (kind < n && kinds[kind] != signature)
            kind++;
        if (kind == KINDS_MAX) {
            to->b_n = 0;
            return;
        }
        n += kind == n;
        kinds[kind] = signature;
        to->b_kind[k] = (uint8_t)kind;
    }
    for (int32_t i = 0; i <= to->a_n; i++) {
        int32_t signature = lane_row(j, a, i)->signature;
        for (int32_t kind = 0; kind < n && signature != last; kind++) {
            like = kind ? like : 0;
            like |= (uint64_t)signatures_alike(j, signature, kinds[kind]) << kind;
        }
        last = signature;
        to->a_like[i] = like;
    }
}

/* Two lanes that are shifted against each other. */
struct shifted {
    const struct job *j;
    const struct lane *a, *b;
    struct near near;
};

/* By how much two distances from end to end differ; -1: they are of other collectives.
 */
static int64_t differ_ns(const struct shifted *s, int32_t i, int32_t k)
{
    const struct near *x = &s->near;
    if (i < x->a_n && k < x->b_n) {
        bool alike =
            x->a_like[i] >> x->b_kind[k] & x->a_like[i + 1] >> x->b_kind[k + 1] & 1;
        return alike ? llabs(x->a_ns[i] - x->b_ns[k]) : -1;
    }
    if (!lane_rows_alike(s->j, s->a, i, s->b, k) ||
        !lane_rows_alike(s->j, s->a, i + 1, s->b, k + 1))
        return -1;
    return llabs(lane_end_ns(s->j, s->a, i + 1) - lane_end_ns(s->j, s->a, i) -
                 (lane_end_ns(s->j, s->b, k + 1) - lane_end_ns(s->j, s->b, k)));
}

/* The middle difference of the distances from end to end if `b` lacks its first `shift`
 * rows (or has that many more); -1: too few to compare. -1 as well if it is `least_ns`
 * or more: half of the differences show that, without a search for the middle. */
static int64_t residual_ns(const struct shifted *s, int shift, int64_t least_ns,
                           int64_t *scratch)
{
    int32_t n = 0, above = 0, pairs = 0, i = shift < 0 ? -shift : 0;
    for (; n < DISTANCES_MAX && i + 1 < s->a->n && i + 1 + shift < s->b->n; i++) {
        int64_t ns = differ_ns(s, i, i + shift);
        pairs++;
        if (ns < 0)
            continue;
        above += ns >= least_ns;
        if (above > DISTANCES_MAX / 2)
            return -1;
        scratch[n++] = ns;
    }
    if (n < 2 || 2 * n < pairs || above > n / 2)
        return -1;
    return median_ns(scratch, n);
}

struct shift lanes_shift(const struct job *j, const struct lane *a,
                         const struct lane *b)
{
    int64_t scratch[DISTANCES_MAX];
    struct shift s = {0, -1, -1};
    struct shifted lanes = {.j = j, .a = a, .b = b};
    find_near(j, a, b, &lanes.near);
    for (int k = 0; k <= 2 * SHIFT_MAX; k++) {
        int by = k % 2 ? (k + 1) / 2 : -k / 2; /* 0, 1, -1, 2 ... */
        int64_t least_ns = s.second_ns < 0 ? INT64_MAX : s.second_ns;
        int64_t ns = residual_ns(&lanes, by, least_ns, scratch);
        if (ns < 0)
            continue;
        if (s.best_ns < 0 || ns < s.best_ns) {
            s.second_ns = s.best_ns;
            s.best_ns = ns;
            s.by = by;
        } else if (s.second_ns < 0 || ns < s.second_ns) {
            s.second_ns = ns;
        }
    }
    return s;
}

bool shift_is_verified(const struct shift *s)
{
    return s->best_ns >= 0 && s->best_ns < RESIDUAL_MAX_NS &&
           (s->second_ns < 0 || s->best_ns * RESIDUAL_RATIO < s->second_ns);
}

/* Order statistics without sorting. */

int64_t nth_ns(int64_t *v, ptrdiff_t n, ptrdiff_t at)
{
    ptrdiff_t low = 0, high = n - 1;
    while (low < high) {
        int64_t pivot = v[low + (high - low) / 2];
        ptrdiff_t i = low, k = high;
        while (i <= k) {
            while (v[i] < pivot)
                i++;
            while (v[k] > pivot)
                k--;
            if (i <= k) {
                int64_t t = v[i];
                v[i++] = v[k];
                v[k--] = t;
            }
        }
        if (at <= k)
            high = k;
        else if (at >= i)
            low = i;
        else
            break;
    }
    return v[at];
}

int64_t median_ns(int64_t *v, ptrdiff_t n)
{
    if (n <= 0)
        return 0;
    int64_t high = nth_ns(v, n, n / 2);
    if (n % 2)
        return high;
    int64_t low = nth_ns(v, n, n / 2 - 1), sum = low + high;
    return sum >= 0 ? sum / 2 : -((1 - sum) / 2);
}

int32_t job_rank_place(const struct job *j, int32_t rank)
{
    int low = 0, high = j->n_ranks;
    while (low < high) {
        int mid = low + (high - low) / 2;
        if (j->ranks[mid].rank < rank)
            low = mid + 1;
        else
            high = mid;
    }
    return low < j->n_ranks && j->ranks[low].rank == rank ? low : -1;
}

struct str match_word(enum match_confidence c)
{
    static const struct str words[] = {[CONFIDENCE_EXACT] = S_INIT("exact"),
                                       [CONFIDENCE_VERIFIED] = S_INIT("verified"),
                                       [CONFIDENCE_ALIGNED] = S_INIT("aligned"),
                                       [CONFIDENCE_ORDER] = S_INIT("order"),
                                       [CONFIDENCE_NONE] = S_INIT("none")};
    return words[c];
}

struct str fix_word(enum fix_kind kind)
{
    static const struct str words[] = {[FIX_NODE] = S_INIT("node"),
                                       [FIX_ROLE] = S_INIT("role"),
                                       [FIX_CAUSE] = S_INIT("cause")};
    return words[kind];
}
