/* What late ranks did before a collective, against the rank in the middle; and where
 * the time of each rank went. */
#include "job/job_parts.h"
#include "job/pools.h"
#include "timeline/interval_set.h"

#include <string.h>

static int step_of(const struct job *j, const struct member_ref *m)
{
    int32_t step = j->instances[j->ranks[m->rank].rows[m->row].instance].step;
    return step < 0 ? j->n_steps : step;
}

static void add_late(struct job *j, const struct member_ref *own,
                     const struct member_ref *ref, int step)
{
    struct job_rank *r = &j->ranks[own->rank], *other = &j->ranks[ref->rank];
    const struct job_member *m = &r->rows[own->row], *o = &other->rows[ref->row];
    struct job_lateness *l = &r->late;
    int64_t ns = member_segment_ns(m) - member_segment_ns(o), work_ns[WORK_CATEGORIES];
    if (ns <= 0)
        return;
    l->ns += ns;
    l->n++;
    for (int k = 0; k < SEGMENT_PARTS; k++)
        l->part_ns[k] += m->part_ns[k] - o->part_ns[k];
    split_compute(j, own->rank, ref->rank, step,
                  m->part_ns[SEGMENT_COMPUTE] - o->part_ns[SEGMENT_COMPUTE], work_ns);
    for (int k = 0; k < WORK_CATEGORIES; k++)
        l->work_ns[k] += work_ns[k];
    row_causes(r, own->row, 1, l->cause_ns);
    row_causes(other, ref->row, -1, l->cause_ns);
    j->total_late_ns += ns;
}

void job_causes(struct arena *perm, struct arena tmp, struct job *j)
{
    job_find_periods(perm, j);
    if (j->is_hidden) {
        periods_lateness(tmp, j);
        return;
    }
    struct pool_list pools = pools_list(&tmp, j);
    struct member_ref *all = arena_new(&tmp, struct member_ref, pools.most);
    for (int32_t p = 0; p < j->n_pools; p++) {
        int32_t n = pool_members(j, &pools, p, all);
        if (!n)
            continue;
        struct member_ref ref = pool_middle(tmp, j, all, n);
        for (int32_t i = 0; i < n; i++)
            add_late(j, &all[i], &ref, step_of(j, &all[i]));
    }
}

/* The end of each stay, as long as the shortest of its instance, moves data; what is
 * before is waiting. Both only where no computation hides them. */
static int64_t transfer_ns(struct arena tmp, const struct job *j,
                           const struct job_rank *r)
{
    struct span *spans = arena_new(&tmp, struct span, r->n_rows);
    struct span *hidden = arena_new(&tmp, struct span, r->n_covers);
    for (int32_t i = 0; i < r->n_rows; i++) {
        const struct job_member *m = &r->rows[i];
        int64_t end_ns = m->start_ns + m->dur_ns;
        spans[i] = (struct span){end_ns - moving_ns(j, m), end_ns};
    }
    for (int32_t i = 0; i < r->n_covers; i++)
        hidden[i] = (struct span){r->covers[i].start_ns,
                                  r->covers[i].start_ns + r->covers[i].dur_ns};
    struct interval_set moves = interval_union(tmp, spans, r->n_rows);
    struct interval_set covers = {hidden, r->n_covers};
    return interval_length_ns(interval_minus(&tmp, moves, covers));
}

void job_balances(struct arena tmp, struct job *j)
{
    int64_t most_ns = 0;
    double sum = 0;
    for (int i = 0; i < j->n_ranks; i++) {
        struct job_rank *r = &j->ranks[i];
        struct job_balance *b = &r->balance;
        int64_t exposed_ns = b->wait_ns, ns = transfer_ns(tmp, j, r);
        b->transfer_ns = ns < exposed_ns ? ns : exposed_ns;
        b->wait_ns = exposed_ns - b->transfer_ns;
        most_ns = b->compute_ns > most_ns ? b->compute_ns : most_ns;
        sum += (double)b->compute_ns;
    }
    j->imbalance_frac = sum > 0 ? (double)most_ns * j->n_ranks / sum - 1 : 0;
}
