/* Groups of the ranks that are one: where each rank has a name of its own for a group,
 * the list of its ranks tells which they are. */
#include "base/int_map.h"
#include "base/sort.h"
#include "job/job_parts.h"

#include <string.h>

/* The key of a group but for its name, and its place among those of the one rank that
 * knows it. */
static int64_t key_of(const struct job_group *g, int32_t place)
{
    uint64_t h = str_hash(g->description) ^ (uint64_t)place;
    for (int i = 0; i < g->n_ranks; i++)
        h = (h ^ (uint64_t)g->ranks[i]) * 1099511628211u;
    return (int64_t)(h ^ h >> 31);
}

static bool are_one(const struct job_group *a, const struct job_group *b)
{
    return a->n_ranks == b->n_ranks && str_eq(a->description, b->description) &&
           !memcmp(a->ranks, b->ranks, (size_t)a->n_ranks * sizeof *a->ranks);
}

/* For each group the only rank that has collectives of it; -1: several, or none. */
static int32_t *only_ranks(struct arena *a, const struct job *j)
{
    int32_t *of = arena_new(a, int32_t, j->n_groups);
    memset(of, -1, (size_t)j->n_groups * sizeof *of);
    bool any = false;
    for (int g = 0; g < j->n_groups; g++)
        any |= j->groups[g].n_present == 1;
    for (int32_t i = 0; any && i < j->n_ranks; i++)
        for (int32_t k = 0; k < j->ranks[i].n_rows; k++) {
            int32_t g = j->signatures[j->ranks[i].rows[k].signature].group;
            of[g] = j->groups[g].n_present == 1 ? i : -1;
        }
    return of;
}

/* The group that each is one with: the first of them, or itself. */
static bool find_same(struct arena *a, const struct job *j, int32_t *same)
{
    struct int_map at = int_map_make(a, 64), places = int_map_make(a, 64);
    int32_t *only = only_ranks(a, j);
    bool any = false;
    for (int32_t g = 0; g < j->n_groups; g++) {
        const struct job_group *x = &j->groups[g];
        same[g] = g;
        if (only[g] < 0 || x->n_ranks < 2)
            continue;
        int32_t *place =
            int_map_at(&places, a, key_of(x, 0) ^ (int64_t)(only[g] + 1) << 40);
        int32_t *first = int_map_at(&at, a, key_of(x, ++*place));
        if (*first < 0)
            *first = g;
        if (*first != g && are_one(x, &j->groups[*first])) {
            same[g] = *first;
            any = true;
        }
    }
    return any;
}

void job_join_groups(struct arena tmp, struct job *j)
{
    int32_t *same = arena_new(&tmp, int32_t, j->n_groups);
    if (!find_same(&tmp, j, same))
        return;
    int n = 0;
    for (int32_t g = 0; g < j->n_groups; g++) {
        struct job_group *first = &j->groups[same[g]];
        if (same[g] == g) {
            j->groups[n] = *first;
            same[g] = n++;
            continue;
        }
        same[g] = same[same[g]]; /* which has its new place already */
        j->groups[same[g]].n_present += j->groups[g].n_present;
        j->groups[same[g]].n_members += j->groups[g].n_members;
    }
    j->n_groups = n;
    for (int32_t i = 0; i < j->n_signatures; i++)
        j->signatures[i].group = same[j->signatures[i].group];
}

/* Communicators that no recorder names. Each has a stream of its own, on every rank;
 * and ranks that share one leave its collectives together, others do not: the distances
 * between ends differ by little within a communicator, by more between two. */

enum {
    STREAMS_MAX = 16,
    GROUPS_MAX = 64,
    LANES_MAX = 64,   /* more are not compared, each with each */
    PAIRS_MAX = 4096, /* of lanes, in all groups */
    NEAR_TIMES = 3, /* the usual distance of the nearest: still the same communicator */
    APART_TIMES = 6 /* surely another */
};

/* The collectives of one group on one stream, as the first, second ... of its rank. */
struct unnamed {
    struct job *j;
    int32_t group, n_streams;
    struct lane *lanes; /* by rank, then by stream */
    int n_lanes;        /* ranks */
    int *pairs_left;
};

/* Several may have one name: then it is of more ranks than one has. */
static bool is_unnamed(const struct job_group *g)
{
    return !g->n_ranks && g->n_present > 1 && (!g->name.n || g->size < g->n_present);
}

