/* Times of instances, who waits in them, and for whom. */
#include "base/int_map.h"
#include "base/sort.h"
#include "job/job_parts.h"

#include <math.h>
#include <stdlib.h>

enum { STEP_CELLS_MAX = 1 << 22 };

/* Those that all leave together. */
static bool synchronises(enum collective_kind k)
{
    return k == COLLECTIVE_ALL_REDUCE || k == COLLECTIVE_BARRIER ||
           k == COLLECTIVE_REDUCE_SCATTER || k == COLLECTIVE_ALL_GATHER ||
           k == COLLECTIVE_ALL_TO_ALL || k == COLLECTIVE_COALESCED;
}

/* Ranks leave these when their own part is done. */
static bool needs_clock(enum collective_kind k)
{
    return k == COLLECTIVE_ALL_TO_ALL_V || k == COLLECTIVE_SEND || k == COLLECTIVE_RECV;
}

bool instance_counts(const struct job *j, const struct job_instance *i)
{
    if (!i->is_decomposed || (i->is_start && !j->options.with_start))
        return false;
    return j->options.first_step < 0 || i->step >= 0;
}

static void find_times(struct job *j, struct job_instance *x)
{
    enum collective_kind kind = j->signatures[x->signature].kind;
    x->last_start_ns = x->last_end_ns = INT64_MIN;
    x->first_start_ns = x->first_end_ns = x->min_dur_ns = INT64_MAX;
    for (int32_t k = 0; k < x->n_members; k++) {
        const struct job_member *m = member_of(j, x->first_member + k);
        member_soon(j, x->first_member + k);
        int64_t end_ns = m->start_ns + m->dur_ns;
        if (end_ns > x->last_end_ns)
            x->last_end_ns = end_ns;
        if (end_ns < x->first_end_ns)
            x->first_end_ns = end_ns;
        if (m->dur_ns < x->min_dur_ns)
            x->min_dur_ns = m->dur_ns;
    }
    for (int32_t k = 0; k < x->n_members; k++) {
        int64_t ns = arrival_ns(j, x, member_of(j, x->first_member + k));
        if (ns >= x->last_start_ns) { /* of equal ones as by_arrival */
            x->last_start_ns = ns;
            x->last_rank = j->members[x->first_member + k].rank;
        }
        if (ns < x->first_start_ns)
            x->first_start_ns = ns;
    }
    x->is_decomposed = x->n_members > 1 &&
                       (synchronises(kind) || (needs_clock(kind) && !j->clock_free));
}

/* Steps of the first rank that all ranks have. */
struct common_steps {
    struct int_map at; /* by number */
    struct job_step *steps;
    int32_t *n_ranks, *last; /* last: the rank that was counted last, from 1 */
    int n;
};

static struct common_steps steps_of_first(struct arena *a, const struct job *j)
{
    const struct job_rank *first = &j->ranks[0];
    struct common_steps c = {.at = int_map_make(a, first->n_steps),
                             .steps = arena_new(a, struct job_step, first->n_steps),
                             .n_ranks = arena_new(a, int32_t, first->n_steps),
                             .last = arena_new(a, int32_t, first->n_steps)};
    for (int i = 0; i < first->n_steps; i++) {
        int64_t number = first->steps[i].number;
        bool asked = j->options.first_step < 0 || (number >= j->options.first_step &&
                                                   number <= j->options.last_step);
        int32_t *at = asked ? int_map_at(&c.at, a, number) : NULL;
        if (!at || *at >= 0)
            continue;
        *at = c.n;
        c.steps[c.n++] = (struct job_step){number, -1, -1};
    }
    return c;
}

/* Of two steps of one number the first counts. */
static void count_steps(struct common_steps *c, struct job_rank *r, int32_t rank)
{
    for (int i = 0; i < r->n_steps; i++) {
        struct rank_step *s = &r->steps[i];
        int32_t at = int_map_get(&c->at, s->number);
        if (at < 0 || c->last[at] == rank + 1)
            continue;
        s->of = at;
        c->last[at] = rank + 1;
        c->n_ranks[at]++;
        if (s->end_ns - s->start_ns > c->steps[at].dur_ns) {
            c->steps[at].dur_ns = s->end_ns - s->start_ns;
            c->steps[at].slowest = rank;
        }
    }
}

