#include "compare/judgement.h"

#include "compare/bootstrap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TESTED_FROM = 4, SCATTER_FROM = 3, RANKED_MAX = 40 };
static const double P_MAX = 0.02, MAD_TO_SIGMA = 1.4826, SCATTER_FACTOR = 2.8,
                    WALL_LARGE_PCT = 15;

struct str verdict_words(enum verdict v)
{
    static const struct str words[] = {
        [VERDICT_NONE] = S_INIT("on one side only"),
        [VERDICT_NOT_JUDGED] = S_INIT("too few captures to judge"),
        [VERDICT_WITHIN_FLOOR] = S_INIT("within noise floor"),
        [VERDICT_OBSERVED] = S_INIT("observed difference"),
        [VERDICT_LARGE_ONCE] = S_INIT("large, but few captures"),
        [VERDICT_OVERLAPPING] = S_INIT("overlapping"),
        [VERDICT_SEPARATED] = S_INIT("separated"),
        [VERDICT_NOT_DISTINGUISHABLE] = S_INIT("not distinguishable"),
        [VERDICT_CHANGED] = S_INIT("changed"),
        [VERDICT_OUTSIDE] = S_INIT("outside what was seen"),
        [VERDICT_INSIDE] = S_INIT("within what was seen"),
    };
    return words[v];
}

bool verdict_is_difference(enum verdict v)
{
    return v == VERDICT_OBSERVED || v == VERDICT_LARGE_ONCE || v == VERDICT_SEPARATED ||
           v == VERDICT_CHANGED || v == VERDICT_OUTSIDE;
}

static bool read_limit(struct str text, struct str unit, double *limit)
{
    char buf[32], *end;
    if (!str_ends(text, unit) || text.n - unit.n >= (ptrdiff_t)sizeof buf)
        return false;
    memcpy(buf, text.p, (size_t)(text.n - unit.n));
    buf[text.n - unit.n] = '\0';
    double v = strtod(buf, &end);
    bool good = end != buf && !*end && v >= 0 && v <= 1e6;
    if (good)
        *limit = v;
    return good;
}

bool noise_floor_read(const char *text, struct noise_floors *f, struct err *e)
{
    struct str rest = str_of(text), what = str_take(&rest, S("="));
    bool good = rest.n > 0;
    while (good && rest.n) {
        struct str limit = str_take(&rest, S(","));
        if (str_eq(what, S("kernel")))
            good = read_limit(limit, S("us"), &f->row_us) ||
                   read_limit(limit, S("%"), &f->row_pct);
        else if (str_eq(what, S("device")))
            good = f->device_given = read_limit(limit, S("%"), &f->device_pct);
        else if (str_eq(what, S("wall")))
            good = f->wall_given = read_limit(limit, S("%"), &f->wall_pct);
        else
            good = false;
    }
    return good || err_set(e, ERR_USAGE, NULL, -1,
                           "--floor: expected kernel=3%%,2us or device=1%% or "
                           "wall=15%%, not '%.100s'",
                           text);
}

/* Twice the ranks of all values, those of a first. */
static void rank_twice(struct arena tmp, const double *a, int n_a, const double *b,
                       int n_b, int *ranks)
{
    int n = n_a + n_b;
    double *all = arena_new(&tmp, double, n);
    for (int i = 0; i < n; i++)
        all[i] = i < n_a ? a[i] : b[i - n_a];
    for (int i = 0; i < n; i++) {
        int below = 0, same = 0;
        for (int k = 0; k < n; k++) {
            below += all[k] < all[i];
            same += all[k] == all[i];
        }
        ranks[i] = 2 * below + same + 1;
    }
}

