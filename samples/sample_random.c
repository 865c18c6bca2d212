#include "sample_random.h"

static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

void random_seed(struct sample_random *r, uint64_t seed, uint64_t a, uint64_t b)
{
    r->state = mix(seed + 0x9e3779b97f4a7c15u) ^ mix(a + 1) ^ mix(mix(b + 2));
}

uint64_t random_next(struct sample_random *r)
{
    r->state += 0x9e3779b97f4a7c15u;
    return mix(r->state);
}

double random_factor(struct sample_random *r, double spread_frac)
{
    double unit = (double)(random_next(r) >> 11) * 0x1p-53;
    return 1.0 + spread_frac * (2.0 * unit - 1.0);
}