/* The steps that all ranks have. */
static void find_steps(struct arena *perm, struct arena tmp, struct job *j)
{
    struct common_steps c = steps_of_first(&tmp, j);
    int32_t *place = arena_new(&tmp, int32_t, c.n);
    for (int32_t i = 0; i < j->n_ranks; i++)
        count_steps(&c, &j->ranks[i], i);
    j->steps = arena_new(perm, struct job_step, c.n);
    for (int i = 0; i < c.n; i++) {
        place[i] = c.n_ranks[i] == j->n_ranks ? j->n_steps : -1;
        if (place[i] >= 0)
            j->steps[j->n_steps++] = c.steps[i];
    }
    for (int i = 0; i < j->n_ranks; i++) {
        struct job_rank *r = &j->ranks[i];
        r->step_at = arena_new(perm, int32_t, j->n_steps);
        for (int k = 0; k < r->n_steps; k++) {
            int32_t *of = &r->steps[k].of;
            *of = *of < 0 ? -1 : place[*of];
            if (*of >= 0)
                r->step_at[*of] = k;
        }
    }
}

static void place_in_steps(struct job *j)
{
    for (int32_t i = 0; i < j->n_instances && j->n_steps; i++) {
        struct job_instance *x = &j->instances[i];
        const struct member_ref *m = &j->members[x->first_member];
        const struct job_rank *r = &j->ranks[m->rank];
        int step = period_of(j, r, r->rows[m->row].start_ns);
        if (step < j->n_steps)
            x->step = step;
    }
}

/* Members of an instance by arrival. */
struct sort_row *by_arrival(struct arena *a, const struct job *j,
                            const struct job_instance *x)
{
    struct sort_row *rows = arena_take_raw(a, sizeof *rows, 8, x->n_members);
    for (int32_t k = 0; k < x->n_members; k++) {
        member_soon(j, x->first_member + k);
        rows[k] =
            (struct sort_row){arrival_ns(j, x, member_of(j, x->first_member + k)), k};
    }
    sort_rows(*a, rows, x->n_members);
    return rows;
}

/* What a rank did by itself since it last met the others of a group: what it waited for
 * in other groups meanwhile is not its own. */
static void find_own(struct arena tmp, struct job *j, struct job_rank *r)
{
    int64_t *met_ns = arena_new(&tmp, int64_t, j->n_groups), sum_ns = 0;
    for (int32_t i = 0; i < r->n_rows; i++) {
        struct job_member *m = &r->rows[i];
        int32_t group = j->signatures[m->signature].group;
        sum_ns += member_segment_ns(m) - m->part_ns[SEGMENT_OTHER];
        m->own_ns = sum_ns - met_ns[group];
        met_ns[group] = sum_ns;
    }
}

/* The part of a delay behind the first to come that the rank itself made: the rest it
 * has from somebody else. */
static double own_part(int64_t late_ns, const struct job_member *m,
                       const struct job_member *first)
{
    double late = (double)late_ns;
    double own = (double)(m->own_ns - first->own_ns);
    if (late <= 0 || own >= late)
        return late > 0;
    return own > 0 ? own / late : 0;
}

/* While k have come and n - k have not, each of these is charged with its part of the
 * waiting; so blame adds up to waiting. */
void charges_of(const struct job *j, const struct job_instance *x,
                const struct sort_row *rows, struct charge *to)
{
    enum { SOON = 8 };
    double charged = 0;
    const struct job_member *first = member_of(j, x->first_member + rows[0].row);
    for (int32_t k = 0; k < x->n_members; k++) {
        int64_t place = x->first_member + rows[k].row;
        if (k + SOON < x->n_members)
            __builtin_prefetch(
                &member_of(j, x->first_member + rows[k + SOON].row)->own_ns);
        if (k)
            charged += (double)(rows[k].key - rows[k - 1].key) * k / (x->n_members - k);
        to[k] = (struct charge){
            j->members[place].rank, charged,
            charged * own_part(rows[k].key - rows[0].key, member_of(j, place), first)};
    }
}

