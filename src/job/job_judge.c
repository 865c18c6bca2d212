/* Who is late, and how sure that is: blame resampled over steps. */
#include "analysis/model/system_results.h"
#include "base/sort.h"
#include "job/job_parts.h"

#include <math.h>
#include <string.h>

enum {
    CANDIDATES = 64,
    RESAMPLES = 2000,
    STEPS_MIN = 5,
    BLOCK = 8,        /* instances that are drawn together where there are few steps */
    UNITS_MAX = 2000, /* more are drawn in larger blocks */
    SET_MAX = 4
};

#define TOP_FRAC   0.95
#define TOP_LEAST  0.5 /* of the resamples: less may well be others */
#define MOST_STEPS (2.0 / 3)
#define NEARLY_ALL 0.9  /* where one of several is: three of eight may be by chance */
#define SAVE_FRAC  0.01 /* of the run: less is not worth a name */
#define BLAME_FRAC 0.05
#define CAUSE_FRAC 0.80 /* of the lateness: less is mixed */
#define CHRONIC_P  0.01
#define ALIKE_FRAC 0.80 /* of all blame, of ranks that are */
#define ALIKE_EACH 0.75 /* of the blame of the first of them */
#define ALIKE_LATE                                                                     \
    0.25 /* of the lateness of a rank that is named; stages of a pipeline              \
          * wait for each other though none is late */
#define ONE_PASS_FRAC 0.5  /* of the blame of the first, where nothing is repeated */
#define FEW_GAIN      0.5  /* of what all late ranks cost, of a few of them */
#define NEXT_GAIN     0.5  /* of what those before save, of the next one */
#define NODE_GAIN     0.75 /* of the same, of one node */
#define ONCE_GAIN     0.75 /* of the same, of a rank that is late once */
#define NODE_BLAME    0.75 /* of all blame */
#define RECURS_FRAC   0.75 /* of the resamples of steps */
#define CHANCE        0.03 /* of the shuffles of a job that blame as few ranks as much */

/* Blame by unit and candidate. */
struct units {
    double *blame;                             /* n rows of n_candidates */
    int32_t n, each;                           /* each: steps, or instances, of one */
    int32_t *candidates, n_candidates, *place; /* place: by rank, or -1 */
    bool are_steps;
};

double rank_charge(const struct job *j, const struct job_rank *r)
{
    return j->is_piped ? (double)r->late.ns : r->own_blame;
}

struct sort_row *by_own_blame(struct arena *a, const struct job *j)
{
    struct sort_row *rows = arena_new(a, struct sort_row, j->n_ranks);
    for (int i = 0; i < j->n_ranks; i++)
        rows[i] = (struct sort_row){-llround(rank_charge(j, &j->ranks[i])), i};
    sort_rows(*a, rows, j->n_ranks);
    return rows;
}

static int32_t *candidates_of(struct arena *a, const struct job *j, int32_t *n)
{
    int32_t *to = arena_new(a, int32_t, CANDIDATES);
    struct arena tmp = *a;
    struct sort_row *rows = by_own_blame(&tmp, j);
    *n = j->n_ranks < CANDIDATES ? j->n_ranks : CANDIDATES;
    for (int i = 0; i < *n; i++)
        to[i] = rows[i].row;
    return to;
}

/* Steps where there are several, else runs of instances, else instances. What follows
 * the last step that all have whole is a unit as well (units_of). */
static int32_t unit_of(const struct units *u, const struct job_instance *x,
                       int32_t count)
{
    return !u->are_steps ? count / u->each : x->step < 0 ? -1 : x->step / u->each;
}

/* The run ends when its last rank does: a unit more, if some rank takes long there. */
static bool add_tails(struct arena tmp, struct units *u, const struct job *j)
{
    const int64_t *middle_ns = median_tails(&tmp, j);
    double least = SAVE_FRAC * (double)(j->end_ns - j->start_ns);
    bool any = false;
    for (int32_t i = 0; i < u->n_candidates; i++) {
        int32_t rank = u->candidates[i];
        double ns = (double)(rank_tail_ns(&j->ranks[rank]) - middle_ns[rank]);
        if (ns < least)
            continue;
        u->blame[(ptrdiff_t)u->n * u->n_candidates + i] = ns * (j->n_ranks - 1);
        any = true;
    }
    return any;
}

