#include "ops/sample_stats.h"

#include <math.h>
#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

struct sample_stats stats_of(double *v, int64_t n)
{
    int64_t kept = 0;
    struct sample_stats s = {0, 0.0, NAN, NAN, NAN, NAN, NAN};
    /* Welford, Technometrics 4 (1962): one pass, no cancellation. */
    double mean = 0.0, q = 0.0;
    bool sorted = true;
    for (int64_t i = 0; i < n; i++) {
        double x = v[i];
        if (isnan(x))
            continue;
        sorted &= kept == 0 || v[kept - 1] <= x;
        v[kept++] = x;
        double d = x - mean;
        mean += d / (double)kept;
        q += d * (x - mean);
        s.sum += x;
    }
    if (!(s.n = kept))
        return s;
    if (!sorted)
        qsort(v, (size_t)kept, sizeof *v, by_value);
    s.mean = s.sum / (double)kept;
    s.median = kept % 2 ? v[kept / 2] : (v[kept / 2 - 1] + v[kept / 2]) / 2.0;
    s.std = kept > 1 ? sqrt(q / (double)(kept - 1)) : NAN;
    s.min = v[0];
    s.max = v[kept - 1];
    return s;
}

double stats_population_std(const struct sample_stats *s)
{
    return s->n > 1 ? s->std * sqrt((double)(s->n - 1) / (double)s->n) : 0.0;
}
