/* Collectives that run beside computation, as those of gradients do. A rank that waits
 * in one computes meanwhile what a late rank computes after it: only counted from the
 * start of the one to the start of the next are the two alike. */
#include "job/job_parts.h"

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
    int64_t *permille = arena_new(&tmp, int64_t, x->n_members);
    for (int32_t i = 0; i < x->n_members; i++) {
        const struct member_ref *m = &j->members[x->first_member + i];
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