/* How late ranks are in each step, for what they are blamed for. */
static void add_lateness(struct arena tmp, struct units *u, const struct job *j)
{
    const int32_t *ref = periods_middle(&tmp, j);
    for (int32_t i = 0; i < u->n_candidates; i++) {
        ptrdiff_t rank = u->candidates[i];
        for (int s = 0; s < j->n_steps; s++) {
            ptrdiff_t at = rank * j->n_periods + s;
            int64_t ns = period_ns(&j->periods[at]) -
                         period_ns(&j->periods[(ptrdiff_t)ref[at] * j->n_periods + s]);
            u->blame[(ptrdiff_t)(s / u->each) * u->n_candidates + i] +=
                ns > 0 ? (double)ns : 0;
        }
    }
}

static struct units units_of(struct arena *a, const struct job *j)
{
    struct units u = {.are_steps = j->n_steps >= STEPS_MIN};
    int32_t n_counting = 0, count = 0;
    u.candidates = candidates_of(a, j, &u.n_candidates);
    u.place = arena_new(a, int32_t, j->n_ranks);
    memset(u.place, -1, (size_t)j->n_ranks * sizeof *u.place);
    for (int32_t i = 0; i < u.n_candidates; i++)
        u.place[u.candidates[i]] = i;
    for (int32_t i = 0; i < j->n_instances; i++)
        n_counting += instance_counts(j, &j->instances[i]);
    int32_t of = u.are_steps ? j->n_steps : n_counting;
    int32_t least = u.are_steps || of < STEPS_MIN * BLOCK ? 1 : BLOCK;
    u.each = of / UNITS_MAX + 1 > least ? of / UNITS_MAX + 1 : least;
    u.n = (of + u.each - 1) / u.each;
    u.blame = arena_new(a, double, (ptrdiff_t)(u.n + 1) * u.n_candidates);
    if (j->is_piped && u.are_steps) {
        add_lateness(*a, &u, j);
        return u;
    }
    bool has_tail = u.are_steps && j->is_hidden && add_tails(*a, &u, j);
    int32_t latest = -1;
    for (int32_t i = 0; i < j->n_instances; i++) {
        const struct job_instance *x = &j->instances[j->by_time[i]];
        if (!instance_counts(j, x))
            continue;
        int32_t unit = unit_of(&u, x, count++);
        latest = x->step > latest ? x->step : latest;
        if (unit < 0 && latest + 1 == j->n_steps) { /* after the last whole step */
            unit = u.n;
            has_tail = true;
        }
        if (unit < 0)
            continue;
        struct arena tmp = *a;
        struct sort_row *rows = by_arrival(&tmp, j, x);
        struct charge *all = arena_new(&tmp, struct charge, x->n_members);
        charges_of(j, x, rows, all);
        for (int32_t k = 0; k < x->n_members; k++)
            if (u.place[all[k].rank] >= 0)
                u.blame[unit * u.n_candidates + u.place[all[k].rank]] += all[k].own;
    }
    u.n += has_tail;
    return u;
}

static int32_t top_of(const double *sum, int32_t n)
{
    int32_t best = 0;
    for (int32_t i = 1; i < n; i++)
        if (sum[i] > sum[best])
            best = i;
    return sum[best] > 0 ? best : -1;
}

/* A fixed sequence: the same job gives the same figures. */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static void resample(struct arena tmp, const struct units *u, struct job *j)
{
    double *sum = arena_new(&tmp, double, u->n_candidates);
    int64_t *top = arena_new(&tmp, int64_t, u->n_candidates);
    uint64_t state = 1;
    for (int b = 0; u->n > 0 && b < RESAMPLES; b++) {
        memset(sum, 0, (size_t)u->n_candidates * sizeof *sum);
        for (int32_t k = 0; k < u->n; k++) {
            uint64_t at = next_random(&state) % (uint64_t)u->n;
            const double *row = u->blame + at * (uint64_t)u->n_candidates;
            for (int32_t i = 0; i < u->n_candidates; i++)
                sum[i] += row[i];
        }
        int32_t best = top_of(sum, u->n_candidates);
        if (best >= 0)
            top[best]++;
    }
    for (int32_t i = 0; i < u->n_candidates; i++)
        j->ranks[u->candidates[i]].top_frac = (double)top[i] / RESAMPLES;
}

