/* Where much communication is hidden, what lies between two collectives of a rank
 * depends on how long others kept it waiting meanwhile. There, ranks are compared by
 * what they do in a step: computing, copies and idle time, without communication. */
#include "job/job_parts.h"

#include <string.h>

#define HIDDEN_FRAC 0.25 /* of communication: then computation sets the pace */

/* Of the time that data moves: waiting, which late ranks make long, does not count. */
static bool is_hidden(const struct job *j)
{
    double exposed = 0, all = 0;
    for (int i = 0; i < j->n_ranks; i++) {
        exposed += (double)j->ranks[i].balance.transfer_ns;
        for (int32_t k = 0; k < j->ranks[i].n_rows; k++)
            all += (double)moving_ns(j, &j->ranks[i].rows[k]);
    }
    return exposed < (1 - HIDDEN_FRAC) * all;
}

int period_of(const struct job *j, const struct job_rank *r, int64_t at_ns)
{
    int low = 0, high = r->n_steps;
    while (low < high) {
        int mid = low + (high - low) / 2;
        if (r->steps[mid].start_ns <= at_ns)
            low = mid + 1;
        else
            high = mid;
    }
    bool in = low && at_ns < r->steps[low - 1].end_ns && r->steps[low - 1].of >= 0;
    return in ? r->steps[low - 1].of : j->n_steps;
}

static void add_rank(struct job *j, int rank)
{
    const struct job_rank *r = &j->ranks[rank];
    struct job_period *of = &j->periods[(ptrdiff_t)rank * j->n_periods],
                      *rest = &of[j->n_steps];
    rest->part_ns[SEGMENT_COMPUTE] = r->balance.compute_ns;
    rest->part_ns[SEGMENT_COPY] = r->balance.copy_ns;
    rest->part_ns[SEGMENT_IDLE] = r->balance.idle_ns;
    for (int k = 0; k < r->n_steps; k++)
        for (int part = 0; r->steps[k].of >= 0 && part < SEGMENT_PARTS; part++)
            of[r->steps[k].of].part_ns[part] += r->steps[k].part_ns[part];
    for (int s = 0; s < j->n_steps; s++)
        for (int k = 0; k < SEGMENT_PARTS; k++)
            rest->part_ns[k] -= of[s].part_ns[k];
    for (int32_t i = 0; i < r->n_causes; i++) {
        const struct job_cause *c = &r->causes[i];
        of[period_of(j, r, r->rows[c->row].start_ns)].cause_ns[c->cause] += c->ns;
    }
}

int64_t period_ns(const struct job_period *p)
{
    int64_t ns = 0;
    for (int k = 0; k < SEGMENT_PARTS; k++)
        ns += p->part_ns[k];
    return ns;
}

void job_find_periods(struct arena *perm, struct job *j)
{
    j->is_hidden = is_hidden(j);
    if (!j->is_hidden)
        return;
    j->n_periods = j->n_steps + 1;
    j->periods =
        arena_new(perm, struct job_period, (ptrdiff_t)j->n_ranks * j->n_periods);
    for (int i = 0; i < j->n_ranks; i++)
        add_rank(j, i);
}

static void add_late(struct job *j, int rank, int ref, int period)
{
    const struct job_period *own = &j->periods[(ptrdiff_t)rank * j->n_periods + period],
                            *other =
                                &j->periods[(ptrdiff_t)ref * j->n_periods + period];
    struct job_lateness *l = &j->ranks[rank].late;
    int64_t ns = period_ns(own) - period_ns(other);
    if (ns <= 0)
        return;
    l->ns += ns;
    l->n++;
    j->total_late_ns += ns;
    for (int k = 0; k < SEGMENT_PARTS; k++)
        l->part_ns[k] += own->part_ns[k] - other->part_ns[k];
    for (int k = 0; k < CAPTURE_CAUSES; k++)
        l->cause_ns[k] += own->cause_ns[k] - other->cause_ns[k];
    int64_t work_ns[WORK_CATEGORIES];
    split_compute(j, rank, ref, period,
                  own->part_ns[SEGMENT_COMPUTE] - other->part_ns[SEGMENT_COMPUTE],
                  work_ns);
    for (int k = 0; k < WORK_CATEGORIES; k++)
        l->work_ns[k] += work_ns[k];
}

/* Of ranks that do the same, by number, the first of that length in a period. */
static int32_t rank_in_middle(const struct job *j, const struct sort_row *rows, int n,
                              int period, int64_t *ns)
{
    for (int i = 0; i < n; i++)
        ns[i] = period_ns(&j->periods[(ptrdiff_t)rows[i].row * j->n_periods + period]);
    int64_t middle_ns = nth_ns(ns, n, (n - 1) / 2);
    int i = 0;
    while (period_ns(&j->periods[(ptrdiff_t)rows[i].row * j->n_periods + period]) !=
           middle_ns)
        i++;
    return rows[i].row;
}

int32_t *periods_middle(struct arena *a, const struct job *j)
{
    int32_t *of = arena_new(a, int32_t, (ptrdiff_t)j->n_ranks * j->n_periods);
    struct arena tmp = *a;
    int64_t *ns = arena_new(&tmp, int64_t, j->n_ranks);
    struct sort_row *rows = arena_new(&tmp, struct sort_row, j->n_ranks);
    for (int i = 0; i < j->n_ranks; i++)
        rows[i] = (struct sort_row){j->ranks[i].role, i};
    sort_rows(tmp, rows, j->n_ranks);
    for (int from = 0, to; from < j->n_ranks; from = to) {
        for (to = from + 1; to < j->n_ranks && rows[to].key == rows[from].key;)
            to++;
        for (int p = 0; p < j->n_periods; p++) {
            int32_t ref = rank_in_middle(j, rows + from, to - from, p, ns);
            for (int i = from; i < to; i++)
                of[(ptrdiff_t)rows[i].row * j->n_periods + p] = ref;
        }
    }
    return of;
}

/* Against the rank in the middle of its role, step by step. */
void periods_lateness(struct arena tmp, struct job *j)
{
    int32_t *ref = periods_middle(&tmp, j);
    for (int i = 0; i < j->n_ranks; i++)
        for (int p = 0; p < j->n_periods; p++) {
            int32_t of = ref[(ptrdiff_t)i * j->n_periods + p];
            if (periods_compare(j, i, of, p))
                add_late(j, i, of, p);
        }
}
