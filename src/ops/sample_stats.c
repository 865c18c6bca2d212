#include "ops/sample_stats.h"

#include <math.h>
#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void swap(double *a, double *b)
{
    double x = *a;
    *a = *b;
    *b = x;
}

/* Reorders v so that v[k] is as if v were sorted, with nothing greater before it and
 * nothing less after it (Hoare, CACM 4 (1961) 321): a full sort was 2 % of a run. Falls
 * back to sorting on adversarial input. */
static void select_place(double *v, int64_t n, int64_t k)
{
    int64_t from = 0, to = n - 1;
    for (int round = 0; from < to; round++) {
        if (round == 64) {
            qsort(v + from, (size_t)(to + 1 - from), sizeof *v, by_value);
            return;
        }
        int64_t middle = from + (to - from) / 2, i = from, j = to;
        if (v[middle] < v[from])
            swap(&v[middle], &v[from]);
        if (v[to] < v[from])
            swap(&v[to], &v[from]);
        if (v[to] < v[middle])
            swap(&v[to], &v[middle]);
        double pivot = v[middle];
        while (i <= j) {
            while (v[i] < pivot)
                i++;
            while (v[j] > pivot)
                j--;
            if (i <= j)
                swap(&v[i++], &v[j--]);
        }
        if (k > j && k < i)
            return;
        from = k >= i ? i : from;
        to = k <= j ? j : to;
    }
}

static double median(double *v, int64_t n)
{
    int64_t half = n / 2;
    select_place(v, n, half);
    if (n % 2)
        return v[half];
    double below = v[0];
    for (int64_t i = 1; i < half; i++)
        below = v[i] > below ? v[i] : below;
    return (below + v[half]) / 2.0;
}

struct sample_stats stats_sum(double *v, int64_t n)
{
    int64_t kept = 0;
    struct sample_stats s = {0,           0.0,         (double)NAN, (double)NAN,
                             (double)NAN, (double)NAN, (double)NAN};
    double lost = 0.0;
    for (int64_t i = 0; i < n; i++) {
        double x = v[i];
        if (isnan(x))
            continue;
        s.min = kept == 0 || x < s.min ? x : s.min;
        s.max = kept == 0 || x > s.max ? x : s.max;
        v[kept++] = x;
        /* Neumaier, ZAMM 54 (1974): sums of times come out as a person would add them.
         */
        double sum = s.sum + x;
        lost += fabs(s.sum) >= fabs(x) ? s.sum - sum + x : x - sum + s.sum;
        s.sum = sum;
    }
    s.sum += lost;
    s.n = kept;
    if (kept)
        s.mean = s.sum / (double)kept;
    return s;
}

/* Welford, Technometrics 4 (1962): one pass, no cancellation. */
static double deviation(const double *v, int64_t n)
{
    double mean = 0.0, q = 0.0;
    for (int64_t i = 0; i < n; i++) {
        double d = v[i] - mean;
        mean += d / (double)(i + 1);
        q += d * (v[i] - mean);
    }
    return n > 1 ? sqrt(q / (double)(n - 1)) : (double)NAN;
}

struct sample_stats stats_of(double *v, int64_t n)
{
    struct sample_stats s = stats_sum(v, n);
    if (s.n == 0)
        return s;
    s.std = deviation(v, s.n);
    s.median = median(v, s.n);
    return s;
}

double stats_p95(double *v, int64_t n)
{
    if (n == 0)
        return (double)NAN;
    int64_t rank = (95 * n + 99) / 100 - 1;
    select_place(v, n, rank);
    return v[rank];
}

double stats_population_std(const struct sample_stats *s)
{
    return s->n > 1 ? s->std * sqrt((double)(s->n - 1) / (double)s->n) : 0.0;
}

static double sum_of_block(const double *v, int64_t n)
{
    double r[8], sum = 0.0;
    if (n < 8) {
        for (int64_t i = 0; i < n; i++)
            sum += v[i];
        return sum;
    }
    for (int k = 0; k < 8; k++)
        r[k] = v[k];
    int64_t i = 8;
    for (; i + 8 <= n; i += 8)
        for (int k = 0; k < 8; k++)
            r[k] += v[i + k];
    sum = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
    for (; i < n; i++)
        sum += v[i];
    return sum;
}

double stats_sum_by_halves(const double *v, int64_t n)
{
    if (n <= 128)
        return sum_of_block(v, n);
    int64_t half = n / 2 - n / 2 % 8;
    return stats_sum_by_halves(v, half) + stats_sum_by_halves(v + half, n - half);
}