/* The probability of k or more of n at 1/m each. */
static double binomial_tail(int k, int n, int m)
{
    double p = 1.0 / m, sum = 0;
    for (int i = k; i <= n; i++)
        sum += exp(lgamma(n + 1.0) - lgamma(i + 1.0) - lgamma(n - i + 1.0) +
                   i * log(p) + (n - i) * log1p(-p));
    return sum < 1 ? sum : 1;
}

static void find_chronic(struct arena tmp, const struct units *u, struct job *j)
{
    if (!u->are_steps || j->n_ranks < 2)
        return;
    int *top = arena_new(&tmp, int, u->n_candidates);
    for (int32_t s = 0; s < u->n; s++) {
        int32_t best = top_of(u->blame + s * u->n_candidates, u->n_candidates);
        if (best >= 0)
            top[best]++;
    }
    for (int32_t i = 0; i < u->n_candidates; i++) {
        struct job_rank *r = &j->ranks[u->candidates[i]];
        r->chronic_frac = (double)top[i] / u->n;
        r->chronic_p = top[i] ? binomial_tail(top[i], u->n, j->n_ranks) : 1;
    }
}

/* The part or cause that makes up most of the lateness. */
static void find_cause(struct arena *perm, struct job_rank *r)
{
    static const struct str parts[] = {[SEGMENT_COMPUTE] = S_INIT("compute"),
                                       [SEGMENT_COPY] = S_INIT("copy"),
                                       [SEGMENT_OTHER] = S_INIT("other communication"),
                                       [SEGMENT_IDLE] = S_INIT("idle")};
    const struct job_lateness *l = &r->late;
    r->cause = S("mixed");
    if (l->ns <= 0) {
        r->cause = S("");
        return;
    }
    for (int k = 0; k < SEGMENT_PARTS; k++)
        if ((double)l->part_ns[k] >= CAUSE_FRAC * (double)l->ns) {
            r->cause = parts[k];
            r->cause_frac = fmin(1, (double)l->part_ns[k] / (double)l->ns);
        }
    for (int k = 0; k < CAPTURE_CAUSES; k++)
        if ((double)l->cause_ns[k] >= CAUSE_FRAC * (double)l->ns) {
            r->cause = str_printf(perm, "idle: %.*s",
                                  STRF(idle_class_label((enum idle_class)k)));
            r->cause_frac = fmin(1, (double)l->cause_ns[k] / (double)l->ns);
        }
}

/* What the run would gain with this rank alone in time: as replayed; else how long all
 * have come but it. */
static double saved_ns(const struct job *j, const struct job_rank *r)
{
    return (double)(j->whatif_shown ? r->save_ns : r->marginal_ns);
}

/* Whether a rank alone costs most of what late ranks do, which is worth a name together
 * though that rank is a little less. */
static bool is_most_lost(const struct job *j, const struct job_rank *r)
{
    double run = (double)(j->end_ns - j->start_ns),
           lost = (double)(j->identity_ns - j->ideal_ns);
    return j->whatif_shown && lost >= SAVE_FRAC * run && r->has_whatif &&
           (double)r->save_ns >= ONCE_GAIN * lost && r->top_frac >= TOP_FRAC;
}

static bool is_worth_a_name(const struct job *j, const struct job_rank *r, double all)
{
    double run = (double)(j->end_ns - j->start_ns), least = 3.0 / j->n_ranks;
    double share = all > 0 ? rank_charge(j, r) / all : 0;
    least = least > BLAME_FRAC ? least : BLAME_FRAC;
    if (j->n_ranks < 2 || (double)r->late.ns < ONCE_GAIN * SAVE_FRAC * run)
        return false;
    if ((double)r->late.ns < SAVE_FRAC * run)
        return is_most_lost(j, r);
    return saved_ns(j, r) >= SAVE_FRAC * run || share >= least || is_most_lost(j, r);
}

/* Several that are alike and together hold nearly all blame, as those of a node: none
 * of them alone costs much, as the others come as late. */