static void charge(struct arena tmp, struct job *j, struct job_instance *x,
                   const struct sort_row *rows)
{
    struct charge *all = arena_take_raw(&tmp, sizeof *all, 8, x->n_members);
    charges_of(j, x, rows, all);
    for (int32_t k = 0; k < x->n_members; k++) {
        struct job_rank *r = &j->ranks[all[k].rank];
        int64_t wait_ns = x->last_start_ns - rows[k].key;
        r->blame += all[k].blame;
        r->own_blame += all[k].own;
        if (j->step_blame && x->step >= 0)
            j->step_blame[(int64_t)all[k].rank * j->n_steps + x->step] +=
                (float)all[k].own;
        r->waited_ns += wait_ns;
        x->wait_ns += wait_ns;
    }
}

static void count_places(struct job *j, const struct job_instance *x,
                         const struct sort_row *rows)
{
    int32_t n = x->n_members;
    struct job_rank *last =
        &j->ranks[j->members[x->first_member + rows[n - 1].row].rank];
    struct job_rank *first = &j->ranks[j->members[x->first_member + rows[0].row].rank];
    int64_t floor_ns = 3 * last->spread_ns;
    if (rows[n - 1].key - rows[0].key <= floor_ns)
        return;
    last->n_last++;
    first->n_first++;
    last->marginal_ns += rows[n - 1].key - rows[n - 2].key;
}

/* What waited without clocks: nobody's time in it is longer than that of the last. */
static int64_t free_wait_ns(const struct job *j, const struct job_instance *x)
{
    int64_t ns = 0;
    for (int32_t k = 0; k < x->n_members; k++)
        ns += member_of(j, x->first_member + k)->dur_ns - x->min_dur_ns;
    return ns;
}

/* Whole ns that add up to the waiting: the largest rests are rounded up. */
static void round_blame(struct arena tmp, struct job *j)
{
    struct sort_row *rest = arena_new(&tmp, struct sort_row, j->n_ranks);
    int64_t sum_ns = 0;
    for (int i = 0; i < j->n_ranks; i++) {
        struct job_rank *r = &j->ranks[i];
        r->blame_ns = (int64_t)floor(r->blame);
        sum_ns += r->blame_ns;
        double part = r->blame - (double)r->blame_ns;
        rest[i] = (struct sort_row){-llround(part * 1e6), i};
    }
    sort_rows(tmp, rest, j->n_ranks);
    for (int i = 0; i < j->n_ranks && sum_ns < j->wait_ns; i++, sum_ns++)
        j->ranks[rest[i].row].blame_ns++;
    for (int i = j->n_ranks - 1; i >= 0 && sum_ns > j->wait_ns; i--, sum_ns--)
        j->ranks[rest[i].row].blame_ns--;
}

/* Collectives that move the same amount among as many ranks are one class, whichever
 * group they are of. The class of each signature. */
static int32_t *transfer_classes(struct arena *tmp, const struct job *j, int32_t *n)
{
    struct int_map known = int_map_make(tmp, 64);
    int32_t *of = arena_new(tmp, int32_t, j->n_signatures);
    *n = 0;
    for (int32_t i = 0; i < j->n_signatures; i++) {
        const struct job_signature *s = &j->signatures[i];
        const struct job_group *g = &j->groups[s->group];
        uint64_t key = (uint64_t)s->kind << 1 | g->crosses_nodes;
        key = (key ^ (uint64_t)s->bytes) * 1099511628211u;
        key = (key ^ (uint64_t)g->size) * 1099511628211u;
        int32_t *at = int_map_at(&known, tmp, (int64_t)(key ^ key >> 31));
        if (*at < 0)
            *at = (*n)++;
        of[i] = *at;
    }
    return of;
}

/* A rank that is there, whose recording only lacks this collective, is not outside the
 * data. */
static bool may_lack(const struct job *j, const struct job_instance *x)
{
    const struct job_group *g = &j->groups[x->group];
    return !x->is_complete && x->is_decomposed && g->n_present < g->size &&
           (!x->is_start || j->options.with_start);
}

static bool is_longer(int64_t stay_ns, int64_t usual_ns)
{
    enum { LACK_NS = 20000 };
    return stay_ns > usual_ns + LACK_NS && 5 * stay_ns > 6 * usual_ns;
}

