#include "analysis/system/time_slices.h"

#include <math.h>
#include <stdlib.h>

enum { FEWEST_CALLS = 10, FEWEST_KINDS = 3, MOST_SLICES = 6 };

static const double LEAST_US = 300;   /* of a slice */
static const double LEAST_FRAC = 0.2; /* of a call: what it takes beyond the fastest */
static const double OFF_FRAC = 0.12;  /* of a slice: from a multiple of it */
static const double MOST = 0.8;       /* of such calls, to be multiples */

static double fastest_us(const struct like_kind *k)
{
    double us = HUGE_VAL;
    for (int32_t i = 0; i < k->n; i++)
        us = k->calls[i].us > 0 ? fmin(us, k->calls[i].us) : us;
    return us;
}

static bool is_longer(double us, double fastest)
{
    return us - fastest >= LEAST_US && us - fastest >= LEAST_FRAC * fastest;
}

static int by_size(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static bool is_multiple(double us, double slice)
{
    double n = round(us / slice);
    return n >= 1 && n <= MOST_SLICES && fabs(us - n * slice) <= OFF_FRAC * slice;
}

/* Work of two sizes takes more by what is in proportion to it, a slice does not. */
static double spread_of(const struct like_work *w, double slice)
{
    enum { FEWEST_EACH = 3 };
    double shortest = HUGE_VAL, longest = 0;
    for (int32_t k = 0; k < w->n; k++) {
        double fastest = fastest_us(&w->kinds[k]);
        int32_t n = 0;
        for (int32_t i = 0; i < w->kinds[k].n; i++) {
            double us = w->kinds[k].calls[i].us;
            n += is_longer(us, fastest) && is_multiple(us - fastest, slice) &&
                 us - fastest < 1.5 * slice;
        }
        if (n >= FEWEST_EACH) {
            shortest = fmin(shortest, fastest);
            longest = fmax(longest, fastest);
        }
    }
    return longest / shortest;
}

struct time_slices time_slices_find(struct arena tmp, const struct like_work *w)
{
    struct time_slices s = {.calls = 0};
    double *more = NULL, all_us = 0, hit_us = 0;
    int32_t n = 0, multiples = 0;
    for (int32_t k = 0; k < w->n; k++) {
        double fastest = fastest_us(&w->kinds[k]);
        int32_t before = n;
        for (int32_t i = 0; i < w->kinds[k].n; i++) {
            double us = w->kinds[k].calls[i].us;
            if (!is_longer(us, fastest))
                continue;
            arena_grow(&tmp, more, n);
            more[n++] = us - fastest;
            s.excess_ms += (us - fastest) / 1e3;
        }
        s.kinds += n > before;
        all_us += w->kinds[k].sum_us;
        hit_us += n > before ? w->kinds[k].sum_us : 0;
    }
    if (n < FEWEST_CALLS || s.kinds < FEWEST_KINDS)
        return (struct time_slices){.calls = 0};
    qsort(more, (size_t)n, sizeof *more, by_size);
    double slice = more[n / 4]; /* most are interrupted once */
    for (int32_t i = 0; i < n; i++)
        multiples += is_multiple(more[i], slice);
    if (multiples < MOST * n)
        return (struct time_slices){.calls = 0};
    s.slice_ms = slice / 1e3;
    s.calls = n;
    s.spread = spread_of(w, slice);
    s.share = all_us > 0 ? hit_us / all_us : 0;
    return s;
}