static void name_alike(struct arena tmp, struct job *j, double all)
{
    struct sort_row *rows = by_own_blame(&tmp, j);
    double run = (double)(j->end_ns - j->start_ns), sum = 0;
    int n = 0;
    for (; n < j->n_ranks && (double)rows[n].key <= ALIKE_EACH * (double)rows[0].key;
         n++)
        sum += rank_charge(j, &j->ranks[rows[n].row]);
    bool are = 2 * n <= j->n_ranks && sum >= ALIKE_FRAC * all;
    for (int i = 0; are && i < n; i++)
        are = (double)j->ranks[rows[i].row].late.ns >= SAVE_FRAC * run;
    for (int i = 0; are && i < n; i++)
        j->ranks[rows[i].row].is_named = true;
}

/* A few, none of whom costs much alone, as another comes as late: those that are fixed
 * one after the other until half of what late ranks cost is saved, if each has twice
 * its part of the blame. */
static void name_few(struct job *j, double all)
{
    double run = (double)(j->end_ns - j->start_ns), least = 2.0 / j->n_ranks;
    double lost = FEW_GAIN * (double)(j->identity_ns - j->ideal_ns);
    lost = fmax(lost, SAVE_FRAC * run);
    least = fmax(least, BLAME_FRAC) * all;
    for (int i = 0; i < j->n_ranks; i++)
        if (j->ranks[i].is_named)
            return;
    int n = 1;
    for (; n < j->n_curve && n <= SET_MAX; n++) {
        const struct job_rank *r = &j->ranks[j->curve[n].rank];
        if (rank_charge(j, r) < least || (double)r->late.ns < SAVE_FRAC * run)
            return;
        if ((double)(j->identity_ns - j->curve[n].total_ns) >= lost)
            break;
    }
    for (int i = 1; i <= n && n < j->n_curve && n <= SET_MAX; i++)
        j->ranks[j->curve[i].rank].is_named = true;
}

/* Behind those that are named, another may be nearly as late, which shows only when
 * they are fixed: those that save a part as large then. One pass does not show that it
 * recurs; what names the others names those that are blamed about as much. */
static void name_next(struct job *j, double all)
{
    double run = (double)(j->end_ns - j->start_ns), latest = 0, most = 0, least;
    int n = 0;
    for (int i = 0; i < j->n_ranks; i++)
        if (j->ranks[i].is_named) {
            latest = fmax(latest, (double)j->ranks[i].late.ns);
            most = fmax(most, rank_charge(j, &j->ranks[i]));
            n++;
        }
    least = j->n_steps < STEPS_MIN ? ONE_PASS_FRAC * most : BLAME_FRAC * all;
    for (int i = 1; n && n < SET_MAX && i < j->n_curve; i++) {
        struct job_rank *r = &j->ranks[j->curve[i].rank];
        double saved = (double)(j->identity_ns - j->curve[i - 1].total_ns),
               more = (double)(j->curve[i - 1].total_ns - j->curve[i].total_ns);
        if (r->is_named)
            continue;
        if (more < fmax(SAVE_FRAC * run, NEXT_GAIN * saved) ||
            (double)r->late.ns < ALIKE_LATE * latest || rank_charge(j, r) < least)
            return;
        r->is_named = true;
        n++;
    }
}

/* Whether more than half of some ranks are late, and not a few for all of them. */
static bool are_late(const struct job *j, const int32_t *ranks, int n)
{
    double latest = 0;
    int n_late = 0;
    for (int i = 0; i < n; i++)
        latest = fmax(latest, (double)j->ranks[ranks[i]].late.ns);
    for (int i = 0; i < n; i++)
        n_late += (double)j->ranks[ranks[i]].late.ns >= ALIKE_LATE * latest;
    return 2 * n_late > n;
}

/* Whether a few ranks of a node, which are named, hold the blame, and its others are on
 * time: a pipeline stage that shares the node. */
