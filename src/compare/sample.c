#include "compare/sample.h"

#include <math.h>
#include <stdlib.h>

static int by_number(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double median_of(double *values, int n)
{
    if (!n)
        return (double)NAN;
    qsort(values, (size_t)n, sizeof *values, by_number);
    return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

double sample_mean(const struct sample *s)
{
    double sum = 0;
    for (int i = 0; i < s->n; i++)
        sum += s->steps[i];
    return s->n ? sum / s->n : (double)NAN;
}

double sample_median(struct arena tmp, const struct sample *s)
{
    double *steps = arena_new(&tmp, double, s->n);
    for (int i = 0; i < s->n; i++)
        steps[i] = s->steps[i];
    return median_of(steps, s->n);
}