/* Marks those whose shortest stay is much longer than usual. */
static void mark_lacking(struct job *j, const int32_t *class, const int64_t *usual_ns)
{
    for (int32_t i = 0; i < j->n_instances; i++) {
        struct job_instance *x = &j->instances[i];
        int64_t usual = usual_ns[class[x->signature]];
        if (!may_lack(j, x) || !usual)
            continue;
        x->lacks_last = is_longer(x->min_dur_ns, usual);
        j->n_lacking += x->lacks_last;
        j->lacking_ns += x->lacks_last ? x->min_dur_ns - usual : 0;
    }
}

/* The mean of stays in instances where all ranks are in the data; 0: there are none. */
static void usual_of_complete(struct arena tmp, struct job *j, const int32_t *class,
                              int64_t *usual_ns, int32_t n_classes)
{
    int64_t *n = arena_new(&tmp, int64_t, n_classes);
    for (int32_t i = 0; i < j->n_instances; i++) {
        const struct job_instance *x = &j->instances[i];
        if (x->is_complete && x->is_decomposed && x->n_members > 1) {
            usual_ns[class[x->signature]] += x->min_dur_ns;
            n[class[x->signature]]++;
            j->has_complete = true;
        }
    }
    for (int32_t k = 0; k < n_classes; k++)
        usual_ns[k] = n[k] ? usual_ns[k] / n[k] : 0;
}

/* Where no instance has all: the mean of the shortest and of those that take a tenth
 * longer at most, as the shortest alone is so by chance. */
static void usual_of_shortest(struct arena tmp, const struct job *j,
                              const int32_t *class, int64_t *usual_ns,
                              int32_t n_classes)
{
    int64_t *least_ns = arena_new(&tmp, int64_t, n_classes);
    int64_t *n = arena_new(&tmp, int64_t, n_classes);
    for (int32_t i = 0; i < j->n_instances; i++) {
        const struct job_instance *x = &j->instances[i];
        int64_t *least = &least_ns[class[x->signature]];
        if (may_lack(j, x) && (!*least || x->min_dur_ns < *least))
            *least = x->min_dur_ns;
    }
    for (int32_t i = 0; i < j->n_instances; i++) {
        const struct job_instance *x = &j->instances[i];
        int32_t k = class[x->signature];
        if (!may_lack(j, x) || 10 * x->min_dur_ns > 11 * least_ns[k])
            continue;
        usual_ns[k] += x->min_dur_ns;
        n[k]++;
    }
    for (int32_t k = 0; k < n_classes; k++)
        usual_ns[k] = n[k] ? usual_ns[k] / n[k] : 0;
}

/* Of a group that one rank alone has recorded, as half of a pair is: it may itself have
 * come first, as ranks do of complete groups. */
static bool may_lack_alone(const struct job *j, const struct job_instance *x)
{
    const struct job_group *g = &j->groups[x->group];
    return x->n_members == 1 && !x->is_complete && g->n_present < g->size &&
           synchronises(j->signatures[x->signature].kind) &&
           (!x->is_start || j->options.with_start);
}

/* The mean of all stays in instances where all ranks are in the data; 0: there are
 * none.
 */
static int64_t *mean_stays(struct arena *a, const struct job *j, const int32_t *class,
                           int32_t n_classes)
{
    int64_t *mean_ns = arena_new(a, int64_t, n_classes);
    struct arena tmp = *a;
    int64_t *n = arena_new(&tmp, int64_t, n_classes);
    for (int32_t i = 0; i < j->n_instances; i++) {
        const struct job_instance *x = &j->instances[i];
        for (int32_t k = 0; x->is_complete && x->is_decomposed && k < x->n_members;
             k++) {
            mean_ns[class[x->signature]] += member_of(j, x->first_member + k)->dur_ns;
            n[class[x->signature]]++;
        }
    }
    for (int32_t k = 0; k < n_classes; k++)
        mean_ns[k] = n[k] ? mean_ns[k] / n[k] : 0;
    return mean_ns;
}

/* Groups of which one rank alone is in the data, and whose stays are in the mean much
 * longer than those of ranks in complete groups. */