static bool is_part_of_node(const struct job *j, const struct job_fix *node, double all)
{
    double late[2] = {0, 0}, blame = 0;
    int n[2] = {0, 0};
    for (int i = 0; i < j->n_ranks; i++)
        if (j->ranks[i].is_named && j->ranks[i].node != node->node)
            return false;
    for (int i = 0; i < node->n_ranks; i++) {
        const struct job_rank *r = &j->ranks[node->ranks[i]];
        late[r->is_named] += (double)r->late.ns;
        n[r->is_named]++;
        blame += r->is_named ? rank_charge(j, r) : 0;
    }
    return n[0] && n[1] && blame >= NODE_BLAME * all &&
           late[0] / n[0] < ALIKE_LATE * late[1] / n[1];
}

/* A node whose ranks are late together: none of them costs much alone, and which of
 * them is last changes. */
static void name_node(struct job *j, double all)
{
    const struct job_fix *best = NULL;
    double lost = (double)(j->identity_ns - j->ideal_ns), blame = 0, most = 0;
    for (int i = 0; i < j->n_fixes && !best; i++)
        best = j->fixes[i].kind == FIX_NODE ? &j->fixes[i] : NULL;
    if (!best || best->n_ranks < 2 || 2 * best->n_ranks > j->n_ranks ||
        lost < SAVE_FRAC * (double)j->identity_ns ||
        (double)(j->identity_ns - best->total_ns) < NODE_GAIN * lost ||
        !are_late(j, best->ranks, best->n_ranks) || is_part_of_node(j, best, all))
        return;
    for (int i = 0; i < best->n_ranks; i++) {
        const struct job_rank *r = &j->ranks[best->ranks[i]];
        blame += rank_charge(j, r);
        most = fmax(most, rank_charge(j, r));
    }
    if (blame < NODE_BLAME * all || 2 * most > blame)
        return;
    for (int i = 0; i < j->n_ranks; i++)
        j->ranks[i].is_named = j->ranks[i].node == best->node;
}

/* The node that all named ranks are of, and no other rank. */
static bool is_one_node(const struct job *j)
{
    int node = -1;
    for (int i = 0; i < j->n_ranks; i++)
        if (j->ranks[i].is_named) {
            if (node >= 0 && j->ranks[i].node != node)
                return false;
            node = j->ranks[i].node;
        }
    for (int i = 0; i < j->n_ranks; i++)
        if (j->ranks[i].node == node && !j->ranks[i].is_named)
            return false;
    return j->n_named > 1 && j->n_nodes > 1;
}

static double sum_of_largest(struct arena tmp, const double *sum, int n, int most)
{
    struct sort_row *rows = arena_new(&tmp, struct sort_row, n);
    double total = 0;
    for (int i = 0; i < n && most == 1; i++)
        total = fmax(total, sum[i]);
    if (most == 1)
        return total;
    for (int i = 0; i < n; i++)
        rows[i] = (struct sort_row){-llround(sum[i]), i};
    sort_rows(tmp, rows, n);
    for (int i = 0; i < most; i++)
        total += sum[rows[i].row];
    return total;
}

/* Whether as many ranks would get as much of the blame if it hit others in each step:
 * its ranks, as they stand beside each other, moved by any number. */
static bool is_chance(struct arena tmp, const struct units *u, const struct job *j)
{
    enum { SHUFFLES = 1000 };
    double *sum = arena_new(&tmp, double, j->n_ranks), named = 0;
    uint64_t state = 2;
    int n_named = 0, as_much = 0;
    for (int i = 0; i < j->n_ranks; i++)
        n_named += j->ranks[i].is_named;
    for (int32_t i = 0; i < u->n_candidates; i++)
        for (int32_t k = 0; k < u->n; k++)
            sum[i] += u->blame[(ptrdiff_t)k * u->n_candidates + i];
    named = sum_of_largest(tmp, sum, u->n_candidates,
                           n_named < u->n_candidates ? n_named : u->n_candidates);
    for (int b = 0; b < SHUFFLES; b++) {
        memset(sum, 0, (size_t)j->n_ranks * sizeof *sum);
        for (int32_t k = 0; k < u->n; k++) {
            int by = (int)(next_random(&state) % (uint64_t)j->n_ranks);
            for (int32_t i = 0; i < u->n_candidates; i++)
                sum[(u->candidates[i] + by) % j->n_ranks] +=
                    u->blame[(ptrdiff_t)k * u->n_candidates + i];
        }
        as_much += sum_of_largest(tmp, sum, j->n_ranks, n_named) >= named * (1 - 1e-9);
    }
    /* Of two ranks and few steps even the same one each time is not rarer. */
    double rarest = pow(j->n_ranks, 1 - u->n);
    return as_much > fmax(CHANCE, 1.3 * rarest) * SHUFFLES;
}

