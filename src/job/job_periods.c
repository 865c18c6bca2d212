/* Where much communication is hidden, what lies between two collectives of a rank
 * depends on how long others kept it waiting meanwhile. There, ranks are compared by
 * what they do in a step: computing, copies and idle time, without communication. */
#include "analysis/model/system_results.h"
#include "base/int_map.h"
#include "job/job.h"
#include "job/job_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HIDDEN_FRAC 0.25 /* of communication: then computation sets the pace */

/* How much each rank tells of how a job hides communication: what those that came last
 * to collectives hide. Who waited for them has nothing left to compute meanwhile. */
static double *last_ns(struct arena *a, const struct job *j)
{
    double *ns = arena_new(a, double, j->n_ranks);
    for (int32_t i = 0; i < j->n_instances; i++) {
        const struct job_instance *x = &j->instances[i];
        if (x->last_rank >= 0 && x->is_decomposed)
            ns[x->last_rank] += (double)x->min_dur_ns;
    }
    return ns;
}

/* Of the time that data moves: waiting, which late ranks make long, does not count. */
static bool is_hidden(struct arena tmp, const struct job *j)
{
    double exposed = 0, all = 0, *weight = last_ns(&tmp, j);
    for (int i = 0; i < j->n_ranks; i++) {
        double moving = 0;
        for (int32_t k = 0; k < j->ranks[i].n_rows; k++)
            moving += (double)moving_ns(j, &j->ranks[i].rows[k]);
        exposed += moving > 0
                       ? weight[i] * (double)j->ranks[i].balance.transfer_ns / moving
                       : 0;
        all += weight[i];
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

/* Computation as steps have it. Idle time and copies go to the step of the collective
 * that follows, as the others wait there for them: at the edge of a step they lie in
 * the one that ends. */
static void add_rank(struct job *j, int rank)
{
    const struct job_rank *r = &j->ranks[rank];
    struct job_period *of = &j->periods[(ptrdiff_t)rank * j->n_periods],
                      *rest = &of[j->n_steps];
    rest->part_ns[SEGMENT_COMPUTE] = r->balance.compute_ns;
    rest->part_ns[SEGMENT_COPY] = r->balance.copy_ns;
    rest->part_ns[SEGMENT_IDLE] = r->balance.idle_ns;
    for (int k = 0; k < r->n_steps; k++)
        if (r->steps[k].of >= 0)
            of[r->steps[k].of].part_ns[SEGMENT_COMPUTE] +=
                r->steps[k].part_ns[SEGMENT_COMPUTE];
    for (int32_t i = 0; i < r->n_rows; i++) {
        int period = period_of(j, r, r->rows[i].start_ns);
        if (period == j->n_steps)
            continue;
        /* The first has the time before its recording too. */
        int64_t before_ns = i ? 0 : r->start_ns - j->start_ns;
        of[period].part_ns[SEGMENT_COPY] += r->rows[i].part_ns[SEGMENT_COPY];
        of[period].part_ns[SEGMENT_IDLE] +=
            r->rows[i].part_ns[SEGMENT_IDLE] - before_ns;
    }
    for (int s = 0; s < j->n_steps; s++)
        for (int k = 0; k < SEGMENT_PARTS; k++)
            rest->part_ns[k] -= of[s].part_ns[k];
    for (int32_t i = 0; i < r->n_causes; i++) {
        const struct job_cause *c = &r->causes[i];
        of[period_of(j, r, r->rows[c->row].start_ns)].cause_ns[c->cause] += c->ns;
    }
}

int32_t row_behind(const struct job_rank *r, int32_t row, int64_t ns)
{
    while (row < r->n_rows && r->rows[row].start_ns <= ns)
        row++;
    return row;
}

/* Idle time beside communication goes where other idle time does. */
static void add_held(struct arena *perm, struct arena tmp, struct job *j, int rank)
{
    struct job_rank *r = &j->ranks[rank];
    struct job_period *of = &j->periods[(ptrdiff_t)rank * j->n_periods];
    struct capture_block *held;
    int32_t n = rank_held(&tmp, r, &held);
    r->held = arena_new(perm, struct row_held, r->n_rows);
    for (int32_t i = 0, row = 0; i < n; i++) {
        int64_t ns = held[i].dur_ns;
        row = row_behind(r, row, held[i].start_ns + ns);
        bool before_row = row < r->n_rows;
        int period = before_row ? period_of(j, r, r->rows[row].start_ns) : j->n_steps;
        of[period].held_ns += ns;
        of[period].part_ns[SEGMENT_IDLE] += ns;
        of[period].cause_ns[IDLE_HOST_BOUND] += ns;
        if (!before_row)
            continue;
        r->held[row].ns += ns;
        r->held[row].short_ns += ns < RUN_GAP_NS ? ns : 0;
    }
}

int64_t period_ns(const struct job_period *p)
{
    int64_t ns = 0;
    for (int k = 0; k < SEGMENT_PARTS; k++)
        ns += p->part_ns[k];
    return ns;
}

void job_find_periods(struct arena *perm, struct arena tmp, struct job *j)
{
    j->is_hidden = is_hidden(*perm, j);
    if (!j->is_hidden)
        return;
    j->n_periods = j->n_steps + 1;
    j->periods =
        arena_new(perm, struct job_period, (ptrdiff_t)j->n_ranks * j->n_periods);
    for (int i = 0; i < j->n_ranks; i++) {
        add_rank(j, i);
        add_held(perm, tmp, j, i);
        j->is_piped |= j->n_steps > 1 && j->ranks[i].peers;
    }
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

/* Moving the times of a rank from its clock to that of the job. */

/* t - gain * (t - from) + shift */
struct clock_change {
    double gain;
    int64_t from_ns, shift_ns;
};

static void change(int64_t *ns, const struct clock_change *c)
{
    *ns += c->shift_ns;
    if (c->gain != 0)
        *ns -= llround(c->gain * (double)(*ns - c->from_ns));
}

static void change_blocks(struct capture_block *b, int32_t n,
                          const struct clock_change *c)
{
    for (int32_t i = 0; i < n; i++)
        change(&b[i].start_ns, c);
}

static void change_rank(struct job_rank *r, const struct clock_change *c)
{
    change(&r->start_ns, c);
    change(&r->end_ns, c);
    for (int32_t i = 0; i < r->n_rows; i++)
        change(&r->rows[i].start_ns, c);
    change_blocks(r->blocks, r->n_blocks, c);
    change_blocks(r->covers, r->n_covers, c);
    for (int i = 0; i < r->n_steps; i++) {
        change(&r->steps[i].start_ns, c);
        change(&r->steps[i].end_ns, c);
    }
}

void rank_shift(struct job_rank *r, int64_t ns)
{
    r->trace_ns -= ns;
    r->slow_from_ns += ns;
    change_rank(r, &(struct clock_change){.shift_ns = ns});
}

void rank_slow(struct job_rank *r, double gain, int64_t from_ns)
{
    r->slow_gain = gain;
    r->slow_from_ns = from_ns;
    change_rank(r, &(struct clock_change){.gain = gain, .from_ns = from_ns});
}

int64_t rank_trace_ns(const struct job_rank *r, int64_t ns)
{
    double g = r->slow_gain, since = (double)(ns - r->slow_from_ns);
    return ns + r->trace_ns + (g != 0 ? llround(g / (1 - g) * since) : 0);
}

/* Lateness by cause: computation by category, copies, idle time by what the host did.
 */

enum {
    CAUSE_COPY = WORK_CATEGORIES,
    CAUSE_IDLE, /* of a known cause: CAPTURE_CAUSES of them */
    CAUSE_REST = CAUSE_IDLE + CAPTURE_CAUSES /* idle, nothing known */
};
_Static_assert(CAUSE_REST + 1 == JOB_CAUSES, "one for each");

enum segment_part cause_part(int cause)
{
    return cause < CAUSE_COPY    ? SEGMENT_COMPUTE
           : cause == CAUSE_COPY ? SEGMENT_COPY
                                 : SEGMENT_IDLE;
}

bool cause_is_held(int cause)
{
    return cause == CAUSE_IDLE + (int)IDLE_HOST_BOUND;
}

struct str cause_text(struct arena *perm, int cause)
{
    if (cause < CAUSE_COPY)
        return str_printf(perm, "compute: %.*s",
                          STRF(work_category_display((enum work_category)cause)));
    return cause == CAUSE_COPY ? S("copy")
           : cause == CAUSE_REST
               ? S("idle: unknown")
               : str_printf(
                     perm, "idle: %.*s",
                     STRF(idle_class_label((enum idle_class)(cause - CAUSE_IDLE))));
}

/* Categories are known of steps and of the whole, not of what lies between collectives.
 */
static const int64_t *work_of(const struct job *j, int32_t rank, int step)
{
    const struct job_rank *r = &j->ranks[rank];
    return step < j->n_steps ? r->steps[r->step_at[step]].work_ns : r->work_ns;
}

/* Which part of `ns` the categories before each one make out: more[0] is 0, and
 * more[WORK_CATEGORIES] 1, up to place `last` + 1. */
static void shares_before(const struct job *j, int32_t rank, int32_t ref, int step,
                          int64_t ns, int last, double more[WORK_CATEGORIES + 1])
{
    const int64_t *own = work_of(j, rank, step), *other = work_of(j, ref, step);
    int64_t part_ns[WORK_CATEGORIES], sum_ns = 0, own_ns = 0;
    for (int k = 0; k < WORK_CATEGORIES; k++) {
        int64_t by_ns = ns < 0 ? other[k] - own[k] : own[k] - other[k];
        part_ns[k] = by_ns > 0 ? by_ns : 0;
        sum_ns += part_ns[k];
    }
    for (int k = 0; k < WORK_CATEGORIES && sum_ns == 0; k++)
        own_ns += own[k];
    const int64_t *of = sum_ns ? part_ns : own;
    double all = (double)(sum_ns ? sum_ns : own_ns);
    more[0] = 0;
    for (int k = 0; k <= last; k++) {
        double share = all <= 0 ? k == WORK_OTHER : of[k] ? (double)of[k] / all : 0;
        more[k + 1] = more[k] + share < 1 ? more[k] + share : 1;
    }
}

void split_compute(const struct job *j, int32_t rank, int32_t ref, int step, int64_t ns,
                   int64_t to[WORK_CATEGORIES])
{
    double more[WORK_CATEGORIES + 1];
    int64_t from = 0;
    shares_before(j, rank, ref, step, ns, WORK_CATEGORIES - 1, more);
    for (int k = 0; k < WORK_CATEGORIES; k++) {
        bool any = more[k + 1] > more[k];
        int64_t until = any ? llround(more[k + 1] * (double)ns) : from;
        to[k] = until - from;
        from = until;
    }
}

static int64_t part_of(const double *more, int category, int64_t ns)
{
    return llround(more[category + 1] * (double)ns) -
           llround(more[category] * (double)ns);
}

/* The same of one category. */
static int64_t compute_of(const struct job *j, int32_t rank, int32_t ref, int step,
                          int64_t ns, int category)
{
    double more[WORK_CATEGORIES + 1];
    shares_before(j, rank, ref, step, ns, category, more);
    return part_of(more, category, ns);
}

void row_causes(const struct job_rank *r, int32_t row, int sign, int64_t *ns)
{
    int32_t low = 0, high = r->n_causes;
    while (low < high) {
        int32_t mid = low + (high - low) / 2;
        if (r->causes[mid].row < row)
            low = mid + 1;
        else
            high = mid;
    }
    for (; low < r->n_causes && r->causes[low].row == row; low++)
        ns[r->causes[low].cause] += sign * r->causes[low].ns;
}

static int64_t known_ns(const int64_t cause_ns[CAPTURE_CAUSES])
{
    int64_t ns = 0;
    for (int k = 0; k < CAPTURE_CAUSES; k++)
        ns += cause_ns[k];
    return ns;
}

int64_t cause_of(int cause, const int64_t part_ns[SEGMENT_PARTS],
                 const int64_t cause_ns[CAPTURE_CAUSES],
                 const int64_t work_ns[WORK_CATEGORIES])
{
    return cause < CAUSE_COPY    ? work_ns[cause]
           : cause == CAUSE_COPY ? part_ns[SEGMENT_COPY]
           : cause == CAUSE_REST ? part_ns[SEGMENT_IDLE] - known_ns(cause_ns)
                                 : cause_ns[cause - CAUSE_IDLE];
}

void causes_between(const struct job *j, const int *causes, int n,
                    const struct member_ref *own, const struct member_ref *ref,
                    int step, int64_t *to)
{
    const struct job_member *m = &j->ranks[own->rank].rows[own->row],
                            *other = &j->ranks[ref->rank].rows[ref->row];
    int64_t part_ns[SEGMENT_PARTS], cause_ns[CAPTURE_CAUSES] = {0};
    double more[WORK_CATEGORIES + 1];
    int last = -1;
    bool idle = false;
    for (int k = 0; k < n; k++) {
        enum segment_part part = cause_part(causes[k]);
        last = part == SEGMENT_COMPUTE && causes[k] > last ? causes[k] : last;
        idle |= part == SEGMENT_IDLE;
    }
    for (int k = 0; k < SEGMENT_PARTS; k++)
        part_ns[k] = m->part_ns[k] - other->part_ns[k];
    int64_t compute_ns = part_ns[SEGMENT_COMPUTE];
    if (last >= 0 && compute_ns)
        shares_before(j, own->rank, ref->rank, step, compute_ns, last, more);
    if (idle) {
        row_causes(&j->ranks[own->rank], own->row, 1, cause_ns);
        row_causes(&j->ranks[ref->rank], ref->row, -1, cause_ns);
    }
    for (int k = 0; k < n; k++) {
        if (cause_part(causes[k]) == SEGMENT_COMPUTE)
            to[k] = compute_ns ? part_of(more, causes[k], compute_ns) : 0;
        else
            to[k] = cause_of(causes[k], part_ns, cause_ns, NULL);
    }
}

int64_t cause_in_period(const struct job *j, int cause, int32_t rank, int32_t ref,
                        int period, int64_t compute_ns)
{
    const struct job_period *own = &j->periods[(ptrdiff_t)rank * j->n_periods + period],
                            *other =
                                &j->periods[(ptrdiff_t)ref * j->n_periods + period];
    int64_t part_ns[SEGMENT_PARTS], cause_ns[CAPTURE_CAUSES];
    for (int k = 0; k < SEGMENT_PARTS; k++)
        part_ns[k] = own->part_ns[k] - other->part_ns[k];
    for (int k = 0; k < CAPTURE_CAUSES; k++)
        cause_ns[k] = own->cause_ns[k] - other->cause_ns[k];
    if (cause_part(cause) == SEGMENT_COMPUTE)
        return compute_of(j, rank, ref, period, compute_ns, cause);
    return cause_of(cause, part_ns, cause_ns, NULL);
}

/* Which ranks do the same: those that call the same collectives about as often. One
 * whose recording begins later, or ends earlier, has fewer of them and does the same;
 * one at the end of a pipeline sends half as much as those between. */

enum {
    ROLES_MAX = 256, /* looked through for each rank */
    COUNT_LEAST = 4  /* fewer of a kind and size tell nothing */
};

/* How often a rank calls collectives of each class. */
struct calls {
    int32_t *class, *count;
    int32_t n, n_many; /* n_many: classes with enough */
};

/* The class of each signature: its kind and size, whichever group. */
static int32_t *classes_of(struct arena *a, const struct job *j, int32_t *n)
{
    struct int_map known = int_map_make(a, 64);
    int32_t *of = arena_new(a, int32_t, j->n_signatures);
    *n = 0;
    for (int32_t i = 0; i < j->n_signatures; i++) {
        const struct job_signature *s = &j->signatures[i];
        bool own_size = s->kind == COLLECTIVE_ALL_TO_ALL_V;
        uint64_t key = ((uint64_t)s->kind + 1) * 1099511628211u;
        key = own_size ? key : (key ^ (uint64_t)s->bytes) * 1099511628211u;
        int32_t *at = int_map_at(&known, a, (int64_t)(key ^ key >> 31));
        if (*at < 0)
            *at = (*n)++;
        of[i] = *at;
    }
    return of;
}

/* Of the steps that all ranks have, or of all that is recorded. Leaves the counts of
 * all classes in `dense`. */
static struct calls calls_of(struct arena *a, const struct job *j, int32_t rank,
                             const int32_t *class_of, int32_t n_classes, int32_t *dense)
{
    const struct job_rank *r = &j->ranks[rank];
    struct calls c = {0};
    memset(dense, 0, (size_t)n_classes * sizeof *dense);
    for (int32_t k = 0; k < r->n_rows; k++)
        if (!j->n_steps || period_of(j, r, r->rows[k].start_ns) < j->n_steps)
            c.n += !dense[class_of[r->rows[k].signature]]++;
    c.class = arena_new(a, int32_t, c.n);
    c.count = arena_new(a, int32_t, c.n);
    for (int32_t k = 0, n = 0; n < c.n; k++) {
        if (!dense[k])
            continue;
        c.class[n] = k;
        c.count[n++] = dense[k];
        c.n_many += dense[k] >= COUNT_LEAST;
    }
    return c;
}

/* Counts differ by a quarter at most. */
static bool are_near(int32_t a, int32_t b)
{
    int32_t more = a > b ? a : b;
    return more < COUNT_LEAST || 4 * (int64_t)abs(a - b) <= more;
}

/* `dense`: of `own`. */
static bool do_the_same(const struct calls *own, const int32_t *dense,
                        const struct calls *other)
{
    int32_t n_many = 0;
    for (int32_t k = 0; k < other->n; k++) {
        int32_t count = dense[other->class[k]];
        if (!are_near(count, other->count[k]))
            return false;
        n_many += count >= COUNT_LEAST;
    }
    return n_many == own->n_many;
}

void job_rank_roles(struct arena tmp, struct job *j)
{
    int32_t n_classes, n_roles = 0;
    int32_t *class_of = classes_of(&tmp, j, &n_classes);
    int32_t *dense = arena_new(&tmp, int32_t, n_classes);
    struct calls *roles = arena_new(&tmp, struct calls, ROLES_MAX);
    for (int32_t i = 0; i < j->n_ranks; i++) {
        struct arena keep = tmp;
        struct calls own = calls_of(&tmp, j, i, class_of, n_classes, dense);
        int32_t of = 0;
        while (of < n_roles && !do_the_same(&own, dense, &roles[of]))
            of++;
        if (of == n_roles && n_roles < ROLES_MAX)
            roles[n_roles++] = own;
        else
            tmp = keep;
        j->ranks[i].role = of < ROLES_MAX ? of : i;
    }
}