/* The streams of a rank in a group, ascending; of too many, one for all. */
static int streams_of(const struct job *j, int32_t rank, int32_t group,
                      int32_t to[STREAMS_MAX])
{
    const struct job_rank *r = &j->ranks[rank];
    int n = 0;
    for (int32_t k = 0; k < r->n_rows; k++) {
        if (j->signatures[r->rows[k].signature].group != group)
            continue;
        int at = 0;
        while (at < n && to[at] < r->rows[k].stream)
            at++;
        if (at < n && to[at] == r->rows[k].stream)
            continue;
        if (n == STREAMS_MAX)
            return 1;
        memmove(to + at + 1, to + at, (size_t)(n - at) * sizeof *to);
        to[at] = r->rows[k].stream;
        n++;
    }
    return n;
}

/* Rows of a rank in the group by stream; without streams, all of them. */
static void add_lanes(struct arena *a, struct unnamed *u, int32_t rank,
                      const int32_t *streams)
{
    const struct job_rank *r = &u->j->ranks[rank];
    struct lane *to = &u->lanes[u->n_lanes++ * u->n_streams];
    int32_t *rows = arena_new(a, int32_t, r->n_rows), n = 0;
    for (int s = 0; s < u->n_streams; s++) {
        to[s] = (struct lane){rank, 0, rows + n};
        for (int32_t k = 0; k < r->n_rows; k++)
            if (u->j->signatures[r->rows[k].signature].group == u->group &&
                (u->n_streams == 1 || r->rows[k].stream == streams[s]))
                rows[n++] = k;
        to[s].n = (int32_t)(rows + n - to[s].rows);
    }
}

/* Streams tell if each rank has as many. */
static void find_lanes(struct arena *a, struct unnamed *u)
{
    const struct job *j = u->j;
    int32_t streams[STREAMS_MAX];
    u->n_streams = -1;
    for (int32_t i = 0; i < j->n_ranks; i++) {
        int n = streams_of(j, i, u->group, streams);
        if (n)
            u->n_streams = u->n_streams < 0 || u->n_streams == n ? n : 1;
    }
    u->lanes = arena_new(a, struct lane, (ptrdiff_t)j->n_ranks * u->n_streams);
    for (int32_t i = 0; i < j->n_ranks; i++)
        if (streams_of(j, i, u->group, streams))
            add_lanes(a, u, i, streams);
}

static int64_t nearest(const int64_t *apart_ns, int n, int i)
{
    int64_t ns = INT64_MAX;
    for (int k = 0; k < n; k++)
        if (k != i && apart_ns[i * n + k] >= 0 && apart_ns[i * n + k] < ns)
            ns = apart_ns[i * n + k];
    return ns;
}

/* Whether all are surely near or surely apart, and which is in which set. */
static int sets_of(const int64_t *apart_ns, int n, int64_t usual_ns, int32_t *of)
{
    int sets = 0;
    for (int i = 0; i < n; i++) {
        of[i] = -1;
        for (int k = 0; k < i; k++) {
            int64_t ns = apart_ns[i * n + k];
            bool near = ns >= 0 && ns <= NEAR_TIMES * usual_ns;
            if (!near && ns >= 0 && ns <= APART_TIMES * usual_ns)
                return 1;
            if (near && of[i] >= 0 && of[i] != of[k])
                return 1;
            of[i] = near ? of[k] : of[i];
        }
        of[i] = of[i] < 0 ? sets++ : of[i];
    }
    return sets;
}

static bool are_equal(const int32_t *of, int n, int sets)
{
    int count[LANES_MAX] = {0};
    for (int i = 0; i < n; i++)
        count[of[i]]++;
    for (int s = 0; s < sets; s++)
        if (count[s] != n / sets)
            return false;
    return n / sets > 1;
}