/* Whether those that are named are blamed more than each other rank whichever steps are
 * looked at: in most resamples of them. */
static bool recurs(struct arena tmp, const struct units *u, const struct job *j)
{
    enum { DRAWS = 500 };
    double *sum = arena_new(&tmp, double, u->n_candidates);
    uint64_t state = 3;
    int same = 0;
    for (int b = 0; b < DRAWS; b++) {
        double least = (double)INFINITY, most = 0;
        memset(sum, 0, (size_t)u->n_candidates * sizeof *sum);
        for (int32_t k = 0; k < u->n; k++) {
            uint64_t at = next_random(&state) % (uint64_t)u->n;
            for (int32_t i = 0; i < u->n_candidates; i++)
                sum[i] += u->blame[at * (uint64_t)u->n_candidates + i];
        }
        for (int32_t i = 0; i < u->n_candidates; i++)
            if (j->ranks[u->candidates[i]].is_named)
                least = fmin(least, sum[i]);
            else
                most = sum[i] > most ? sum[i] : most;
        same += least > most;
    }
    return same >= RECURS_FRAC * DRAWS;
}

/* The one rank that would be named, if it alone costs most of what late ranks do: its
 * steps are too few to say that it will be late again. */
static void find_once(const struct units *u, struct job *j)
{
    double lost = (double)(j->identity_ns - j->ideal_ns);
    for (int32_t i = 0; i < u->n_candidates; i++) {
        const struct job_rank *r = &j->ranks[u->candidates[i]];
        if (r->is_named && j->whatif_shown && r->has_whatif &&
            (double)r->save_ns >= ONCE_GAIN * lost) {
            j->is_once = true;
            j->once = u->candidates[i];
        }
    }
}

/* Who is named by chance is not. */
static void drop_chance(struct arena tmp, const struct units *u, struct job *j)
{
    int n = 0;
    for (int i = 0; i < j->n_ranks; i++)
        n += j->ranks[i].is_named;
    bool most = j->n_ranks > 3 && 2 * n > j->n_ranks;
    j->is_scattered = n && u->are_steps && u->n >= STEPS_MIN &&
                      (most || is_chance(tmp, u, j) || !recurs(tmp, u, j));
    if (j->is_scattered && n == 1)
        find_once(u, j);
    for (int i = 0; i < j->n_ranks && j->is_scattered; i++)
        j->ranks[i].is_named = false;
}

static void list_named(struct arena *perm, struct arena tmp, struct job *j)
{
    struct sort_row *rows = by_own_blame(&tmp, j);
    j->named = arena_new(perm, int32_t, j->n_ranks);
    for (int i = 0; i < j->n_ranks; i++)
        if (j->ranks[rows[i].row].is_named)
            j->named[j->n_named++] = rows[i].row;
}

static enum match_confidence worst_match(const struct job *j)
{
    enum match_confidence worst = CONFIDENCE_EXACT;
    for (int g = 0; g < j->n_groups; g++)
        if (j->groups[g].n_present > 1 && j->groups[g].confidence > worst)
            worst = j->groups[g].confidence;
    return worst;
}

/* The fewest ranks that are on top in nearly all resamples: their places in the
 * candidates, which are in the order of what they are blamed for. */
static int top_set(const struct units *u, const struct job *j, int32_t set[CANDIDATES])
{
    bool taken[CANDIDATES] = {false};
    double sum = 0;
    int n = 0;
    while (sum < TOP_FRAC && n < u->n_candidates) {
        int32_t best = -1;
        for (int32_t i = 0; i < u->n_candidates; i++)
            if (!taken[i] && (best < 0 || j->ranks[u->candidates[i]].top_frac >
                                              j->ranks[u->candidates[best]].top_frac))
                best = i;
        taken[best] = true;
        sum += j->ranks[u->candidates[best]].top_frac;
        set[n++] = u->candidates[best];
    }
    return n;
}