static void mark_lacking_alone(struct arena tmp, struct job *j, const int32_t *class,
                               int32_t n_classes)
{
    bool any = false;
    for (int32_t i = 0; i < j->n_instances && !any; i++)
        any = may_lack_alone(j, &j->instances[i]);
    if (!any)
        return;
    const int64_t *mean_ns = mean_stays(&tmp, j, class, n_classes);
    for (int g = 0; g < j->n_groups; g++) {
        int64_t stay_ns = 0, usual_ns = 0;
        int32_t n = 0;
        for (int32_t i = 0; i < j->groups[g].n_instances; i++) {
            const struct job_instance *x =
                &j->instances[j->groups[g].first_instance + i];
            if (!may_lack_alone(j, x) || !mean_ns[class[x->signature]])
                continue;
            stay_ns += x->min_dur_ns;
            usual_ns += mean_ns[class[x->signature]];
            n++;
        }
        if (!n || !is_longer(stay_ns / n, usual_ns / n))
            continue;
        for (int32_t i = 0; i < j->groups[g].n_instances; i++) {
            struct job_instance *x = &j->instances[j->groups[g].first_instance + i];
            int64_t usual = mean_ns[class[x->signature]];
            if (!may_lack_alone(j, x) || !usual || x->min_dur_ns <= usual)
                continue;
            x->lacks_last = true;
            j->n_lacking++;
            j->lacking_ns += x->min_dur_ns - usual;
        }
    }
}

/* Stays in one collective of each step. */
struct place_stays {
    int32_t n, n_longer;
    double sum_ns, more_ns; /* more_ns: of instances that lack the last */
};

/* In nearly all steps longer than usual, and in the mean by so much more that what runs
 * beside them, which makes transfers longer, does not tell why. */
static bool is_regular(const struct place_stays *p, double usual_ns)
{
    enum { STEPS_LEAST = 8 };
    static const double EACH = 0.9, RATIO = 1.3;
    return p->n >= STEPS_LEAST && p->n_longer >= EACH * p->n &&
           p->sum_ns >= RATIO * usual_ns * p->n;
}

/* Whether those that lack the last are the same collectives of each step. */
static bool is_lacking_regular(struct arena tmp, const struct job *j,
                               const int32_t *class, const int64_t *usual_ns)
{
    static const double LONGER = 1.1, MOST = 0.75;
    double regular_ns = 0;
    for (int g = 0; g < j->n_groups; g++) {
        const struct job_group *group = &j->groups[g];
        const struct job_instance *of = &j->instances[group->first_instance];
        struct arena own = tmp;
        struct place_stays *at =
            arena_new(&own, struct place_stays, group->n_instances);
        double *usual = arena_new(&own, double, group->n_instances);
        for (int32_t i = 0, place = 0; i < group->n_instances; i++) {
            double ns = (double)of[i].min_dur_ns;
            place = i && of[i].step == of[i - 1].step ? place + 1 : 0;
            if (of[i].step < 0 || !may_lack(j, &of[i]))
                continue;
            usual[place] = (double)usual_ns[class[of[i].signature]];
            at[place].n++;
            at[place].n_longer += ns > LONGER * usual[place];
            at[place].sum_ns += ns;
            at[place].more_ns += of[i].lacks_last ? ns - usual[place] : 0;
        }
        for (int32_t k = 0; k < group->n_instances; k++)
            regular_ns += is_regular(&at[k], usual[k]) ? at[k].more_ns : 0;
    }
    return regular_ns > 0 && regular_ns >= MOST * (double)j->lacking_ns;
}

/* Someone who is not in the data came last: even the shortest stay is much longer than
 * in instances where all are there. If all are nowhere there, than in the shortest ones
 * of all, which says less: it has to be 5 % of the run, or 2 % if it is in the same
 * collectives of each step. Those that follow each other in time may be long because
 * that rank is late, too, so that it costs that much at least: the same recordings
 * follow from quick transfers and a rank that is always late, and from slow transfers
 * and one that is seldom late. */
