/* Groups of the ranks that are one: where each rank has a name of its own for a group,
 * the list of its ranks tells which they are. */
#include "base/int_map.h"
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
    for (int32_t i = 0; i < j->n_ranks; i++)
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
