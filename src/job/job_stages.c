#include "job/job_stages.h"

#include "base/sort.h"

struct neighbors {
    int32_t from, to; /* places of ranks */
};

static int32_t count_pairs(const struct job *j)
{
    int32_t n = 0;
    for (int g = 0; g < j->n_groups; g++)
        if (j->groups[g].ranks && str_eq(j->groups[g].role, S("PP")))
            n += j->groups[g].n_ranks;
    return n;
}

/* False: a rank of a pipeline is not in the data. */
static bool list_pairs(const struct job *j, struct neighbors *pairs, int32_t *n)
{
    *n = 0;
    for (int g = 0; g < j->n_groups; g++) {
        const struct job_group *of = &j->groups[g];
        if (!of->ranks || !str_eq(of->role, S("PP")))
            continue;
        for (int i = 1; i < of->n_ranks; i++) {
            struct neighbors *p = &pairs[(*n)++];
            *p = (struct neighbors){job_rank_place(j, of->ranks[i - 1]),
                                    job_rank_place(j, of->ranks[i])};
            if (p->from < 0 || p->to <= p->from)
                return false;
        }
    }
    return *n > 0;
}

struct job_stages job_stages_find(struct arena *perm, const struct job *j)
{
    struct job_stages s = {arena_new(perm, int32_t, j->n_ranks), 0};
    struct arena tmp = *perm;
    int32_t most = count_pairs(j), n;
    struct neighbors *pairs = arena_new(&tmp, struct neighbors, most);
    struct sort_row *by = arena_new(&tmp, struct sort_row, most);
    uint8_t *known = arena_new(&tmp, uint8_t, j->n_ranks);
    if (!list_pairs(j, pairs, &n))
        return s;
    for (int32_t i = 0; i < n; i++)
        by[i] = (struct sort_row){pairs[i].from, i};
    sort_rows(tmp, by, n);
    for (int32_t i = 0; i < n; i++) { /* a place comes before those it leads to */
        const struct neighbors *p = &pairs[by[i].row];
        if (s.of[p->to] <= s.of[p->from])
            s.of[p->to] = s.of[p->from] + 1;
        known[p->from] = known[p->to] = 1;
        s.n = s.of[p->to] >= s.n ? s.of[p->to] + 1 : s.n;
    }
    for (int32_t i = 0; i < n; i++)
        if (s.of[pairs[i].to] != s.of[pairs[i].from] + 1)
            s.n = 0;
    for (int32_t i = 0; i < j->n_ranks; i++)
        s.n = known[i] ? s.n : 0;
    return s;
}