static void find_lacking(struct arena *perm, struct arena tmp, struct job *j)
{
    int32_t n_classes;
    int32_t *class = transfer_classes(&tmp, j, &n_classes);
    int64_t *usual = arena_new(&tmp, int64_t, n_classes);
    usual_of_complete(tmp, j, class, usual, n_classes);
    if (!j->has_complete)
        usual_of_shortest(tmp, j, class, usual, n_classes);
    mark_lacking(j, class, usual);
    if (j->has_complete)
        mark_lacking_alone(tmp, j, class, n_classes);
    j->usual_ns = arena_new(perm, int64_t, j->n_lacking ? j->n_signatures : 0);
    for (int32_t i = 0; j->n_lacking && i < j->n_signatures; i++)
        j->usual_ns[i] = usual[class[i]];
    int64_t run_ns = j->end_ns - j->start_ns;
    for (int32_t i = 0; !j->has_complete && i < j->n_instances; i++)
        j->instances[i].may_lack_last = may_lack(j, &j->instances[i]);
    if (j->has_complete || j->lacking_ns > run_ns / 20 ||
        (j->lacking_ns > run_ns / 50 && is_lacking_regular(tmp, j, class, usual)))
        return;
    j->n_lacking = 0;
    j->lacking_ns = 0;
    for (int32_t i = 0; i < j->n_instances; i++)
        j->instances[i].lacks_last = false;
}

static void order_by_time(struct arena *perm, struct arena tmp, struct job *j)
{
    struct sort_row *rows = arena_new(&tmp, struct sort_row, j->n_instances);
    for (int32_t i = 0; i < j->n_instances; i++)
        rows[i] = (struct sort_row){j->instances[i].last_start_ns, i};
    sort_rows(tmp, rows, j->n_instances);
    j->by_time = arena_new(perm, int32_t, j->n_instances);
    for (int32_t i = 0; i < j->n_instances; i++)
        j->by_time[i] = rows[i].row;
}

void job_blame(struct arena *perm, struct arena tmp, struct job *j)
{
    find_steps(perm, tmp, j);
    place_in_steps(j);
    int64_t n_cells = (int64_t)j->n_ranks * j->n_steps;
    if (n_cells && n_cells <= STEP_CELLS_MAX)
        j->step_blame = arena_new(perm, float, n_cells);
    j->start_ns = INT64_MAX;
    j->end_ns = INT64_MIN;
    for (int i = 0; i < j->n_ranks; i++) {
        j->start_ns =
            j->ranks[i].start_ns < j->start_ns ? j->ranks[i].start_ns : j->start_ns;
        j->end_ns = j->ranks[i].end_ns > j->end_ns ? j->ranks[i].end_ns : j->end_ns;
    }
    /* The time before the first collective of all counts from the job's start. */
    for (int i = 0; i < j->n_ranks; i++)
        if (j->ranks[i].n_rows)
            j->ranks[i].rows[0].part_ns[SEGMENT_IDLE] +=
                j->ranks[i].start_ns - j->start_ns;
    for (int i = 0; i < j->n_ranks; i++)
        find_own(tmp, j, &j->ranks[i]);
    for (int32_t i = 0; i < j->n_instances; i++) {
        struct job_instance *x = &j->instances[i];
        struct arena scratch = tmp;
        find_times(j, x);
        if (!x->is_decomposed)
            continue;
        if (!instance_counts(j, x)) {
            for (int32_t k = 0; x->is_start && k < x->n_members; k++)
                j->start_wait_ns += x->last_start_ns -
                                    arrival_ns(j, x, member_of(j, x->first_member + k));
            continue;
        }
        struct sort_row *rows = by_arrival(&scratch, j, x);
        charge(scratch, j, x, rows);
        count_places(j, x, rows);
        j->wait_ns += x->wait_ns;
        j->free_wait_ns += free_wait_ns(j, x);
    }
    int64_t *steps = arena_new(&tmp, int64_t, j->n_steps);
    for (int s = 0; s < j->n_steps; s++)
        steps[s] = j->steps[s].dur_ns;
    j->step_ns = j->n_steps ? median_ns(steps, j->n_steps) : j->end_ns - j->start_ns;
    round_blame(tmp, j);
    find_lacking(perm, tmp, j);
    order_by_time(perm, tmp, j);
}