double rank_sum_p(struct arena tmp, const double *a, int n_a, const double *b, int n_b)
{
    int n = n_a + n_b, sum = 0, all = 0;
    if (!n_a || !n_b || n > RANKED_MAX)
        return (double)NAN;
    int *ranks = arena_new(&tmp, int, n);
    rank_twice(tmp, a, n_a, b, n_b, ranks);
    for (int i = 0; i < n; i++) {
        all += ranks[i];
        sum += i < n_a ? ranks[i] : 0;
    }
    /* ways[k * (all + 1) + s]: choices of k values whose ranks sum to s. */
    double *ways = arena_new(&tmp, double, (ptrdiff_t)(n_a + 1) * (all + 1));
    ways[0] = 1;
    for (int i = 0; i < n; i++)
        for (int k = n_a; k >= 1; k--)
            for (int s = all; s >= ranks[i]; s--)
                ways[k * (all + 1) + s] += ways[(k - 1) * (all + 1) + s - ranks[i]];
    double far = 0, total = 0, middle = (double)n_a * all / n;
    for (int s = 0; s <= all; s++) {
        double w = ways[n_a * (all + 1) + s];
        total += w;
        if (fabs(s - middle) >= fabs(sum - middle) - 1e-9)
            far += w;
    }
    return far / total;
}

static bool ranges_overlap(const double *a, int n_a, const double *b, int n_b)
{
    double low_a = a[0], high_a = a[0], low_b = b[0], high_b = b[0];
    for (int i = 1; i < n_a; i++) {
        low_a = a[i] < low_a ? a[i] : low_a;
        high_a = a[i] > high_a ? a[i] : high_a;
    }
    for (int i = 1; i < n_b; i++) {
        low_b = b[i] < low_b ? b[i] : low_b;
        high_b = b[i] > high_b ? b[i] : high_b;
    }
    return low_a <= high_b && low_b <= high_a;
}

static double range_pct(const double *v, int n, double median)
{
    double low = v[0], high = v[0];
    for (int i = 1; i < n; i++) {
        low = v[i] < low ? v[i] : low;
        high = v[i] > high ? v[i] : high;
    }
    return 100 * (high - low) / median;
}

/* Squares of the distances of a side's values from their mean, in % of it. */
static double squares_pct(const double *v, int n)
{
    double sum = 0, squares = 0;
    for (int i = 0; i < n; i++)
        sum += v[i];
    for (int i = 0; i < n; i++) {
        double away_pct = 100 * (v[i] * n / sum - 1);
        squares += away_pct * away_pct;
    }
    return squares;
}

/* The standard deviation of the difference of both means, by the scatter of both sides
 * together; NaN: a side has fewer than two captures. */
static double sigma_of_mean_pct(const double *const v[2], const int n[2])
{
    if (n[0] < 2 || n[1] < 2)
        return (double)NAN;
    double squares = squares_pct(v[0], n[0]) + squares_pct(v[1], n[1]);
    double sigma_pct = sqrt(squares / (n[0] + n[1] - 2));
    return sigma_pct * sqrt(1.0 / n[0] + 1.0 / n[1]);
}

/* What means of as many captures differ by in one of twenty tries, or less often. */
static double scatter_pct(const double *const v[2], const int n[2])
{
    return SCATTER_FACTOR * sigma_of_mean_pct(v, n);
}

/* What one mean is above the other by in one of a hundred tries, or less often:
 * Student's t(0.99), within 2 % above it from six degrees of freedom on. */
static double one_in_hundred_pct(const double *const v[2], const int n[2])
{
    static const double NORMAL = 2.33, SMALLER = 4.9;
    return (NORMAL + SMALLER / (n[0] + n[1] - 2)) * sigma_of_mean_pct(v, n);
}

static struct judgement begin(const double *const values[2], const int n[2],
                              double floor_pct)
{
    struct judgement j = {.floor_pct = floor_pct,
                          .diff_pct = (double)NAN,
                          .p = (double)NAN,
                          .low_pct = (double)NAN,
                          .high_pct = (double)NAN,
                          .mde_pct = (double)NAN,
                          .n = {n[0], n[1]}};
    double mean[2];
    for (int side = 0; side < 2; side++) {
        j.value[side] = n[side] ? values[side][0] : (double)NAN;
        mean[side] = sample_mean(&(struct sample){values[side], n[side]});
    }
    if (j.value[0] > 0)
        j.diff_pct = 100 * (j.value[1] - j.value[0]) / j.value[0];
    j.mean_pct = 100 * (mean[1] - mean[0]) / mean[0];
    return j;
}