/* The communicators of a stream, of as many ranks each; 1: they cannot be told. */
static int find_sets(struct arena tmp, const struct unnamed *u, int stream, int32_t *of)
{
    int n = u->n_lanes;
    int64_t usual[LANES_MAX];
    memset(of, 0, (size_t)n * sizeof *of);
    if (n < 4 || n > LANES_MAX || *u->pairs_left < n * n / 2)
        return 1;
    *u->pairs_left -= n * n / 2;
    int64_t *apart_ns = arena_new(&tmp, int64_t, (ptrdiff_t)n * n);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++)
            apart_ns[i * n + k] = apart_ns[k * n + i] =
                lanes_shift(u->j, &u->lanes[i * u->n_streams + stream],
                            &u->lanes[k * u->n_streams + stream])
                    .best_ns;
    for (int i = 0; i < n; i++)
        if ((usual[i] = nearest(apart_ns, n, i)) > RESIDUAL_MAX_NS)
            return 1;
    int sets = sets_of(apart_ns, n, median_ns(usual, n) + 1, of);
    const struct job_group *g = &u->j->groups[u->group];
    if (sets > 1 && sets < n && are_equal(of, n, sets) &&
        (g->size >= g->n_present || n / sets == g->size))
        return sets;
    memset(of, 0, (size_t)n * sizeof *of);
    return 1;
}

/* A signature of another group. */
static int32_t signature_in(struct arena *perm, struct job *j, int32_t signature,
                            int32_t group, int32_t *made)
{
    if (made[signature] < 0) {
        struct job_signature s = j->signatures[signature];
        s.group = group;
        arena_grow(perm, j->signatures, j->n_signatures);
        made[signature] = j->n_signatures;
        j->signatures[j->n_signatures++] = s;
    }
    return made[signature];
}

/* The lanes of one communicator are a group of their own. */
static void make_group(struct arena *perm, struct arena tmp, struct unnamed *u,
                       int stream, const int32_t *of, int set, bool ranks_told)
{
    struct job *j = u->j;
    struct job_group g = j->groups[u->group];
    int32_t *ranks = arena_new(perm, int32_t, u->n_lanes), n = 0;
    int32_t *made = arena_new(&tmp, int32_t, j->n_signatures);
    memset(made, -1, (size_t)j->n_signatures * sizeof *made);
    for (int i = 0; i < u->n_lanes; i++) {
        const struct lane *l = &u->lanes[i * u->n_streams + stream];
        if (of[i] != set)
            continue;
        ranks[n++] = j->ranks[l->rank].rank;
        for (int32_t k = 0; k < l->n; k++) {
            struct job_member *m = &j->ranks[l->rank].rows[l->rows[k]];
            m->signature = signature_in(perm, j, m->signature, j->n_groups, made);
        }
    }
    g.ranks = ranks_told ? ranks : NULL;
    g.n_ranks = ranks_told ? n : 0;
    g.size = n;
    arena_grow(perm, j->groups, j->n_groups);
    j->groups[j->n_groups++] = g;
}

static void split(struct arena *perm, struct arena tmp, struct job *j, int32_t group,
                  int *pairs_left)
{
    struct unnamed u = {.j = j, .group = group, .pairs_left = pairs_left};
    find_lanes(&tmp, &u);
    int32_t *of = arena_new(&tmp, int32_t, u.n_lanes);
    for (int s = 0; s < u.n_streams; s++) {
        int sets = find_sets(tmp, &u, s, of);
        if (u.n_streams == 1 && sets == 1)
            return;
        for (int k = 0; k < sets; k++)
            make_group(perm, tmp, &u, s, of, k, sets > 1);
    }
}

/* Groups of which nothing is left are none. */
static void drop_empty(struct arena tmp, struct job *j)
{
    int32_t *place = arena_new(&tmp, int32_t, j->n_groups), n = 0;
    for (int i = 0; i < j->n_ranks; i++)
        for (int32_t k = 0; k < j->ranks[i].n_rows; k++)
            place[j->signatures[j->ranks[i].rows[k].signature].group] = 1;
    for (int g = 0; g < j->n_groups; g++)
        if (place[g]) {
            j->groups[n] = j->groups[g];
            place[g] = n++;
        }
    for (int32_t i = 0; i < j->n_signatures; i++)
        j->signatures[i].group = place[j->signatures[i].group];
    j->n_groups = n;
}

void job_split_unnamed(struct arena *perm, struct arena tmp, struct job *j)
{
    int n = j->n_groups, tried = 0, pairs_left = PAIRS_MAX;
    for (int32_t g = 0; g < n && tried < GROUPS_MAX; g++)
        if (is_unnamed(&j->groups[g])) {
            split(perm, tmp, j, g, &pairs_left);
            tried++;
        }
    if (j->n_groups > n)
        drop_empty(tmp, j);
}
