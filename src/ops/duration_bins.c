#include "ops/duration_bins.h"

#include "base/duration.h"

/* 100 ns times 10^(k/8), to a whole ns: the same edges on every machine. */
static int64_t edge_ns(int k)
{
    static const int64_t eighths[8] = {1000000000, 1333521432, 1778279410, 2371373706,
                                       3162277660, 4216965034, 5623413252, 7498942093};
    static const int64_t decades[] = {1,     10,     100,     1000,
                                      10000, 100000, 1000000, 10000000};
    return (eighths[k % 8] * decades[k / 8] + 5000000) / 10000000;
}

double duration_edge_us(int k)
{
    return (double)edge_ns(k) / 1e3;
}

void duration_bins_add(struct duration_bins *d, int64_t ns)
{
    int lo = 0, hi = DURATION_BINS - 1;
    while (lo < hi) {
        int mid = (lo + hi + 1) / 2;
        if (ns >= edge_ns(mid))
            lo = mid;
        else
            hi = mid - 1;
    }
    d->count[lo]++;
    add_ns(&d->total_ns[lo], ns);
}