static bool above_floor(const struct judgement *j)
{
    return fabs(j->diff_pct) > j->floor_pct;
}

/* Beyond what the scatter of both sides allows; two of each say too little of it. */
static bool above_scatter(const struct judgement *j, const double *const v[2])
{
    return j->n[0] >= SCATTER_FROM && j->n[1] >= SCATTER_FROM &&
           fabs(j->mean_pct) > scatter_pct(v, j->n) && j->mean_pct * j->diff_pct > 0;
}

/* Two or three captures: what their ranges say. */
static void judge_ranges(struct judgement *j, const double *const v[2])
{
    bool apart = above_floor(j) &&
                 (!ranges_overlap(v[0], j->n[0], v[1], j->n[1]) || above_scatter(j, v));
    j->verdict = apart            ? VERDICT_SEPARATED
                 : above_floor(j) ? VERDICT_OVERLAPPING
                                  : VERDICT_WITHIN_FLOOR;
}

/* Means differ in % of the mean of both: in % of the reference, references that are low
 * by chance count more than those that are high, and of four captures a side that
 * scatter by 10 % more than one in a hundred are above. */
static bool is_above_chance(const struct judgement *j, const double *const v[2])
{
    double of_both_pct = j->mean_pct / (1 + j->mean_pct / 200);
    return fabs(of_both_pct) > one_in_hundred_pct(v, j->n) &&
           j->mean_pct * j->diff_pct > 0;
}

/* A gate blocks a merge, so that a side is above the other is said of one in a hundred
 * pairs of the same program. The ranks of four against four cannot show so little:
 * those of one side are all above in 1 of 70. */
static void judge_many(struct arena tmp, struct judgement *j, const double *const v[2],
                       const struct sample *const captures[2], uint64_t seed)
{
    j->p = rank_sum_p(tmp, v[0], j->n[0], v[1], j->n[1]);
    bootstrap_interval(tmp, captures, j->n, seed, &j->low_pct, &j->high_pct);
    bool above = is_above_chance(j, v);
    j->verdict = above_floor(j) && (j->p <= P_MAX || above)
                     ? VERDICT_CHANGED
                     : VERDICT_NOT_DISTINGUISHABLE;
}

/* How far a few steps alone move the mean: twice what the medians of the steps leave of
 * the difference, so that a difference counts if half of it is in most steps. */
static double moved_by_few_pct(struct arena tmp, const struct sample *const captures[2],
                               const struct judgement *j)
{
    double median[2];
    for (int side = 0; side < 2; side++)
        median[side] = sample_median(tmp, &captures[side][0]);
    return 2 * fabs(j->diff_pct - 100 * (median[1] - median[0]) / median[0]);
}

static void judge_once(struct judgement *j, double few_pct,
                       const struct noise_assumed *f, enum judged what)
{
    bool above = above_floor(j) && fabs(j->diff_pct) > few_pct;
    if (what == JUDGE_DEVICE || (f->bounded && !above_floor(j)))
        j->verdict = above_floor(j) ? VERDICT_OBSERVED : VERDICT_WITHIN_FLOOR;
    else if (above && (f->given || fabs(j->diff_pct) > WALL_LARGE_PCT))
        j->verdict = VERDICT_LARGE_ONCE;
    else
        j->verdict = above ? VERDICT_OBSERVED : VERDICT_NOT_JUDGED;
}

/* The value of a side is that of its median capture, which scatters less than one of
 * one: the standard deviation of the lower of two, and of the middle of three, of a
 * normal distribution. */
static double spread_of_median(const int n[2])
{
    static const double OF_ONE[] = {1, 1, 0.826, 0.670};
    int least = n[0] < n[1] ? n[0] : n[1];
    return OF_ONE[least < TESTED_FROM ? least : TESTED_FROM - 1];
}

