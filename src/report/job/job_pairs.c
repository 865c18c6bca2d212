#include "report/job/job_pairs.h"

#include "base/arena.h"

#include <stdlib.h>

/* The numbers of "[1, 2, 3]", at most SPLIT_MAX; -1: it holds anything else, or was
 * cut. */
static int split_of(struct str text, int64_t to[SPLIT_MAX])
{
    int n = 0;
    if (text.n < 2 || text.p[0] != '[' || text.p[text.n - 1] != ']')
        return -1;
    text = (struct str){text.p + 1, text.n - 2};
    while (text.n)
        if (n == SPLIT_MAX || !str_int(str_trim(str_take(&text, S(","))), &to[n++]))
            return -1;
    return n;
}

static struct job_pair *pair_at(struct arena *a, struct job_pairs *p, int32_t from,
                                int32_t to)
{
    int32_t *at = int_map_at(&p->at, a, (int64_t)from << 32 | to);
    if (*at < 0) {
        *at = p->n;
        arena_grow(a, p->all, p->n);
        p->all[p->n++] = (struct job_pair){from, to, 0, 0};
    }
    return &p->all[*at];
}

static int32_t unit_of(const struct job_pairs *p, int32_t rank)
{
    return !p->unit ? rank : rank >= 0 && rank < p->n_units ? p->unit[rank] : -1;
}

bool job_pairs_add(struct arena *a, struct job_pairs *p, int32_t rank,
                   const struct job_signature *s)
{
    const struct job_group *g = &p->j->groups[s->group];
    int64_t split[SPLIT_MAX];
    int bytes = collective_element_bytes(s->dtype), n = split_of(s->in_split, split);
    if (n < 1 || n != g->size || !bytes)
        return false;
    /* Of places alone only those in a group of all ranks are numbers of ranks. */
    bool of_all = n == p->j->n_expected && p->j->ranks[p->j->n_ranks - 1].rank < n;
    if (g->n_ranks != n && !of_all)
        return false;
    if (!p->n)
        p->at = int_map_make(a, 1024);
    for (int k = 0; k < n; k++) {
        int32_t to = unit_of(p, g->n_ranks == n ? g->ranks[k] : (int32_t)k);
        if (to < 0)
            continue;
        struct job_pair *x = pair_at(a, p, unit_of(p, rank), to);
        x->bytes += (double)split[k] * bytes;
        x->n++;
    }
    return true;
}

static int by_ranks(const void *a, const void *b)
{
    const struct job_pair *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

void job_pairs_sort(struct job_pairs *p)
{
    if (p->n)
        qsort(p->all, (size_t)p->n, sizeof *p->all, by_ranks);
}