/* Beside a rank that is named those that may as well be the one blamed most. */
static void name_set(struct job *j, const int32_t *set, int n, double all)
{
    double least = SAVE_FRAC * (double)(j->end_ns - j->start_ns);
    bool any = false;
    for (int i = 0; i < j->n_ranks; i++) {
        const struct job_rank *r = &j->ranks[i];
        any |= r->is_named;
        least = fmax(least, r->is_named ? ALIKE_LATE * (double)r->late.ns : 0);
    }
    for (int i = 0; any && i < n; i++) {
        struct job_rank *r = &j->ranks[set[i]];
        r->is_named |=
            (double)r->late.ns >= least && rank_charge(j, r) >= BLAME_FRAC * all;
    }
}

/* In how many of the first units one of those that are named is blamed most. */
static int32_t units_of_named(const struct units *u, const struct job *j, int32_t first)
{
    int32_t n = 0;
    for (int32_t k = 0; k < first; k++) {
        int32_t best =
            top_of(u->blame + (ptrdiff_t)k * u->n_candidates, u->n_candidates);
        n += best >= 0 && j->ranks[u->candidates[best]].is_named;
    }
    return n;
}

static const char *why_unsure(const struct job *j)
{
    return j->options.clock == CLOCK_NONE ? "; arrivals are read off lengths alone"
           : !j->clock_good               ? "; clocks disagree"
           : worst_match(j) > CONFIDENCE_VERIFIED
               ? "; collectives are matched without sequence numbers or distances"
               : "";
}

/* How surely those that are named are those that the others wait for: it depends on the
 * steps in which they are blamed most. What it rests on may be in doubt: a level less.
 */
static void rate(struct arena *perm, struct job *j, const struct units *u)
{
    if (!j->n_named) {
        j->verdict = JOB_VERDICT_NONE;
        j->verdict_reason = S("no rank costs the run 1% or has a large part of the "
                              "waiting");
        return;
    }
    double top = 0;
    for (int i = 0; i < j->n_named; i++)
        top += j->ranks[j->named[i]].top_frac;
    int32_t n = units_of_named(u, j, u->n),
            whole = u->each == 1 && u->n > j->n_steps ? j->n_steps : u->n;
    const char *unsure = why_unsure(j);
    bool many = u->n >= (u->are_steps ? STEPS_MIN : 2 * SET_MAX + 1);
    double least = j->n_named > 1 ? NEARLY_ALL : MOST_STEPS;
    bool most = u->are_steps && n >= least * u->n && top >= TOP_FRAC;
    int level = !many || top < TOP_LEAST ? JOB_VERDICT_LOW
                : most                   ? JOB_VERDICT_HIGH
                                         : JOB_VERDICT_MEDIUM;
    level = *unsure && level > JOB_VERDICT_LOW ? level - 1 : level;
    j->verdict = (enum job_verdict)level;
    j->verdict_reason = !many || !u->are_steps ? str_printf(perm, "few steps%s", unsure)
                        : u->each == 1
                            ? str_printf(perm, "blamed most in %d of %d steps%s",
                                         units_of_named(u, j, whole), whole, unsure)
                            : str_printf(perm, "blamed most in %.0f%% of the steps%s",
                                         100.0 * n / u->n, unsure);
}

void job_judge(struct arena *perm, struct arena tmp, struct job *j)
{
    struct units u = units_of(&tmp, j);
    resample(tmp, &u, j);
    find_chronic(tmp, &u, j);
    double all = 0;
    for (int i = 0; i < j->n_ranks; i++)
        all += rank_charge(j, &j->ranks[i]);
    for (int i = 0; i < j->n_ranks; i++) {
        find_cause(perm, &j->ranks[i]);
        j->ranks[i].is_named = is_worth_a_name(j, &j->ranks[i], all);
    }
    name_alike(tmp, j, all);
    int32_t set[CANDIDATES];
    int n_set = top_set(&u, j, set);
    name_set(j, set, n_set, all);
    name_few(j, all);
    name_next(j, all);
    name_node(j, all);
    drop_chance(tmp, &u, j);
    list_named(perm, tmp, j);
    j->is_node = is_one_node(j);
    rate(perm, j, &u);
}