struct judgement judge(struct arena tmp, const struct sample *const captures[2],
                       const int n[2], const struct noise_assumed *f, enum judged what,
                       uint64_t seed)
{
    double *values[2];
    for (int side = 0; side < 2; side++) {
        values[side] = arena_new(&tmp, double, n[side]);
        for (int i = 0; i < n[side]; i++)
            values[side][i] = sample_mean(&captures[side][i]);
    }
    const double *const v[2] = {values[0], values[1]};
    struct judgement j = begin(v, n, f->floor_pct);
    if (isnan(j.diff_pct))
        return j;
    bool once = n[0] < 2 || n[1] < 2, few = n[0] < TESTED_FROM || n[1] < TESTED_FROM;
    j.chance_pct = few && !f->given ? f->chance_pct * spread_of_median(n) : 0;
    double few_pct = once && !f->given ? moved_by_few_pct(tmp, captures, &j) : 0;
    j.by_few_steps = few_pct >= fabs(j.diff_pct) && few_pct > j.chance_pct;
    j.chance_pct = fmax(j.chance_pct, few_pct);
    if (what == JUDGE_WALL && !f->given) {
        double half = range_pct(values[0], n[0], j.value[0]) / 2;
        if (!once || f->shown)
            j.floor_pct = fmax(half, WALL_SEEN_PCT);
    }
    j.mde_pct = bootstrap_least_pct(tmp, v, n, seed);
    if (once)
        judge_once(&j, few_pct, f, what);
    else if (few)
        judge_ranges(&j, v);
    else
        judge_many(tmp, &j, v, captures, seed);
    return j;
}

bool judge_by_history(struct arena tmp, struct judgement *j, const double *history,
                      int n, double floor_pct)
{
    enum { ONE_SIDED_FROM = 19 }; /* above the largest of so many: p = 0.05 */
    static const double SIGMAS = 4;
    double *v = arena_new(&tmp, double, n), largest = 0;
    if (n < HISTORY_LEAST || j->n[1] != 1 || isnan(j->value[1]))
        return false;
    for (int i = 0; i < n; i++) {
        v[i] = history[i];
        largest = history[i] > largest ? history[i] : largest;
    }
    double median = median_of(v, n);
    for (int i = 0; i < n; i++)
        v[i] = fabs(v[i] - median);
    double band = SIGMAS * MAD_TO_SIGMA * median_of(v, n) * sqrt(1 + 1.0 / n);
    double floor = floor_pct / 100 * median;
    double away = fabs(j->value[1] - median);
    j->value[0] = median;
    j->diff_pct = 100 * (j->value[1] - median) / median;
    j->floor_pct = 100 * (band > floor ? band : floor) / median;
    j->chance_pct = 0;
    j->n[0] = n;
    j->verdict = away > band && away > floor ? VERDICT_OUTSIDE : VERDICT_INSIDE;
    if (n >= ONE_SIDED_FROM && j->value[1] > largest)
        j->p = 1.0 / (n + 1);
    return median > 0;
}

struct judgement judge_row(const double *const means[2], const int n[2],
                           double floor_pct)
{
    struct judgement j = begin(means, n, floor_pct);
    if (isnan(j.diff_pct))
        return j;
    j.mde_pct = scatter_pct(means, n);
    if (n[0] < 2 || n[1] < 2)
        j.verdict = above_floor(&j) ? VERDICT_OBSERVED : VERDICT_WITHIN_FLOOR;
    else
        judge_ranges(&j, means);
    bool tested = n[0] >= TESTED_FROM && n[1] >= TESTED_FROM;
    if (tested && j.verdict == VERDICT_SEPARATED)
        j.verdict = VERDICT_CHANGED;
    else if (tested && j.verdict == VERDICT_OVERLAPPING)
        j.verdict = VERDICT_NOT_DISTINGUISHABLE;
    return j;
}
