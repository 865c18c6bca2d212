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
